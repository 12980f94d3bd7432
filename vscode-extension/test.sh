#!/bin/bash
# Tests the extension: its types, its units, and its package in a real VS Code in a
# browser. What is needed goes to a cache folder that git ignores, and is there the
# second time. Where no browser or no VS Code can be had those tests count as
# skipped, and it says which. CHROMIUM may name a browser, DIFFPROF the program;
# SCREENSHOTS=FOLDER keeps pictures of each step.
set -euo pipefail
if ! command -v npm >/dev/null; then
	echo "vscode-extension: skipped all tests, which need Node 20.19 or newer"
	exit 0
fi
. "$(dirname "$0")/setup.sh"
tsc --noEmit

if [ -z "${CHROMIUM:-}" ] && ! command -v chromium chromium-browser google-chrome google-chrome-stable >/dev/null; then
	echo "vscode-extension: no Chromium found; the tests in VS Code are skipped"
	exec vitest run
fi
export CODE_SERVER=$cache/code-server-4.96.4
if ! log=$(./e2e/setup.sh "$CODE_SERVER" 2>&1); then
	printf '%s\n' "$log" | tail -5 >&2
	echo "vscode-extension: no VS Code that runs in a browser can be had; the tests in it are skipped"
	exec vitest run
fi
VSIX=$(OUT=$cache/package ./build.sh)
export VSIX
vitest run "$@"

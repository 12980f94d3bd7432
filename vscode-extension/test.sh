#!/bin/bash
# Tests the extension: its types, its units, and its package in a real VS Code in a
# browser. The output is for tools/tally: run `make test-vscode`. Dependencies go to a
# cache folder that git ignores, for later runs. Without a browser or VS Code, their
# tests are skipped with the reason. CHROMIUM may name a browser, DIFFPROF the program.
# SCREENSHOTS=FOLDER keeps pictures of each step.
set -euo pipefail
. "$(dirname "$0")/../scripts/node.sh" vscode-extension
test_packages
tsc --noEmit

# The temporary files of the browser and VS Code are removed with this folder.
scratch_folder
export TMPDIR=$scratch

export CODE_SERVER=$cache/code-server-4.96.4
if ! has_browser; then
	echo "vscode-extension: no Chromium found; the tests in VS Code are skipped"
elif ! "$root/scripts/cache" ./e2e/setup.sh "$CODE_SERVER" >"$cache/code-server.log" 2>&1; then
	tail -n 5 "$cache/code-server.log" >&2
	echo "vscode-extension: no VS Code for a browser could be installed (.cache/vscode-extension/code-server.log); the tests in it are skipped"
else
	own_program
	VSIX=$(OUT=$scratch/package ./build.sh)
	export VSIX
fi
run_vitest "$@"

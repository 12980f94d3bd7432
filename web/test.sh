#!/bin/bash
# Tests the web app: its types, its units, that the bundle in report/html is up to date,
# and pages of the program in a headless Chromium. The output is for tools/tally: run
# `make test-web`. CHROMIUM may name a Chromium, without which its tests are skipped, and DIFFPROF the program.
# SCREENSHOTS=FOLDER keeps pictures of all views.
set -euo pipefail
. "$(dirname "$0")/../scripts/node.sh" web
test_packages
tsc --noEmit

scratch_folder
DIFFPROF_WEB_OUT=$scratch vite build --logLevel warn
for file in app.js app.css; do
	if ! cmp -s "$scratch/$file" "../report/html/$file"; then
		echo "web: report/html/$file differs from the build of web/: run make generate" >&2
		exit 1
	fi
done

own_program
has_browser || echo "web: no Chromium found; the tests in a browser are skipped"
run_vitest "$@"

#!/bin/bash
# Tests the web app: its types, its units, that the bundle in report/html is what
# its sources make, and pages written by the program in a headless Chromium. Writes
# what tools/tally reads: run `make test-web`. Where there is no Chromium (the
# variable CHROMIUM may name one) those tests count as skipped. SCREENSHOTS=FOLDER
# keeps pictures of all views.
set -euo pipefail
. "$(dirname "$0")/../scripts/node.sh" web
test_packages
tsc --noEmit

scratch_folder
DIFFPROF_WEB_OUT=$scratch vite build --logLevel warn
for file in app.js app.css; do
	if ! cmp -s "$scratch/$file" "../report/html/$file"; then
		echo "web: report/html/$file is not what web/ builds: run make generate" >&2
		exit 1
	fi
done

has_browser || echo "web: no Chromium found; the tests in a browser are skipped"
run_vitest "$@"

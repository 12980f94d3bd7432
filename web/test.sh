#!/bin/bash
# Tests the web app: its types, its units, that the bundle in report/html is what
# its sources make, and pages written by the program in a headless Chromium. Where
# there is no Chromium (the variable CHROMIUM may name one) those tests count as
# skipped. SCREENSHOTS=FOLDER keeps pictures of all views.
set -euo pipefail
if ! command -v npm >/dev/null; then
	echo "web: skipped all tests, which need Node 20.19 or newer"
	exit 0
fi
. "$(dirname "$0")/setup.sh"
tsc --noEmit

fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
DIFFPROF_WEB_OUT=$fresh vite build --logLevel warn
for file in app.js app.css; do
	if ! cmp -s "$fresh/$file" "../report/html/$file"; then
		echo "web: report/html/$file is not what web/ builds: run make generate" >&2
		exit 1
	fi
done

if [ -z "${CHROMIUM:-}" ] && ! command -v chromium chromium-browser google-chrome google-chrome-stable >/dev/null; then
	echo "web: no Chromium found; the tests in a browser are skipped"
fi
vitest run

#!/bin/bash
# Builds the page that compares in the browser as one file: build/site/index.html, or the
# file named by the argument.
set -euo pipefail
out=$(realpath -m "${1:-$(dirname "$0")/../../build/site/index.html}")
. "$(dirname "$0")/../../scripts/node.sh" web
packages
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
version=$(git describe --tags --always --dirty 2>/dev/null || echo unknown)
version=${version#v}
(cd "$root" && GOOS=js GOARCH=wasm go build -trimpath -buildvcs=false -ldflags "-s -w -buildid= -X main.version=$version" -o "$parts/engine.wasm" ./cmd/site)
cp "$(go env GOROOT)/lib/wasm/wasm_exec.js" "$parts/"
for part in page worker; do
	rolldown "site/$part.ts" --format iife --minify --platform browser --file "$parts/$part.js" --log-level warn >/dev/null
done
mkdir -p "$(dirname "$out")"
node site/assemble.mjs "$parts" "$out" "$version"
echo "$out"

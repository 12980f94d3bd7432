#!/bin/bash
# Builds build/diffprof-VERSION[-PLATFORM].vsix. The package includes the program: the file
# named by DIFFPROF, for the platform TARGET, or else a build for this machine. With
# DIFFPROF=none the package has no program and is for all platforms.
set -euo pipefail
. "$(dirname "$0")/../scripts/node.sh" vscode-extension
packages
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
out=${OUT:-$root/build}

mkdir -p "$stage/dist/web" "$stage/sample/traces" "$out"
esbuild src/extension.ts --bundle --platform=node --target=node20 --format=cjs --external:vscode \
	--minify --legal-comments=none --log-level=warning --outfile="$stage/dist/extension.js"
cp "$root"/report/html/app.{js,css} "$stage/dist/web/"
cp "$root/docs/diffprof.schema.json" "$stage/dist/"
cp README.md "$root/CHANGELOG.md" "$stage/"
# The server's settings are generated from its own list of them.
node -e '
	const manifest = require("./package.json");
	manifest.contributes.configuration.push(require("./settings.json"));
	require("fs").writeFileSync(process.argv[1], JSON.stringify(manifest, null, 2));
' "$stage/package.json"
printf '%s\n' "# Nothing is ignored: build.sh puts only files for the package into this folder." >"$stage/.vscodeignore"
cp "$root/LICENSE" "$stage/"
cp -r media "$stage/"
cp -r sample/. "$stage/sample/"
case=$root/testdata/cases/pandora57-pandora83
cp "$case/subject.trace.gz" "$stage/sample/traces/pandora-5.7.trace.gz"
cp "$case/reference.trace" "$stage/sample/traces/pandora-8.3.trace"
cp "$root/testdata/cases/power_profile.xml" "$stage/sample/traces/"

target=()
platform=
if [ "${DIFFPROF:-}" != none ]; then
	platform=${TARGET:-$(node -p 'process.platform + "-" + process.arch')}
	program=diffprof
	[ "${platform%%-*}" = win32 ] && program=diffprof.exe
	mkdir "$stage/bin"
	if [ -n "${DIFFPROF:-}" ]; then
		cp "$DIFFPROF" "$stage/bin/$program"
	else
		version=$(git describe --tags --always --dirty 2>/dev/null || echo unknown)
		(cd "$root" && go build -trimpath -ldflags "-s -w -X main.version=$version" -o "$stage/bin/$program" ./cmd/diffprof)
	fi
	target=(--target "$platform")
fi

# The stage has only the files of the package. The bundle needs no npm packages.
version=$(node -p 'require("./package.json").version')
package=$out/diffprof-$version${platform:+-$platform}.vsix
(cd "$stage" && vsce package --no-dependencies "${target[@]}" --out "$package" --no-git-tag-version --no-update-package-json \
	--baseContentUrl https://github.com/diffprof/diffprof/blob/main/vscode-extension \
	--baseImagesUrl https://github.com/diffprof/diffprof/raw/main/vscode-extension >"$cache/vsce.log" 2>&1) || {
	cat "$cache/vsce.log" >&2
	exit 1
}
grep -i warning "$cache/vsce.log" >&2 || true
echo "$package"

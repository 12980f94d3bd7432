# Sourced by build.sh and test.sh: goes to vscode-extension/ and sees to node_modules
# there. Packages lie in a cache folder named by the lock file's hash, which git
# ignores; installing is quick once they are there.
cd "$(dirname "${BASH_SOURCE[0]}")"
cache=$(cd .. && pwd)/.cache/vscode
packages=$cache/$(sha256sum <package-lock.json | cut -c1-16)
if [ ! -e "$packages/complete" ]; then
	mkdir -p "$packages"
	cp package.json package-lock.json "$packages/"
	npm ci --prefix "$packages" --no-audit --no-fund --ignore-scripts --loglevel=error >&2
	touch "$packages/complete"
fi
ln -sfn "$packages/node_modules" node_modules
PATH=$packages/node_modules/.bin:$PATH

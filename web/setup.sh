# Sourced by build.sh and test.sh: goes to web/ and sees to node_modules there.
# Packages lie in a cache folder named by the lock file's hash, which git ignores
# and Go does not look into; installing is quick once they are there.
cd "$(dirname "${BASH_SOURCE[0]}")"
cache=$(cd .. && pwd)/.cache/web
packages=$cache/$(cat package.json package-lock.json | sha256sum | cut -c1-16)
if [ ! -e "$packages/complete" ]; then
	mkdir -p "$packages"
	cp package.json package-lock.json "$packages/"
	npm ci --prefix "$packages" --no-audit --no-fund --ignore-scripts --loglevel=error >&2
	touch "$packages/complete"
fi
ln -sfn "$packages/node_modules" node_modules
PATH=$packages/node_modules/.bin:$PATH

# Sourced by the scripts of web/ and vscode-extension/, with the folder's name as argument. It goes
# to the folder, and defines functions that get its packages and that report to tally the results
# that vitest does not report.
part=$1
cd "$(dirname "${BASH_SOURCE[0]}")/../$part"
root=$(cd .. && pwd)
"$root/scripts/cache"
cache=$(cd -P "$root/.cache" && pwd)/$part

# packages installs node_modules in a cache folder that is named by the hash of the lock file.
# Git and Go ignore the folder, and later runs are fast.
packages() {
	local folder
	folder=$cache/$(sha256sum <package-lock.json | cut -c1-16)
	"$root/scripts/cache" "$root/scripts/npm" "$folder" || return
	ln -sfn "$folder/node_modules" node_modules
	PATH=$folder/node_modules/.bin:$PATH
}

# npm gives up within half a minute if the registry does not answer.
export npm_config_fetch_retries=2 npm_config_fetch_retry_mintimeout=2000 npm_config_fetch_retry_maxtimeout=20000

# unreachable reports whether npm's log says that the registry did not answer. Any other
# error is a failure.
unreachable() {
	grep -qE 'E(CONNREFUSED|CONNRESET|NOTFOUND|TIMEDOUT|AI_AGAIN|NETUNREACH|HOSTUNREACH)|ERR_SOCKET_TIMEOUT' "$1"
}

# test_packages is packages for tests. Without Node, or if the registry does not
# answer, the tests are skipped.
test_packages() {
	local log=$cache/npm.log
	trap ended EXIT
	if ! command -v npm >/dev/null; then
		skip "all tests" "they need Node 20.19 or newer with npm"
		exit 0
	fi
	mkdir -p "$cache"
	packages 2>"$log" && return
	if ! unreachable "$log"; then
		cat "$log" >&2
		exit 1
	fi
	skip "all tests" "their packages are not in .cache, and npm's registry does not answer"
	exit 0
}

# has_browser reports whether there is a Chromium for the tests.
has_browser() {
	[ -n "${CHROMIUM:-}" ] || command -v chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable >/dev/null
}

# own_program builds the program from this checkout, once for all tests, unless DIFFPROF names one. It
# has the flags of the tests in Go, since other flags would compile each package again.
own_program() {
	[ -z "${DIFFPROF:-}" ] || return 0
	(cd "$root" && go build -ldflags "-s -w -X main.version=$(git describe --tags --always --dirty 2>/dev/null || echo unknown)" \
		-o "$scratch/diffprof" ./cmd/diffprof)
	export DIFFPROF=$scratch/diffprof
}

# skip reports to tally a test, or several under one name, that cannot be run.
skip() {
	printf '{"Action":"output","Package":"%s","Test":"%s","Output":"%s\\n"}\n' "$part" "$1" "$2"
	printf '{"Action":"skip","Package":"%s","Test":"%s"}\n' "$part" "$1"
}

# run_vitest runs the tests and reports each to tally.
run_vitest() {
	vitest run --reporter="$root/tools/tally/vitest.mjs" "$@"
}

# ended is called at the script's end. It reports a failure of the script to tally, which ignores
# it if a test failed.
ended() {
	[ $? = 0 ] || printf '{"Action":"fail","Package":"%s"}\n' "$part"
	rm -rf "${scratch:-}"
}

# scratch_folder makes $scratch, which the script's end removes. Its path is short
# since it contains sockets.
scratch_folder() {
	scratch=$(mktemp -d /tmp/diffprof.XXXXXX)
}

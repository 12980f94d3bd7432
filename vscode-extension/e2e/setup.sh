#!/bin/bash
# Installs a VS Code for the browser in the folder of the argument, and writes a file
# "complete" at the end. It is VS Code 1.96 in code-server, from the npm registry. Its own
# installation scripts download from other hosts, so this script builds the necessary native
# modules.
set -euo pipefail
folder=$1
[ -e "$folder/complete" ] && exit 0
command -v npm >/dev/null || { echo "npm is missing"; exit 1; }
case $(node --version) in v20.*) ;; *) echo "code-server wants Node 20, this is $(node --version)"; exit 1 ;; esac
# Use the headers next to Node, if any, instead of a download.
headers=$(node -p 'require("path").resolve(process.execPath, "../..")')
[ ! -e "$headers/include/node/node.h" ] || export npm_config_nodedir=$headers
# The compiler's optimiser would take most of the time, and the tests do not need it. The build's own
# flags come before these.
export CFLAGS=-O0 CXXFLAGS=-O0
mkdir -p "$folder"
cd "$folder"
[ -e package.json ] || echo '{"private":true}' >package.json
quiet=(--no-audit --no-fund --loglevel=error)
npm install code-server@4.96.4 --ignore-scripts "${quiet[@]}"
cd node_modules/code-server/lib/vscode
# The shrinkwrap has a dependency with a git address.
[ ! -e npm-shrinkwrap.json ] || mv npm-shrinkwrap.json npm-shrinkwrap.json.aside
npm install --omit=dev --ignore-scripts "${quiet[@]}"
npm rebuild --foreground-scripts --loglevel=error @vscode/spdlog node-pty native-watchdog @parcel/watcher
ln -sfn node_modules node_modules.asar
cd "$folder"
npm rebuild --foreground-scripts --loglevel=error argon2
touch complete

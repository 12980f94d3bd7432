#!/bin/bash
# Builds the bundle into report/html, which embeds it.
set -euo pipefail
. "$(dirname "$0")/../scripts/node.sh" web
packages
vite build --logLevel warn

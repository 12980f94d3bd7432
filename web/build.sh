#!/bin/bash
# Builds the bundle that report/html embeds, into that folder.
set -euo pipefail
. "$(dirname "$0")/../scripts/node.sh" web
packages
vite build --logLevel warn

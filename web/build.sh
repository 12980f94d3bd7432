#!/bin/bash
# Builds the bundle that report/html embeds, into that folder.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
vite build --logLevel warn

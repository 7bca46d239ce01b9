#!/bin/sh
# SPDX-License-Identifier: MIT
# A browser for all tests of pages: serve.sh DRIVER SOCKET. See browse.c.
set -eu

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
find_chromium
exec "$1" serve "$chromium" "$2"

#!/bin/sh
# SPDX-License-Identifier: MIT
# less.sh RUN_PTX FILE: a compiled kernel does what it should where cc does less than we ask for.
# gcc 12 took functions for pure then, and left out calls.
set -eu
cc=$(command -v cc) || exit 77
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
printf '#!/bin/sh\nexec "%s" "$@" -O1\n' "$cc" >"$scratch/cc"
chmod +x "$scratch/cc"
PATH=$scratch:$PATH XDG_CACHE_HOME=$scratch EMU_ENGINE=compiled "$1" "$2"
find "$scratch/emu" -name '*.so' | grep -q . || {
    echo "less: nothing was compiled" >&2
    exit 1
}

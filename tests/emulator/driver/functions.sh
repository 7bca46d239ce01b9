#!/bin/sh
# SPDX-License-Identifier: MIT
# functions.sh LIBRARY STUB: our library has every function of NVIDIA's libcuda (STUB, to link with), and
# one for per-thread default streams is emulated where the plain one is.
set -eu
export LC_ALL=C

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# names LIBRARY: "T NAME" of each function it defines, W for a weak one, which only says that it is none.
names()
{
    nm -D --defined-only "$1" | awk '$3 ~ /^cu[A-Z]/ { sub(/@.*/, "", $3); print $2, $3 }'
}
names "$1" >"$scratch/ours"
names "$2" >"$scratch/stub"
[ -s "$scratch/stub" ]
awk '
    NR == FNR { kind[$2] = $1; next }
    !($2 in kind) { print $2 ": not in our library"; bad = 1 }
    END {
        for (name in kind)
            if (kind[name] == "W" && match(name, /_pt[ds][sz]$/) && kind[substr(name, 1, RSTART - 1)] == "T") {
                print name ": not emulated, though the plain one is"
                bad = 1
            }
        exit bad
    }' "$scratch/ours" "$scratch/stub"

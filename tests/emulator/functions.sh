#!/bin/sh
# SPDX-License-Identifier: MIT
# functions.sh LIBRARY REAL BEGINNING: our LIBRARY has every function of NVIDIA's (REAL) whose name begins so,
# an extended expression, and one for per-thread default streams is emulated where the plain one is.
set -eu
export LC_ALL=C

begin=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# names LIBRARY: "T NAME" of each function it defines, W for a weak one, which only says that it is none.
names()
{
    nm -D --defined-only "$1" | awk -v begin="$begin" '($2 == "T" || $2 == "W") && $3 ~ "^" begin {
        sub(/@.*/, "", $3)
        print $2, $3
    }'
}
names "$1" >"$scratch/ours"
names "$2" >"$scratch/real"
[ -s "$scratch/ours" ]
[ -s "$scratch/real" ]
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
    }' "$scratch/ours" "$scratch/real"

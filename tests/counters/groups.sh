#!/bin/sh
# SPDX-License-Identifier: MIT
# groups.sh EMU WANTED PROGRAM [ARGUMENT...]: do the threads of a warp ask shared memory for so many
# different addresses per load, on average and to the nearest whole number? Threads that ask for the
# same one share a read. No counter shows that, but the accesses that --trace keeps do.
set -eu

emu=$1
wanted=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$emu" --gpu=h100 --trace="$scratch/page.html" "$@" >"$scratch/out" || {
    cat "$scratch/out" >&2
    exit 1
}
tr '{' '\n' <"$scratch/page.html" |
    sed -n 's/.*"what":"load".*"space":"shared","at":\[\([0-9,]*\)\].*/\1/p' |
    awk -F, -v wanted="$wanted" '
        {
            split("", seen)
            for (lane = 1; lane <= NF; lane++)
                groups += !seen[$lane]++
        }
        END {
            if (NR > 0 && int(groups / NR + 0.5) == wanted)
                exit 0
            printf "%d addresses in %d loads, expected %s per load\n", groups, NR, wanted
            exit 1
        }' >&2

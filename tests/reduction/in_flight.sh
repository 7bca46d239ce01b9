#!/bin/sh
# SPDX-License-Identifier: MIT
# in_flight.sh EMU R7: the modelled time of a grid too small to hide latency shows that a thread's
# guarded loads are under way together: one after the other they take 2.9 times that of a full grid.
set -eu

"$1" --gpu h200 "$2" --sweep 1 --n 4194304 | awk '
    $1 == 128 { few = $2 }
    $1 == 2048 { many = $2 }
    END {
        if (!many || few > 1.5 * many) {
            printf "128 blocks take %s ms, 2048 take %s\n", few, many
            exit 1
        }
    }'

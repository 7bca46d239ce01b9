#!/bin/sh
# SPDX-License-Identifier: MIT
# campaign_ptxas.sh CAMPAIGN PTXAS: ptxas, whose kin in the driver compiles kernels made up at random
# for a GPU, takes those of the first eight batches.
set -eu
file=$(mktemp)
trap 'rm -f "$file"' EXIT
for batch in 0 1 2 3 4 5 6 7; do
    "$1" --seed 1 --first $((16 * batch)) --count 16 --print >"$file"
    "$2" -arch=sm_90 -O0 "$file" -o /dev/null
done

#!/bin/sh
# SPDX-License-Identifier: MIT
# test_step_lengths.sh STEP_LENGTHS: what the script makes of steps that are as long as they may be,
# and of longer ones.
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/sgemm"

# step NAME LINES
step()
{
    echo "add_step(sgemm $1 \"a title\")" >>"$folder/sgemm/CMakeLists.txt"
    seq "$2" >"$folder/sgemm/$1.cu"
}

step s01_short 100
step s16_last 120
sh "$1" "$folder"
step s02_long 101
step s16_long 121
code=0
named=$(sh "$1" "$folder") || code=$?
[ "$code" -eq 1 ]
[ "$named" = "sgemm/s02_long.cu: 101 lines, allowed are 100
sgemm/s16_long.cu: 121 lines, allowed are 120" ]

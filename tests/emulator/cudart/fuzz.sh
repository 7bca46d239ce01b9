#!/bin/sh
# SPDX-License-Identifier: MIT
# fuzz.sh EMU BREAK_PROGRAM PROGRAM ROUNDS: however its fat binary is broken, the program ends by itself
# with an error of CUDA's (3), or well where the broken bytes did not matter (0).
emu=$1
break_program=$2
program=$3
rounds=$4
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
seed=1
while [ "$seed" -le "$rounds" ]; do
    "$break_program" "$seed" "$program" "$folder/broken" || exit 1
    chmod +x "$folder/broken"
    "$emu" "$folder/broken" >"$folder/out" 2>&1
    code=$?
    if [ "$code" -ne 0 ] && [ "$code" -ne 3 ]; then
        echo "seed $seed: exit code $code"
        cat "$folder/out"
        exit 1
    fi
    seed=$((seed + 1))
done
echo "$rounds broken programs ended as they should"

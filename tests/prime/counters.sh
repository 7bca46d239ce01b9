#!/bin/sh
# SPDX-License-Identifier: MIT
# counters.sh EMU FOLDER: what the steps of the prime checker change, as counters of the emulator.
set -eu
emu=$1
folder=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Prints counter $1 of the program and arguments that follow, times 100 and cut to a whole number.
counter()
{
    key=$1
    shift
    "$emu" --profile=json:"$scratch/profile" "$@" >"$scratch/out"
    sed -n 's/.*"'"$key"'":\([0-9.]*\).*/\1/p' "$scratch/profile" |
        awk '{ printf "%d\n", 100 * $1; found = 1 } END { exit !found }'
}

# Fails unless $2 OP $3, which is what $1 says.
holds()
{
    if ! [ "$2" "$3" "$4" ]; then
        echo "$1: not $2 $3 $4" >&2
        exit 1
    fi
}

# 3 x 533333333333279: p1 goes through all slices but one, p2 stops once a look follows the find.
third=1599999999999837
one=$(counter warp_instructions "$folder/p1_trial_division" $third)
two=$(counter warp_instructions "$folder/p2_early_exit" $third)
three=$(counter warp_instructions "$folder/p3_wheel" $third)
holds "early exit" "$one" -gt $((2 * two))
holds "early exit behind the wheel" "$one" -gt $((2 * three))

# Nobody waits for anybody in p1 to p3.
holds "barriers of p3" "$(counter barriers "$folder/p3_wheel" $third)" -eq 0

# In p4 most instructions have 12 lanes of 32; in p5a the few that pass a sieve go on alone, and in p5b,
# packed, nearly all lanes work.
alone=$(counter active_lanes "$folder/p4_miller_rabin" 18446744073709551557)
single=$(counter active_lanes "$folder/p5a_batch" --n 16384)
packed=$(counter active_lanes "$folder/p5b_packed" --n 16384)
primes=$(counter active_lanes "$folder/p5b_packed" --n 16384 --primes)
holds "lanes of p4" "$alone" -le 1300
holds "lanes of p5a" "$single" -le 400
holds "lanes of p5b" "$packed" -ge 2400
holds "lanes of p5b with primes alone" "$primes" -ge 2700

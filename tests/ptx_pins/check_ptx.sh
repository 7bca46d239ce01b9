#!/bin/sh
# check_ptx.sh EMU PROGRAM SOURCE: what a step's PTX must say, so that no assembler decides instead.
#
#   rounding  no product without a rounding of its own feeds a sum without one: the assembler may fuse
#             the two, or not, and the result would depend on it
#   pins      every loop that SOURCE keeps rolled (#pragma unroll 1) is kept rolled
#
# Prints a line for each fault and exits with 1 if there is any, with 77 if there is no PTX.
set -eu

emu=$1
program=$2
source=$3

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if ! "$emu" --ptx "$program" >"$scratch/ptx" 2>"$scratch/error"; then
    cat "$scratch/error" >&2
    exit 1
fi

faults=0
awk '
    /\.(entry|func) / { split("", product) }
    { gsub(/[,;{}]/, " "); at = $1 ~ /^@/ ? 2 : 1; opcode = $at }
    opcode ~ /^(add|sub)(\.ftz)?(\.sat)?\.(f32|f64|f32x2)$/ {
        for (i = at + 2; i <= NF; i++)
            if ($i in product) {
                print "line " NR ": " $0 ": adds up the unrounded product of line " product[$i]
                bad = 1
            }
    }
    opcode ~ /^(mul|add|sub|fma|mov|ld|cvt|neg|selp)/ { delete product[$(at + 1)] }
    opcode ~ /^mul(\.ftz)?(\.sat)?\.(f32|f64|f32x2)$/ { product[$(at + 1)] = NR }
    END { exit bad }' "$scratch/ptx" >&2 || faults=1

wanted=$(grep -c '^ *#pragma unroll 1$' "$source" || true)
pinned=$(grep -c '\.pragma "nounroll"' "$scratch/ptx" || true)
if [ "$pinned" -lt "$wanted" ]; then
    echo "$source keeps $wanted loops rolled, its PTX $pinned" >&2
    faults=1
fi
exit $faults

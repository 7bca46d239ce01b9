#!/bin/sh
# SPDX-License-Identifier: MIT
# check_ptx.sh EMU PROGRAM SOURCE [PINS [LOADS]]: what a step's PTX must say, so that no assembler decides
# instead. PROGRAM may be PTX itself, NAME.ptx.
#
#   rounding  no product without a rounding of its own feeds a sum without one: the assembler may fuse
#             the two, or not, and the result would depend on it
#   pins      every loop that SOURCE keeps rolled (#pragma unroll 1) is kept rolled, told by the line
#             of its `for`
#   number    there are PINS of them at least, and as many as the head of SOURCE speaks of where it
#             says "Pinned:" that loops stay rolled
#   loads     there are just LOADS loads from global memory, all in rolled loops, where that is given:
#             what the compiler unrolls has more, and keeps but its remainder rolled
#
# Prints a line for each fault and exits with 1 if there is any; 2 if there is no PTX to look at.
set -eu

emu=$1
program=$2
source=$3
pins=${4:-0}
loads=${5-}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
case $program in
*.ptx) cp "$program" "$scratch/ptx" ;;
*) "$emu" --ptx "$program" >"$scratch/ptx" || exit 2 ;;
esac
if ! grep -q '\.entry' "$scratch/ptx"; then
    echo "$program has no kernel" >&2
    exit 2
fi

faults=0
awk '
    /\.(entry|func) / { split("", product) }
    { gsub(/[,;{}]/, " "); at = $1 ~ /^@/ ? 2 : 1; opcode = $at; to = $(at + 1) }
    opcode ~ /^(add|sub)(\.ftz)?(\.sat)?\.(f32|f64|f32x2)$/ {
        for (i = at + 2; i <= NF; i++)
            if ($i in product) {
                print "line " NR ": " $0 ": adds up the unrounded product of line " product[$i]
                bad = 1
            }
    }
    # A copy or a change of sign is no rounding.
    opcode ~ /^(mov|neg|abs)\./ && $(at + 2) in product { product[to] = product[$(at + 2)]; next }
    opcode ~ /^(mul|add|sub|fma|mov|ld|cvt|neg|abs|selp)\./ { delete product[to] }
    opcode ~ /^mul(\.ftz)?(\.sat)?\.(f32|f64|f32x2)$/ { product[to] = NR }
    END { exit bad }' "$scratch/ptx" >&2 || faults=1

# Loops nest: a line and a load belong to the innermost rolled one they stand in.
awk -v source="$source" -v expected="$pins" -v loads="$loads" '
    FILENAME == source && /^ \* Pinned:/ { head = 1 }
    FILENAME == source && /^ \* See:|\*\// { head = 0 }
    FILENAME == source && head { promise = promise " " $0 }
    FILENAME == source { if (/^ *#pragma unroll 1$/) { pin[FNR + 1]; pins++ } next }
    /^\$[A-Za-z0-9_]*:/ { label = $1; sub(/:.*/, "", label) }
    /\.pragma "nounroll"/ { loop[++depth] = label }
    depth && $1 == ".loc" { rolled[$3] }
    /ld\.global/ { if (depth) found++; else outside++ }
    depth && /bra/ { to = $NF; sub(/;/, "", to); if (to == loop[depth]) depth-- }
    END {
        for (line in pin)
            if (!(line in rolled)) {
                print source ":" line ": this loop is not kept rolled"
                bad = 1
            }
        promised = promise ~ /rolled/ ? promise ~ /both loops|and so does/ ? 2 : 1 : 0
        if (pins < expected) {
            print source ": #pragma unroll 1 is there " pins + 0 " times, not " expected
            bad = 1
        }
        if (pins < promised) {
            print source ": its head promises rolled loops, " promised ", and #pragma unroll 1" \
                " is there " pins + 0 " times"
            bad = 1
        }
        if (loads != "" && found + 0 != loads) {
            print "the rolled loops load " found + 0 " times from global memory, not " loads
            bad = 1
        }
        if (loads != "" && outside) {
            print "outside of rolled loops it loads " outside " times from global memory"
            bad = 1
        }
        exit bad
    }' "$source" "$scratch/ptx" >&2 || faults=1
exit $faults

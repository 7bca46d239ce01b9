#!/bin/sh
# SPDX-License-Identifier: MIT
# registers.sh EMU NVCC SOURCE: the registers that emu reports are those that ptxas reports, for
# each GPU that the program has machine code for, however the fat binary is packed.
set -eu

emu=$1 nvcc=$2 source=$3
work=$(mktemp -d "${TMPDIR:-/tmp}/registers.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Lines "heavy 124" of what ptxas says about one GPU.
said() {
    awk -v gpu="'$1'" '
        /Compiling entry function/ { split($0, name, "\047"); right = $NF == gpu }
        right && /Used [0-9]+ registers/ {
            match(name[2], /(heavy|bounded|promised|limited)/)
            kernel = substr(name[2], RSTART, RLENGTH)
            match($0, /Used [0-9]+/)
            print kernel, substr($0, RSTART + 5, RLENGTH - 5)
        }' "$work/log" | sort
}

newer='-gencode arch=compute_90,code=sm_90' # in one of the packings
for packing in none size; do
    # shellcheck disable=SC2086 # words
    "$nvcc" -O3 -cudart shared -Xptxas -v -Xfatbin -compress-mode=$packing \
        -gencode arch=compute_75,code=compute_75 -gencode arch=compute_75,code=sm_75 $newer \
        -o "$work/program" "$source" 2>"$work/log"
    for pair in default:sm_75 ${newer:+h100:sm_90}; do
        "$emu" --gpu "${pair%:*}" "$work/program" 2>/dev/null | grep -E '^[a-z]+ [0-9]+$' |
            sort >"$work/shown"
        said "${pair#*:}" >"$work/expected"
        [ "$(wc -l <"$work/expected")" -ge 3 ]
        diff "$work/expected" "$work/shown"
    done
    newer=
done

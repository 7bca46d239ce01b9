#!/bin/sh
# SPDX-License-Identifier: MIT
# collisions.sh CHECKOUT [EXPECTED]: how many of the multiply-adds in the main loop of s10, s10b, s16's
# kernel of 64 x 256, and s10b with the words of its pairs the other way round must read two registers
# from the same half of the register file. With EXPECTED: is it what that file says? It was counted with
# nvcc 13.0; of another nvcc it is enough that more than half collide the other way round, and less than
# a tenth else. Exits with 77 where nvdisasm is missing.
#
# Registers of one parity are in one half. What an instruction marks .reuse, the next one need not read
# again if it is the same register at the same place.
set -eu

checkout=$1
expected=${2:-}
nvcc=${NVCC:-nvcc}
nvdisasm=${NVDISASM:-nvdisasm}
command -v "$nvdisasm" >/dev/null || exit 77
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# count NAME STEP FOLDER KERNEL: the line of the kernel whose mangled name has KERNEL.
count()
{
    "$nvcc" -std=c++17 -arch=sm_90 -cubin -o "$scratch/cubin" \
        -I "$checkout/base" -I "$checkout/common" -I "$3" \
        -DSTEP_CHAPTER='""' -DSTEP_NAME='""' -DSTEP_TITLE='""' -DSTEP_MINIMUM=90 "$3/$2.cu"
    "$nvdisasm" -c "$scratch/cubin" | awk -v name="$1" -v kernel="$4" '
        /^\.text\./ { mine = index($0, kernel) }
        !mine { next }
        /^\.L_x_[0-9]+:/ { sub(/:.*/, ""); products[$0] = total; collisions[$0] = bad }
        / BRA / && match($0, /\.L_x_[0-9]+/) {
            label = substr($0, RSTART, RLENGTH)
            if (label in products && total - products[label] == 2048) result = bad - collisions[label]
        }
        / FFMA / {
            total++
            sub(/.* FFMA /, "")
            sub(/ ;.*/, "")
            split($0, operand, /, */)
            split("", read)
            half[0] = half[1] = 0
            for (i = 2; i <= 4; i++) {
                again = sub(/\.reuse/, "", operand[i])
                number = substr(operand[i], 2)
                if (operand[i] ~ /^R[0-9]/ && kept[i] != number && !(number in read)) {
                    read[number] = 1
                    half[number % 2]++
                }
                keep[i] = again ? number : ""
            }
            for (i = 2; i <= 4; i++) kept[i] = keep[i]
            bad += half[0] > 1 || half[1] > 1
        }
        END {
            if (result == "") exit 1
            print name, result
        }' || {
        echo "collisions.sh: no loop of 2048 multiply-adds in $2" >&2
        exit 1
    }
}

# s10b with the upper row's sum first. What is read back then is wrong, but the main loop is what it would be.
mkdir "$scratch/turned"
cp "$checkout"/sgemm/*.cuh "$checkout"/sgemm/*.h "$checkout/sgemm/s10b_odd_rows.cu" "$scratch/turned"
sed -i 's/make_float2(sum\[i + 1\]\[j\], sum\[i\]\[j\])/make_float2(sum[i][j], sum[i + 1][j])/' \
    "$scratch/turned/s10b_odd_rows.cu"
{
    count s10 s10_ahead "$checkout/sgemm" sgemm
    count s10b s10b_odd_rows "$checkout/sgemm" sgemm
    count s10b_turned s10b_odd_rows "$scratch/turned" sgemm
    count s16 s16_by_shape "$checkout/sgemm" ILi64ELi256E
} >"$scratch/counted"
if [ -z "$expected" ]; then
    cat "$scratch/counted"
elif "$nvcc" --version | grep -q 'release 13\.0'; then
    grep -v '^#' "$expected" | diff "$scratch/counted" -
else
    awk '$1 ~ /turned/ ? $2 <= 1024 : $2 >= 204 { print; bad = 1 } END { exit bad || NR != 4 }' \
        "$scratch/counted"
fi

#!/bin/sh
# SPDX-License-Identifier: MIT
# registers.sh BUILD [PAGE...]: the table of registers and occupancy in docs/sgemm.md. With
# pages: is it in each of them? Exits with 77 where nvcc is not of the version that made it.
#
# Registers and static shared memory are what ptxas reports of the step's PTX for compute capability
# 9.0, threads and dynamic shared memory what the step reports on the emulator. An SM has 65536
# registers, given to warps in units of 256; 228 KB of shared memory, of which each block costs 1 KB
# more than it asks for; and room for 64 warps and 32 blocks.
set -eu

build=$1
shift
nvcc=${NVCC:-nvcc}
"$nvcc" --version | grep -q 'release 13\.0' || exit 77
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# row STEP NAME KERNEL [OPTION...]: the line of the kernel whose mangled name has KERNEL.
row()
{
    step=$1
    name=$2
    kernel=$3
    shift 3
    if [ ! -e "$scratch/$step" ]; then
        "$build/emulator/emu" --ptx "$build/sgemm/$step" >"$scratch/ptx"
        "${nvcc%nvcc}ptxas" -arch=sm_90 -v -o "$scratch/cubin" "$scratch/ptx" 2>"$scratch/$step"
    fi
    report=$("$build/emulator/emu" --gpu=h100 "$build/sgemm/$step" --n 65 --json "$@")
    threads=$(printf '%s\n' "$report" | sed 's/.*"block":\[\([0-9]*\),.*/\1/')
    dynamic=$(printf '%s\n' "$report" | sed 's/.*"shared_bytes":\([0-9]*\),.*/\1/')
    awk -v kernel="$kernel" -v name="$name" -v threads="$threads" -v dynamic="$dynamic" '
        function at_most(a, b) { return a < b ? a : b }
        /Compiling entry function/ { mine = index($0, kernel) }
        mine && /Used [0-9]+ registers/ {
            match($0, /Used [0-9]+/)
            registers = substr($0, RSTART + 5, RLENGTH - 5)
            static = 0
            if (match($0, /[0-9]+ bytes smem/))
                static = substr($0, RSTART, RLENGTH) + 0
            warps = threads / 32
            each = int((registers * 32 + 255) / 256) * 256 * warps
            blocks = at_most(int(65536 / each), int(228 * 1024 / (static + dynamic + 1024)))
            blocks = at_most(at_most(blocks, int(64 / warps)), 32)
            printf "| %s | %d | %d | %s %% |\n", name, registers, blocks, blocks * warps / 64 * 100
            found = 1
        }
        END { exit !found }' "$scratch/$step" || {
        echo "registers.sh: no kernel $kernel in $step" >&2
        exit 1
    }
}

table()
{
    row s01_paper_16x256 s01 sgemmILi256ELi2ELb1ELi32E
    for step in s02_register_tile s03_vector_loads s04_transposed s05_double_buffer s06_warp_tile \
        s07_wide_tile s08_async_copies s09_bulk_copies s10_ahead s10b_odd_rows s11_slices \
        s12_cluster; do
        row $step ${step%%_*} sgemm
    done
    row s13_row s13 multiply_row
    row s14_split s14 sgemm
    row s15_overlap s15 sgemm
    row s15b_last_wave s15b Li64ELi256E
    picked=0
    for shape in 32:64 64:128 64:256 64:192 128:256; do
        picked=$((picked + 1))
        row s16_by_shape "s16, ${shape%:*} x ${shape#*:}" "shapeILi${shape%:*}ELi${shape#*:}E" \
            --kernel $picked
    done
}

table >"$scratch/table"
[ $# -gt 0 ] || sed '1i\
| step | registers per thread | blocks per SM | occupancy |\
|---|---:|---:|---:|' "$scratch/table"
for page; do
    sed -n '/<!-- registers -->/,/<!-- \/registers -->/s/^| s\([0-9]\)/| s\1/p' "$page" >"$scratch/page"
    # The Chinese page has another comma.
    sed 's/，/, /' "$scratch/page" | diff "$scratch/table" - || {
        echo "$page: its table is not what ptxas and the steps say (left)" >&2
        exit 1
    }
done

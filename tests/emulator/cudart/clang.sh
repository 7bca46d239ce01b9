#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that clang compiles for CUDA, host and device, runs under emu, checkers and counters included.
#
# usage: clang.sh EMU PROGRAM.cu TOOLKIT WORK
#
# Exit code 77 where there is no clang that takes this toolkit: clang 19 takes 12.5 and older ones.
set -eu
emu=$1 source=$2 toolkit=$3 work=$4

fail() {
    echo "clang: $1" >&2
    exit 1
}

# compile FILE: into $work/program.
compile() {
    PATH=$toolkit/bin:$PATH "$clang" -x cuda --cuda-path="$toolkit" --cuda-gpu-arch=sm_75 -O2 \
        -Wno-unknown-cuda-version -gline-tables-only "$1" -o "$work/program" \
        -L"$toolkit/lib64" -lcudart >"$work/log" 2>&1
}

mkdir -p "$work"
echo 'int main() { return 0; }' >"$work/empty.cu"
for clang in $(printf 'clang++-%s ' 25 24 23 22 21 20 19 18 17 16) clang++ none; do
    [ "$clang" != none ] || exit 77
    ! command -v "$clang" >/dev/null || ! compile "$work/empty.cu" || break
done
compile "$source" || fail "$(cat "$work/log")"
"$emu" --check=all --error-exitcode=9 "$work/program" >"$work/out" 2>"$work/said" ||
    fail "exit code $?: $(cat "$work/said")"
printf 'hello from thread 0\nhello from thread 1\ncudaSuccess, 3\n' | diff "$work/out" - >&2 || fail "other output"
"$emu" --profile=json "$work/program" 2>&1 >/dev/null | grep -q '"global_stores": *[1-9]' || fail "no stores are counted"

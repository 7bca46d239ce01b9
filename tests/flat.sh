#!/bin/sh
# SPDX-License-Identifier: MIT
# flat.sh FLAT LEAN SOURCE NVCC...: the headers that Flat.cmake keeps make the same text of a source as
# the files themselves do, but for white space, for the host and for a GPU.
set -eu
flat=$1 lean=$2 source=$3
shift 3

for pass in -DANY -Xcompiler=-U__CUDA_ARCH__,-UCUDA_DOUBLE_MATH_FUNCTIONS; do
    for kept in -DANY "-I$flat"; do
        "$@" "$pass" "$kept" "-I$lean" -Xcompiler=-P "$source" | tr -d ' \t\n' | cksum
    done | uniq
done >texts
[ "$(wc -l <texts)" -eq 2 ] || { echo "the texts differ" >&2; cat texts >&2; exit 1; }

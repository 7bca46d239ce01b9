#!/bin/sh
# SPDX-License-Identifier: MIT
# step_lengths.sh CHECKOUT: a step has at most 100 lines, so that one reads it in two minutes; fft's f10
# and the program that ends sgemm have at most 120. Names each that is longer.
set -eu

cd "$1"
sed -n 's|^add_step(\([a-z]*\) \([a-z0-9_]*\).*|\1/\2.cu|p' ./*/CMakeLists.txt | {
    wrong=0
    while read -r step; do
        case $step in
        sgemm/s16_* | fft/f10_*) most=120 ;;
        *) most=100 ;;
        esac
        lines=$(wc -l <"$step")
        if [ "$lines" -gt "$most" ]; then
            echo "$step: $lines lines, allowed are $most"
            wrong=1
        fi
    done
    exit $wrong
}

#!/bin/sh
# SPDX-License-Identifier: MIT
# lengths.sh CHECKOUT: no file of C or CUDA C has more than 700 lines, and no function more than 60
# between its braces. Names each that is longer.
set -eu

files=$(sh "$(dirname "$0")/sources.sh" "$1" | grep -v '\.def$')
cd "$1"
# shellcheck disable=SC2086 # names of files have no spaces
awk '
    function fault(name, lines, most) { print name ": " lines " lines, allowed are " most; wrong = 1 }
    function end_file() { if (length_of > 700) fault(file, length_of, 700) }
    FNR == 1 { end_file(); file = FILENAME; open = 0 }
    { length_of = FNR }
    /^\{/ { open = FNR }
    /^\}/ && open {
        if (FNR - open - 1 > 60) fault(file ":" open, FNR - open - 1, 60)
        open = 0
    }
    END { end_file(); exit wrong }' $files

#!/bin/sh
# SPDX-License-Identifier: MIT
# lengths.sh CHECKOUT: no file of C or CUDA C has more than 700 lines, and no function more than 60
# between its braces; of the cycle model of time none has more than 600 and 45. Names each that is
# longer.
set -eu

files=$(sh "$(dirname "$0")/sources.sh" "$1" | grep -v '\.def$')
cd "$1"
# shellcheck disable=SC2086 # names of files have no spaces
awk '
    function of_model() { return file ~ /^emulator\/time\/cycle/ }
    function fault(name, lines, most) { print name ": " lines " lines, allowed are " most; wrong = 1 }
    function end_file() { if (length_of > longest) fault(file, length_of, longest) }
    FNR == 1 {
        end_file()
        file = FILENAME
        open = 0
        longest = of_model() ? 600 : 700
        most = of_model() ? 45 : 60
    }
    { length_of = FNR }
    /^\{/ { open = FNR }
    /^\}/ && open {
        if (FNR - open - 1 > most) fault(file ":" open, FNR - open - 1, most)
        open = 0
    }
    END { end_file(); exit wrong }' $files

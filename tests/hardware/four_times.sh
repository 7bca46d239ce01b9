#!/bin/sh
# SPDX-License-Identifier: MIT
# four_times.sh EMU H02: on the 8800 GT a stride of 4 takes 4 times the time of a stride of 1, within a
# tenth, once what both have in common is taken off: they are run at two sizes.
set -eu

ms()
{
    "$1" --gpu geforce-8800-gt "$2" --variant "$3" --n "$4" --json |
        sed -n 's/.*"median":\([0-9.e-]*\).*/\1/p'
}
one=$(ms "$1" "$2" stride_1 10752)
one_more=$(ms "$1" "$2" stride_1 21504)
four=$(ms "$1" "$2" stride_4 10752)
four_more=$(ms "$1" "$2" stride_4 21504)
awk "BEGIN { ratio = ($four_more - $four) / ($one_more - $one)
    print \"a stride of 4 takes \" ratio \" times as long\"
    exit !(ratio >= 3.6 && ratio <= 4.4) }"

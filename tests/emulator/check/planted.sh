#!/bin/sh
# SPDX-License-Identifier: MIT
# Is a planted bug found, at its line, and its repaired twin clean?
#
#   planted.sh EMU PROGRAM SOURCE KIND NAME GPU
#
# The line to find is the one of SOURCE that says "PLANTED: NAME"; where none does, the bug is the
# host's and has no line. There are hundreds of these: no more processes are started than it takes.
emu=$1 program=$2 source=$3 kind=$4 name=$5 gpu=$6
new_line='
'

fail()
{
    echo "$name: $1"
    echo "$out"
    exit 1
}

# says PATTERN: is there something like it in what emu said, as lines that begin and end with $new_line?
says()
{
    # shellcheck disable=SC2254 # a pattern it is
    case $new_line$out$new_line in
    *$1*) ;;
    *) return 1 ;;
    esac
}

# The closing line, without how it begins.
closing()
{
    says "${new_line}emu: checked, " || fail "no closing line"
    closing=${new_line}$out
    closing=${closing#*"${new_line}emu: checked, "}
    closing=${closing%%"$new_line"*}
}

code=0
out=$("$emu" --gpu="$gpu" --check="$kind" --error-exitcode 9 "$program" "$name" 2>&1) || code=$?
[ $code -eq 9 ] || fail "not reported"
says "${new_line}emu: $kind: " || fail "no report of kind $kind"
closing
case $closing in
*"$kind "[1-9]*) ;;
*) fail "no closing line that counts it" ;;
esac

line=$(grep -n "PLANTED: $name\$" "$source")
if [ -n "$line" ]; then
    says "${source##*/}:${line%%:*}[!0-9]" || fail "line ${line%%:*} is not named"
fi

for order in forward reverse random:3; do
    out=$("$emu" --gpu="$gpu" --check=all,leak --schedule=$order --error-exitcode 9 \
        "$program" "$name" repaired 2>&1) ||
        fail "the repaired twin is reported, schedule $order"
    closing
    [ "$closing" = "0 reports: memory 0, race 0, sync 0, init 0, leak 0" ] ||
        fail "the repaired twin has no clean closing line"
done

#!/bin/sh
# SPDX-License-Identifier: MIT
# table.sh TOUR BUILD GPU STEP [ARGUMENT...] -- [VARIANT COLUMN VALUE]...: the table that the runner
# prints for a step of the chapter on an emulated GPU says so. VALUE may be "absent": an empty cell; or
# >N, <N: a number on that side.
set -eu

tour=$1
build=$2
gpu=$3
step=$4
shift 4
options=
while [ "$1" != -- ]; do
    options="$options $1"
    shift
done
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# shellcheck disable=SC2086 # words
"$tour" --build "$build" --on emulator --gpu "$gpu" --markdown $options run "hardware/$step" \
    >"$scratch/table"
faults=0
while [ $# -gt 0 ]; do
    awk -F ' *[|] *' -v variant="$1" -v name="$2" -v wanted="$3" '
        /^[|] variant / { for (i = 2; i < NF; i++) column[$i] = i }
        $2 == variant && name in column { found = 1; value = $column[name]; gsub(/ /, "", value) }
        END {
            if (!found)
                value = "no such row or column"
            else if (wanted == "absent")
                exit value != ""
            else if (wanted ~ /^>/)
                exit !(value + 0 > substr(wanted, 2) + 0)
            else if (wanted ~ /^</)
                exit !(value + 0 < substr(wanted, 2) + 0)
            else
                exit value != wanted
        }
        END { if (!found) exit 1 }' "$scratch/table" || {
        echo "$step on $gpu: $1, $2 is not $3" >&2
        faults=1
    }
    shift 3
done
[ $faults -eq 0 ] || cat "$scratch/table" >&2
exit $faults

# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# shellcheck disable=SC1091,SC2034,SC2154
# What the steps of this folder share. `checking` and `schedule` come from the emulator's stand-in.
. "${0%/*}/../../fixture/report.sh"

# matches, mismatches: the report, without an exit.
matches()
{
    report course "${0##*/}" match 1 4.19 0.0131
}

mismatches()
{
    FAKE_WHY='"block 3 is 7, not 8"'
    report course "${0##*/}" mismatch 1 4.19 0.0131
}

# finding KIND WHAT [LINE...]: as a checker reports it.
finding()
{
    [ -n "$checking" ] || return 0
    echo "emu: $1: $2" >&2
    shift 2
    for line in "$@"; do
        echo "emu:     $line" >&2
    done
}

a_race()
{
    finding race '4 bytes of shared memory at 0x80, byte 128 of __shared__ sums, kernel add, kernel two' \
        'store at course/k.cu:8, block (0,0,0), thread (32,0,0)' \
        'load at course/k.cu:13, block (0,0,0), thread (0,0,0)' \
        'different warps: no barrier of the block orders them' '32 times'
}

# account COUNT...: the checkers' last line, a count for each of memory, race, sync, init and leak.
account()
{
    [ -z "$checking" ] ||
        echo "emu: checked, $(($1 + $2 + $3 + $4 + $5)) reports: memory $1, race $2, sync $3, init $4, leak $5" >&2
}

#!/bin/sh
# SPDX-License-Identifier: MIT
# test_floors.sh FLOORS CHECKOUT: what the script makes of a house in order, and of each way to be out
# of order.
set -eu
. "$(dirname "$0")/../refused.sh"

floors=$1
checkout=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/docs" "$folder/tests/style"
cp "$checkout/docs/emulator-inside.md" "$folder/docs"

# plant FILE LINE: the house in order, but for that line at the end of that file.
plant() {
    rm -rf "$folder/emulator"
    cp -r "$checkout/emulator" "$folder/emulator"
    cp "$checkout/tests/style/arrows.txt" "$folder/tests/style"
    echo "$2" >>"$folder/$1"
}

# refused MESSAGE
refused()
{
    expect_refusal "$1" sh "$floors" "$folder"
}

table=tests/style/arrows.txt
plant $table 'emulator/machine: emulator/ptx base'
sh "$floors" "$folder"
plant $table 'emulator/machine: emulator/time'
refused "machine/ includes time/, from above"
plant $table 'emulator/isa: emulator emulator/ptx'
refused "isa/ includes ptx/, from above"
plant $table 'emulator/time: emulator/cudart'
refused "time/ includes cudart/, from above"
plant $table 'emulator/attic: emulator/ptx'
refused "attic/ is on no floor"
plant $table 'emulator/ptx: emulator/attic'
refused "ptx/ includes attic/, which is on no floor"
plant emulator/ptx/lexer.c '#include "../machine/machine.h"'
refused "includes past its folder"

#!/bin/sh
# SPDX-License-Identifier: MIT
# same_output.sh EMU PROGRAM: PROGRAM prints the same with the real library as on the emulator.
set -eu
real=$("$2")
ours=$("$1" "$2")
[ "$real" = "$ours" ] || { echo "real library:"; echo "$real"; echo "emu:"; echo "$ours"; exit 1; }

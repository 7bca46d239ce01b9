#!/bin/sh
# SPDX-License-Identifier: MIT
# test_floors.sh FLOORS CHECKOUT: what the script makes of a house in order, and of each way to be out
# of order.
set -eu

floors=$1
checkout=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/docs"
cp "$checkout/docs/emulator-inside.md" "$folder/docs"

# plant FILE LINE: the house in order, but for that line at the end of that file.
plant() {
    rm -rf "$folder/emulator"
    cp -r "$checkout/emulator" "$folder/emulator"
    mkdir -p "$folder/$(dirname "$1")"
    echo "$2" >>"$folder/$1"
}

# refused MESSAGE
refused() {
    if said=$(sh "$floors" "$folder"); then
        echo "passes, but should say: $1" >&2
        exit 1
    fi
    case $said in
    *"$1"*) ;;
    *)
        echo "says '$said' instead of '$1'" >&2
        exit 1
        ;;
    esac
}

plant emulator/machine/launch.c '#include "ptx/ptx.h"'
sh "$floors" "$folder"
plant emulator/machine/execute/move.c '#include "time/timing.h"'
refused "machine/ includes time/, from above"
plant emulator/isa/types.c '#include "ptx/ptx.h"'
refused "isa/ includes ptx/, from above"
plant emulator/time/plain.c '#include "cudart/settings.h"'
refused "time/ includes cudart/, from above"
plant emulator/time/plain.c '#include "profile/profile.h"'
refused "folders include each other in a circle"
plant emulator/ptx/lexer.c '#include "../machine/machine.h"'
refused "includes past its folder"
plant emulator/attic/box.c '#include "ptx/ptx.h"'
refused "attic/ is on no floor"
plant emulator/ptx/lexer.c '#include "attic/box.h"'
refused "includes attic/, which is on no floor"

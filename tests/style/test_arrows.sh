#!/bin/sh
# SPDX-License-Identifier: MIT
# test_arrows.sh ARROWS: what the script makes of a tree in order, and of each way to be out of order.
set -eu

arrows=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# file NAME INCLUDED...: a file that includes those.
file()
{
    name=$folder/tree/$1
    shift
    mkdir -p "${name%/*}"
    for included; do
        printf '#include "%s"\n' "$included"
    done >"$name"
}

# The tree in order, and its table.
anew()
{
    rm -rf "$folder/tree"
    file base/number.h
    file emulator/emu.h
    file emulator/isa/isa.h
    file emulator/ptx/ptx.h isa/isa.h emu.h number.h
    file emulator/ptx/parser.c lexer.h ptx/ptx.h made.inc
    file emulator/ptx/lexer.h
    file tools/check.h
    file tools/tour.c check.h
    file chapter/check.h
    file chapter/a.c b.h check.h
    file chapter/a.h
    file chapter/b.c a.h
    file chapter/b.h
    file tests/test.c ../tools/check.h
    for list in base emulator tools chapter tests; do
        : >"$folder/tree/$list/CMakeLists.txt"
    done
    cat >"$folder/table" <<'END'
# A comment.
emulator/ptx: base emulator emulator/isa
tests: tools
knot: chapter/b chapter/a
END
}

# hears MESSAGE: the script says so and fails; without one it passes.
hears()
{
    code=0
    said=$(sh "$arrows" "$folder/tree" "$folder/table") || code=$?
    expected=0
    [ -z "$1" ] || expected=1
    if [ "$said" != "$1" ] || [ $code != $expected ]; then
        echo "says '$said' with $code instead of '$1'" >&2
        exit 1
    fi
}

anew
hears ''
file emulator/isa/types.c emu.h
hears 'emulator/isa/types.c:1: emulator/isa/ includes emulator/'
anew
file base/number.c number.h isa/isa.h
hears 'base/number.c:2: base/ includes emulator/isa/'
anew
file chapter/c.c ../tools/tour.c
hears 'chapter/c.c:1: chapter/ includes tools/'
anew
file chapter/c.c number.h
hears 'chapter/c.c:1: chapter/ includes base/'
anew
file base/number.c check.h
hears 'base/number.c:1: which check.h? chapter/check.h tools/check.h'
echo 'base: tools' >>"$folder/table"
hears ''
file base/number.c nowhere.h
hears 'base/number.c:1: no nowhere.h?
the table: base/ includes nothing of tools/'
anew
sed -i 's/tests: tools/tests: tools base/' "$folder/table"
hears 'the table: tests/ includes nothing of base/'
anew
echo 'emulator/isa: emulator/ptx' >>"$folder/table"
file emulator/isa/types.c ptx/ptx.h
hears 'folders include each other in a circle: emulator/isa emulator/ptx'
anew
file tools/check.c check.h tour.h
file tools/tour.h
hears 'need each other in a circle: tools/check tools/tour'
echo 'knot: tools' >>"$folder/table"
hears ''
anew
file chapter/check.c check.h a.h
file chapter/b.h check.h
hears 'need each other in a circle: chapter/a chapter/b chapter/check
the table: no knot any more: chapter/a chapter/b'
anew
file chapter/b.c
hears 'the table: no knot any more: chapter/a chapter/b'
anew
echo 'knot: tools' >>"$folder/table"
hears 'the table: no knot any more: tools'

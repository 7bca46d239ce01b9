#!/bin/sh
# SPDX-License-Identifier: MIT
# test_messages.sh MESSAGES CHECKOUT: what the script makes of things said with and without Chinese.
set -eu
. "$(dirname "$0")/../refused.sh"

messages=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/tools/practice" "$folder/emulator/check" "$folder/emulator/launcher" \
    "$folder/emulator/profile"
cp -R "$2/base" "$folder"
: >"$folder/table"
for file in tools/one.c tools/practice/two.c emulator/check/three.c emulator/launcher/emu.c \
    emulator/profile/names.h; do
    printf 'complain("cannot read %%s: %%s", a, b); /* "a comment is not said" */\n' >"$folder/$file"
done
# shellcheck disable=SC2016 # it is the script's to expand
echo 'die "cannot write $file"' >"$folder/tour"
cp "$folder/tour" "$folder/tools/new"
sh "$messages" "$folder" "$folder/table"

# refused MESSAGE
refused()
{
    expect_refusal "$1" sh "$messages" "$folder" "$folder/table"
}

for file in tools/one.c tools/practice/two.c emulator/check/three.c emulator/launcher/emu.c \
    emulator/profile/names.h; do
    cp "$folder/$file" "$folder/kept"
    printf 'say("%%zu bytes of what"\n    " %%" PRIu64 " is new", a, b);\n' >>"$folder/$file"
    refused '7 bytes of what 7 is new'
    cp "$folder/kept" "$folder/$file"
done
# shellcheck disable=SC2016 # likewise
echo 'say "there is $x of it, ${y:-none} new"' >>"$folder/tour"
refused 'there is 7 of it, 7 new'
echo 'there is 7 of it, 7 new' >"$folder/table"
sh "$messages" "$folder" "$folder/table"
echo 'nobody says that' >>"$folder/table"
refused 'nobody says that'

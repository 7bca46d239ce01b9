#!/bin/sh
# SPDX-License-Identifier: MIT
# emu where /proc is empty, as in a bare chroot: no_proc.sh EMU PROGRAM. Also by a link, by a name
# relative to the folder, from the path, and with the checkers. Exits with 77 where it may not
# hide /proc.
set -eu

emu=$1 program=$2
hidden='mount -t tmpfs none /proc'
unshare -rm sh -c "$hidden" 2>/dev/null || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
ln -s "$emu" "$folder/link"

try()
{
    out=$(unshare -rm sh -c "$hidden; $*" emu "$emu" "$program" "$folder" 2>&1 >"$folder/said") ||
        { echo "$*: $out"; exit 1; }
    grep -q '^hello from thread 1$' "$folder/said" || { echo "$*: $(cat "$folder/said")"; exit 1; }
}

# shellcheck disable=SC2016 # the inner shell's
{
    try '"$1" "$2"'
    try '"$3/link" --check=all --profile "$2"'
    try 'cd "${1%/*}" && ./emu "$2"'
    try 'PATH=${1%/*}:$PATH emu "$2"'
}

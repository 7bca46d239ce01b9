#!/bin/sh
# SPDX-License-Identifier: MIT
# same_file.sh EMU GPU PROGRAM [ARGUMENT...]: the same trace, again and again and with any number of
# workers.
set -eu

emu=$1
gpu=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for kind in html json; do
    for workers in 1 2 3 7; do
        "$emu" --gpu "$gpu" --workers $workers --trace="$folder/$workers.$kind" "$@" >/dev/null
        cmp "$folder/1.$kind" "$folder/$workers.$kind"
    done
    "$emu" --gpu "$gpu" --workers 1 --trace="$folder/again.$kind" "$@" >/dev/null
    cmp "$folder/1.$kind" "$folder/again.$kind"
done

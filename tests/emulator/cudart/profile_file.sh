#!/bin/sh
# SPDX-License-Identifier: MIT
# profile_file.sh EMU PROGRAM UNSTARTABLE: which files --profile-file and --profile=FORMAT:FILE change,
# and when. UNSTARTABLE is a program whose loader does not exist.
set -eu
. "$(dirname "$0")/../ends.sh"

emu=$1
program=$2
unstartable=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# keeps FILE...: each is as it was.
keeps()
{
    for file in "$@"; do
        cmp -s "$file" "$file.before" || wrong "$file has changed"
    done
}

cp "$program" vadd
echo '{"of": "an earlier run"}' >a.json
echo '{"of": "another run"}' >b.json
echo '__global__ void f() {}' >f.cu
for file in vadd a.json b.json f.cu; do
    cp "$file" "$file.before"
done

# The command line is wrong: nothing is touched.
ends 2 'no program to run' --profile --profile-file ./vadd
ends 2 'no program to run' --profile --profile-file=a.json
ends 2 'no program to run' --profile=json:a.json
ends 2 'unknown option' --profile=json:a.json --frobnicate ./vadd
ends 2 "no GPU 'none'" --profile=json:a.json --gpu none ./vadd
ends 2 "'xml'" --profile=xml:a.json ./vadd
ends 127 'No such file' --profile=json:a.json ./nowhere
keeps vadd a.json

# What emu did not write, this program or another or its source, is never written over.
ends 2 'vadd is nothing that emu wrote' --profile --profile-file ./vadd ./vadd
ends 2 'vadd is nothing that emu wrote' --profile=json:vadd "$program"
ends 2 'f.cu is nothing that emu wrote' --profile=lines:f.cu ./vadd
keeps vadd f.cu

# Where it cannot be written.
ends 2 'cannot write /nowhere/a.json: No such file' --profile=json:/nowhere/a.json ./vadd
ends 2 "cannot write $PWD: Is a directory" --profile --profile-file "$PWD" ./vadd

# A program that cannot start leaves no file behind.
ends 126 "$unstartable: No such file" --profile=json:new.json "$unstartable"
[ ! -e new.json ] || wrong 'new.json was left behind'

# Of two files the last counts, and the other is not touched.
ends 0 '' --profile=json:a.json --profile-file b.json ./vadd
keeps a.json
grep -q '"kernels":\[{"name":"hello"' b.json || wrong 'b.json: no profile'

# A pipe.
"$emu" --profile=json:/dev/fd/3 ./vadd 3>&1 >/dev/null 2>said | grep -q '"name":"hello"' ||
    wrong 'no profile through a pipe'

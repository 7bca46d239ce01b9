#!/bin/sh
# SPDX-License-Identifier: MIT
# console.sh EMU BUILD PAGE...: what the pages show of a session is what happens. In a block that
# begins with ```console each line "$ emu ..." is a command; it is run with the programs of BUILD in
# the place of build/default, and must print the lines shown below it, on stdout or stderr, one after
# the other. A line "..." stands for any number of others. Addresses, folders before the name of a
# source and the versions of driver and toolkit may differ, and a program compiled with -g may say
# besides where memory was made.
#
# Below "<!-- change: NAME STEP -->", up to the next heading, a command runs STEP as changed there: the
# case NAME of the program tests/docs/changed_CHAPTER of BUILD.
set -eu

if [ $# -lt 3 ]; then
    echo "usage: console.sh EMU BUILD PAGE..." >&2
    exit 2
fi
emu=$1
build=$2
shift 2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

same_everywhere()
{
    sed -E -e 's/0x7[0-9a-f]{8,}/ADDRESS/g' -e 's/(driver|toolkit) [0-9]+\.[0-9]+/\1 N.N/g' \
        -e 's#(^|[ :])[^ :]*/([a-z]+/[A-Za-z0-9_]+\.(cu|cuh|h):)#\1\2#g' \
        -e 's/, made at [^ ,]+//'
}

# The commands of page $1 with what they print: files N.command, N.shown, N.line in the scratch folder.
take_apart()
{
    rm -f "$scratch"/[0-9]*
    awk -v scratch="$scratch" '
        /^```/ { code = !code; console = code && $0 == "```console"; shown = ""; next }
        !code && /^#/ { split("", changed) }
        !code && /^<!-- change: / { changed[$4] = $3 }
        console && /^\$ / {
            shown = scratch "/" ++count ".shown"
            printf "" >shown
            command = substr($0, 3)
            for (step in changed) {
                chapter = step
                sub(/\/.*/, "", chapter)
                sub("build/default/" step,
                    "build/default/tests/docs/changed_" chapter " " changed[step], command)
            }
            print command >(scratch "/" count ".command")
            print FNR >(scratch "/" count ".line")
            next
        }
        console && shown != "" { print >shown }' "$1"
}

# compare SHOWN PRINTED: names the first line of SHOWN that PRINTED lacks where it should stand.
compare()
{
    awk '
        NR == FNR { shown[++count] = $0; next }
        { printed[++total] = $0 }
        END {
            at = 1
            free = 0
            for (i = 1; i <= count; i++) {
                if (shown[i] == "...") { free = 1; continue }
                if (free)
                    while (at <= total && printed[at] != shown[i])
                        at++
                if (at > total || printed[at] != shown[i]) {
                    print "it does not print: " shown[i]
                    if (at <= total)
                        print "but: " printed[at]
                    exit 1
                }
                at++
                free = 0
            }
            if (!free && at <= total) {
                print "it goes on: " printed[at]
                exit 1
            }
        }' "$1" "$2"
}

commands=0
faults=0
for page; do
    take_apart "$page"
    for command in "$scratch"/*.command; do
        [ -e "$command" ] || continue
        commands=$((commands + 1))
        read -r emulator words <"$command"
        read -r line <"${command%.command}.line"
        if [ "$emulator" != emu ]; then
            echo "$page:$line: only commands that begin with emu are tried" >&2
            faults=$((faults + 1))
            continue
        fi
        words=$(printf '%s\n' "$words" | sed "s#build/default/#$build/#g")
        # stdbuf loads a library before AddressSanitizer's, if it is there.
        # shellcheck disable=SC2086 # words of a command line
        ASAN_OPTIONS=verify_asan_link_order=0 stdbuf -oL "$emu" $words >"$scratch/printed" 2>&1 || :
        same_everywhere <"$scratch/printed" >"$scratch/printed.same"
        same_everywhere <"${command%.command}.shown" >"$scratch/shown.same"
        if ! compare "$scratch/shown.same" "$scratch/printed.same" >"$scratch/fault"; then
            echo "$page:$line: emu $words" >&2
            sed 's/^/  /' "$scratch/fault" >&2
            faults=$((faults + 1))
        fi
    done
done
if [ "$commands" -eq 0 ]; then
    echo "no commands in: $*" >&2
    exit 1
fi
[ "$faults" -eq 0 ]

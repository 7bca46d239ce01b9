#!/bin/sh
# SPDX-License-Identifier: MIT
# promises.sh [--mend] ROOT BUILD: do the programs have what docs/stable.md promises, and does it promise
# what they have? Each list of the page stands between
#
#   <!-- promised: NAME -->   and   <!-- /promised -->
#
# and is held against the programs themselves: their --help, the CMake package and the schema of JSON.
# What has gone breaks the promise; what is new is to be promised, or it is not done yet. --mend writes
# the lists anew, in both languages; look at what it took away.
#
# Exit codes: 0 they agree; 1 they do not; 2 usage.
# shellcheck disable=SC2016 # backquotes of Markdown
set -eu

mend=''
if [ "${1-}" = --mend ]; then
    mend=yes
    shift
fi
[ $# -eq 2 ] || {
    echo "usage: promises.sh [--mend] ROOT BUILD" >&2
    exit 2
}
root=$1 build=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The options in a --help on stdin: those at the beginning of a row, and those behind a comma there.
options() {
    sed -n 's/^  \(--[a-z].*\)/\1/p' | sed 's/   .*//; s/, /\n/g' | sed -n 's/^\(--[a-z-]*\).*/\1/p'
}

# The keys of definition $1 of the schema, as its lines are laid out.
keys() {
    sed -n "/^    \"$1\": {/,/^    }/s/^        \"\([a-z_]*\)\": .*/\1/p" "$root/docs/schema.json"
}

# Every name of list $1, a line each, as the programs have it.
have() {
    case $1 in
    tour_modes) "$root/tour" --help | sed -n 's|^ *\./tour \([a-z][a-z]*\) .*|\1|p' ;;
    tour_options) "$root/tour" --help | options ;;
    emu_options) "$build/emulator/emu" --help | options ;;
    step_options) "$build/sumsq/v6_tree" --help | options ;;
    cmake) sed -n 's/^#   \([A-Z][A-Z]*\)  .*/\1/p' "$root/emulator/package/emuConfig.cmake" ;;
    json_*) keys "${1#json_}" ;;
    *) echo "there is no list '$1'" ;;
    esac | sort -u
}

# The names of list $2 of page $1.
promised() {
    sed -n "/^<!-- promised: $2 -->/,/^<!-- \/promised -->/p" "$1" | grep -o '`[^`]*`' | tr -d '`' | sort -u
}

# Writes list $2 of page $1 anew.
write_list() {
    have "$2" | sed 's/.*/`&`/' | paste -sd ' ' - >"$scratch/list"
    awk -v name="$2" -v list="$scratch/list" '
        $0 == "<!-- promised: " name " -->" { print; print ""; while ((getline line < list) > 0) print line; print ""; skip = 1 }
        /^<!-- \/promised -->/ { skip = 0 }
        !skip' "$1" >"$scratch/page"
    cp "$scratch/page" "$1"
}

faults=0
for page in "$root/docs/stable.md" "$root/docs/zh/stable.md"; do
    lists=$(sed -n 's/^<!-- promised: \(.*\) -->$/\1/p' "$page")
    for list in tour_modes tour_options emu_options step_options cmake json_results json_result json_checkup json_verdict json_finding json_step \
        json_device json_profile json_kernel; do
        case $lists in
        *$list*) ;;
        *) echo "${page#"$root"/}: no list '$list'" && faults=1 ;;
        esac
    done
    for list in $lists; do
        [ -z "$mend" ] || write_list "$page" "$list"
        have "$list" >"$scratch/have"
        [ -s "$scratch/have" ] || { echo "$list: nothing was found" && faults=1; }
        promised "$page" "$list" >"$scratch/promised"
        diff "$scratch/promised" "$scratch/have" >"$scratch/diff" && continue
        faults=1
        sed -n "s|^< \(.*\)|${page#"$root"/}: $list: \1 is promised and has gone|p
            s|^> \(.*\)|${page#"$root"/}: $list: \1 is not promised|p" "$scratch/diff"
    done
done
exit $faults

#!/bin/sh
# SPDX-License-Identifier: MIT
# messages.sh CHECKOUT TABLE: what tools, launcher and checkers say, and what is counted, has its
# Chinese in base/messages.def (or base/words.def), and so has what the scripts tour and tools/new
# say.
#
# Taken for something that is said: each string of C with two English words in it, a 7 in the place
# of each conversion, and each argument of say, die and refuse in the scripts. The report speaks both
# languages by itself, and what only the tests of puzzles run speaks English. TABLE has those that no
# person reads, or that are parts of others, a line each. Names each that has no Chinese, and each
# line of the table that nothing says any more.
set -eu

table=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cd "$1"
export LC_ALL=C
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The strings of C files on stdin, joined where they are neighbours, a line each.
strings_of_c()
{
    awk '
        function flush() {
            if (text != "") { gsub(/%%/, "\001", text); print text }
            text = ""
        }
        function take(string) {
            gsub(/\\"/, "\"", string)
            gsub(/\\n/, "\n", string)
            gsub(/\\(033|r|t)/, "", string)
            text = text string
        }
        /^ *#/ { next }
        {
            line = $0
            while (line != "") {
                if (inside) {
                    if (!match(line, /\*\//)) next
                    line = substr(line, RSTART + 2); inside = 0
                } else if (line ~ /^\/\*/) {
                    inside = 1; line = substr(line, 3)
                } else if (match(line, /^"([^"\\]|\\.)*"/)) {
                    take(substr(line, 2, RLENGTH - 2)); line = substr(line, RLENGTH + 1)
                } else if (match(line, /^\047([^\047\\]|\\.)*\047/)) {
                    flush(); line = substr(line, RLENGTH + 1)
                } else if (match(line, /^[ \t]+/)) {
                    line = substr(line, RLENGTH + 1)
                } else if (match(line, /^PRI[a-zX]*[0-9]*/) && text ~ /%$/) {
                    text = text "u"; line = substr(line, RLENGTH + 1)
                } else {
                    flush(); line = substr(line, 2)
                }
            }
        }
        END { flush() }'
}

# What the scripts say, a 7 in the place of each expansion.
strings_of_sh()
{
    sed -e ':join' -e '/\\$/{N;s/" *\\\n *"/ /;s/ *\\\n */ /;b join' -e '}' tour tools/new |
        sed -n 's/.*\(say\|die\|refuse\) "\(.*\)/\2/p; s/^usage="\(.*\)/\1/p' |
        sed 's/\([^\\]\)".*/\1/; s/\$([^()]*\(([^()]*)[^()]*\)*)/7/g; s/\${[^}]*}/7/g; s/\$[a-z_0-9*@]*/7/g'
}

{
    for file in tools/*.c tools/practice/*.c serve/*.c emulator/check/*.c emulator/launcher/emu.c \
        emulator/profile/names.h; do
        case ${file##*/} in
        report*.c | html.c | roofline.c | prove.c | trial_gpu.c) ;;
        *) [ ! -f "$file" ] || cat "$file" ;;
        esac
    done | strings_of_c |
        sed 's/%[-+ 0#]*[0-9*]*\(\.[0-9*]*\)\{0,1\}\(hh\|h\|ll\|l\|z\|j\)\{0,1\}[diouxXeEfgGscp]/7/g' |
        tr '\001' '%'
    strings_of_sh
    sed -n 's/.*"\([a-z][^":]*\): .* [<>=]= .*/\1/p' puzzles/*/check.c # what their goals count
} | sed 's/^[ .]*//; s/ *$//; s/^emu: *//; s/^tour: *//' |
    grep -E '^[^<].*[A-Za-z]{2,}[ ,:;]+[a-z]{2,}' | sort -u >"$folder/said"
awk -f base/translate.awk base/messages.def "$folder/said" >"$folder/chinese"
grep -v '^#' "$table" | sort >"$folder/table"
paste -d '\t' "$folder/said" "$folder/chinese" | awk -F '\t' '$1 == $2 { print $1 }' >"$folder/english"
sed -n 's/^X([A-Z0-9_]*, "\([^"]*\)".*/\1/p' base/words.def | sort -u >"$folder/words"
comm -23 "$folder/english" "$folder/words" >"$folder/missing"

if comm -23 "$folder/missing" "$folder/table" | grep .; then
    echo "has no Chinese in base/messages.def"
    exit 1
fi
if comm -13 "$folder/missing" "$folder/table" | grep .; then
    echo "is in the table, and nothing says it, or it has its Chinese"
    exit 1
fi

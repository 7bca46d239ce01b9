#!/bin/sh
# SPDX-License-Identifier: MIT
# lessons.sh CHECKOUT: each step shows its own lesson.
#
# What "Now:" in a step's head names as code, `name` or name(), stands in the step's code, and one of
# these names is defined there: a function, a type, a constant, a variable, not only a use of what a
# header has. Where more than 60 % of a step's lines of code are not in the step before it, nor in one
# that "Before:" names, its first line says "A new beginning." or "A program rather than a step.";
# elsewhere it does not. The libraries' rows are left out, and chapters of experiments, in which no step
# has a "Now:". Names each fault.
set -eu

cd "$1"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# code FILE: its lines without comments and texts, and without those that are empty then.
code()
{
    awk '{
        line = ""
        while ($0 != "") {
            if (inside) {
                if (!(end = index($0, "*/"))) break
                $0 = substr($0, end + 2)
                inside = 0
            } else if (match($0, /"([^"\\]|\\.)*"|\/\*|\/\//)) {
                line = line substr($0, 1, RSTART - 1)
                found = substr($0, RSTART, RLENGTH)
                $0 = substr($0, RSTART + RLENGTH)
                if (found == "//") break
                if (found == "/*") inside = 1
                else line = line "\"\""
            } else {
                line = line $0
                break
            }
        }
        if (line ~ /[^ \t]/) print line
    }' "$1"
}

# head_of FILE LABEL: what its head comment says behind "LABEL:".
head_of()
{
    awk -v label="$2:" '
        /\*\// { exit }
        /^ \* [A-Z][a-z]*:/ { on = $2 == label; sub(/^ \* [A-Z][a-z]*:/, " *") }
        on { sub(/^ \*/, ""); print }' "$1"
}

# defined NAME: is it in the code on stdin?
defined()
{
    awk -v name="$1" '
        { all = all $0 "\n" }
        function matches(pattern) { return all ~ pattern }
        END {
            word = "(^|[^A-Za-z0-9_])"
            last = "([^A-Za-z0-9_]|$)"
            gsub(/(return|else|goto|case|sizeof|throw|new|delete)[ \n]+/, "(", all)
            if (matches("#define " name last) ||
                matches(word "(struct|union|enum|class|namespace|using)[ \n][^;(){}]*" word name "[ \n]*[{=:]") ||
                matches(word "struct __align__\\([0-9]+\\)[ \n]+" name "[ \n]*\\{") ||
                matches(word "enum[^;{}()]*\\{([^}]*[^A-Za-z0-9_}])?" name "[ \n]*[,=}]") ||
                matches(word "typedef [^;]*[^A-Za-z0-9_;]" name "[[(;]") ||
                matches("[A-Za-z0-9_>)][ \n]+[*&]*" name "[ \n]*\\([^;{}]*\\)[ \n]*(const)?[ \n]*\\{") ||
                matches("[;{}][ \n]*([A-Za-z0-9_]+ )+[*&]*[A-Za-z0-9_]+[^;{}()]*,[ \n]*[*&]*" name \
                    "[ \n]*[=;,[]") ||
                matches("[A-Za-z0-9_>][ \n]+[*&(]*" name "\\)?[ \n]*(=[^=]|;|\\[)"))
                exit 0
            exit 1
        }'
}

sed -n 's|^ *add_step(\([a-z0-9_]*\) \([a-z0-9_]*\).*|\1 \2|p' ./*/CMakeLists.txt |
    grep -v ' library_' >"$scratch/steps"
faults=0
fault()
{
    echo "$1"
    faults=1
}

chapter='' before=''
# shellcheck disable=SC2016,SC2094 # backquotes of comments; the list is only read
while read -r in step; do
    file=$in/$step.cu
    [ "$in" = "$chapter" ] || before=
    chapter=$in
    head_of "$file" Now >"$scratch/now"
    if ! [ -s "$scratch/now" ]; then
        ! grep -q '^ \* Now:' "$in"/*.cu || fault "$file: no \"Now:\""
        continue
    fi
    code "$file" >"$scratch/$step"

    own=0 named=0
    for name in $(tr '\n' ' ' <"$scratch/now" |
        grep -oE '`[A-Za-z_][A-Za-z0-9_]*`|[A-Za-z_][A-Za-z0-9_]*\(\)' | tr -d '`()' | sort -u); do
        named=1
        if ! grep -qw "$name" "$scratch/$step"; then
            fault "$file: \"Now:\" names $name, which its code has not"
        elif defined "$name" <"$scratch/$step"; then
            own=1
        fi
    done
    if [ $named = 0 ]; then
        fault "$file: \"Now:\" names nothing of its code, as in \`name\` or name()"
    elif [ $own = 0 ]; then
        fault "$file: \"Now:\" names nothing that this file defines"
    fi

    # What it changes: of these steps the one that it has most of.
    for number in $(head_of "$file" Before | grep -oE '\<[a-z]+[0-9]+[a-z]?\>'); do
        before="$before $(sed -n "s/^$chapter \(${number}_.*\)/\1/p" "$scratch/steps")"
    done
    all=$(wc -l <"$scratch/$step") new='' of=''
    for other in $before; do
        [ -e "$scratch/$other" ] || continue
        lines=$(diff "$scratch/$other" "$scratch/$step" | grep -c '^>') || :
        if [ "$other" != "$step" ] && [ "$lines" -lt "${new:-999}" ]; then
            new=$lines of=$other
        fi
    done
    said=$(head -n 1 "$file" | grep -cE '\. A (new beginning|program rather than a step)\.$') || :
    if [ -z "$of" ]; then
        :
    elif [ $((new * 100)) -gt $((all * 60)) ] && [ "$said" = 0 ]; then
        fault "$file: $new of its $all lines are not in $of: two steps, or \"A new beginning.\""
    elif [ $((new * 100)) -le $((all * 60)) ] && [ "$said" = 1 ]; then
        fault "$file: only $new of its $all lines are not in $of: no new beginning"
    fi
    before=$step
done <"$scratch/steps"
exit $faults

#!/bin/sh
# SPDX-License-Identifier: MIT
# change.sh PAGE NAME SOURCE OUTPUT: write OUTPUT, which is SOURCE with what PAGE changes in it. The page
# has the changed lines in a block that begins with ```diff, below the line
#
#   <!-- change: NAME STEP -->
#
# A line "..." stands for those in between. What is to be replaced must be in SOURCE, in that order.
set -eu

page=$1
name=$2
source=$3
output=$4

awk -v name="$name" -v page="$page" '
    function fail(what) { print page ": change " name ": " what >"/dev/stderr"; failed = 1; exit 1 }
    # The lines old[1..n] stand at line `at` of the source.
    function stands(at,    k) {
        for (k = 1; k <= n; k++)
            if (source[at + k - 1] != old[k])
                return 0
        return 1
    }
    function replace_hunk(    k) {
        if (n + m == 0)
            return
        if (n == 0)
            fail("only new lines: where do they go?")
        while (next_line + n - 1 <= lines && !stands(next_line))
            print source[next_line++]
        if (next_line + n - 1 > lines)
            fail("the source has no lines: " old[1])
        for (k = 1; k <= m; k++)
            print new[k]
        next_line += n
        n = m = 0
    }
    BEGIN { next_line = 1 }
    FILENAME != page { source[++lines] = $0; next }
    $0 ~ "^<!-- change: " name " " { wanted = 1; next }
    wanted && $0 == "```diff" { inside = 1; wanted = 0; found = 1; next }
    inside && /^```/ { inside = 0; replace_hunk(); next }
    !inside { next }
    $0 == "..." { replace_hunk(); next }
    /^-/ { old[++n] = substr($0, 2); next }
    /^\+/ { new[++m] = substr($0, 2); next }
    { old[++n] = new[++m] = substr($0, 2) }
    END {
        if (failed)
            exit 1
        if (!found)
            fail("no such block")
        while (next_line <= lines)
            print source[next_line++]
    }' "$source" "$page" >"$output.new"
mv "$output.new" "$output"

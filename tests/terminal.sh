# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the tests of programs on a terminal with colour share. They have a $folder and fail().

# on_terminal COMMAND: what it prints there goes to $folder/out.
on_terminal()
{
    script -qec "$1" /dev/null </dev/null >"$folder/out"
}

need_terminal()
{
    if ! command -v script >/dev/null || ! on_terminal true; then
        echo 'no pseudo-terminal here'
        exit 77
    fi
    TERM=xterm
    export TERM
}

# expect_colours: what is in $folder/out has colours, all of them known and ended within their line,
# and besides them only lines of progress and the ends of lines that a terminal makes.
expect_colours()
{
    escape=$(printf '\033') return=$(printf '\r')
    plain="s/$escape\[\(1\|2\|32\|1;31\|36\)m[^$escape]*$escape\[0m//g
        s/$return$escape\[K//g; s/$return[0-9]* of [0-9]* graded//g; s/$return\$//"
    grep -qF "$escape[" "$folder/out" || fail 'no colours'
    odd=$(sed "$plain" "$folder/out" | grep -n '[[:cntrl:]]' | cat -v)
    [ -z "$odd" ] || fail "not of a terminal: $odd"
}

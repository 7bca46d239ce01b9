# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the tests of the files that emu writes share. They have $emu, and a folder of their own to be in.

wrong()
{
    printf '%s\n' "$*" >&2
    cat said >&2
    exit 1
}

# ends CODE TEXT ARGUMENT...: emu ends with CODE after one line with TEXT on stderr, or silently if
# there is no TEXT. What is printed goes to the file printed.
ends()
{
    wanted=$1
    text=$2
    shift 2
    code=0
    "$emu" "$@" >printed 2>said || code=$?
    [ $code -eq "$wanted" ] || wrong "$*: exit code $code, not $wanted"
    if [ -z "$text" ]; then
        [ ! -s said ] || wrong "$*: not silent"
    else
        [ "$(wc -l <said)" -eq 1 ] || wrong "$*: not one line"
        grep -qF -- "$text" said || wrong "$*: no '$text'"
    fi
}

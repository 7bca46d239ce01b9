#!/bin/sh
# SPDX-License-Identifier: MIT
# nvcc_once.sh ARGUMENT...: $NVCC, but what it made of the same arguments and files before is taken again:
# its program, what it said and its exit code. They are kept in the folder $ONCE from one run of the tests
# to the next; without it, this is nvcc.
[ -n "${ONCE-}" ] || exec "$NVCC" "$@"

# What the program depends on, all in one text.
sources()
{
    ls -lL "$NVCC"
    cat "$(dirname "$0")"/../../cmake/lean/*
    before=''
    for word; do
        [ "$before" = -o ] || echo "$word"
        [ "$before" = -o ] || [ ! -f "$word" ] || cat "$word" "$(dirname "$word")"/*.h 2>/dev/null || :
        before=$word
    done
}

# copy FROM TO WORD WORD: PTX names the folder, which is another each time.
copy()
{
    case $program in
    *.ptx) sed "s|$3|$4|g" "$1" >"$2" ;;
    *) cp "$1" "$2" ;;
    esac
}

made=$ONCE/$(sources "$@" | cksum | tr ' ' _)
before='' program=''
for word; do
    [ "$before" != -o ] || program=$word
    before=$word
done
if [ ! -f "$made.code" ]; then
    code=0
    "$NVCC" "$@" >"$made.said" 2>&1 || code=$?
    [ $code -ne 0 ] || copy "$program" "$made" "$PWD" @folder@
    [ $code -gt 2 ] || echo $code >"$made.code" # otherwise it was stopped
elif [ -f "$made" ]; then
    copy "$made" "$program" @folder@ "$PWD"
fi
cat "$made.said"
[ ! -f "$made.code" ] || read -r code <"$made.code"
exit "$code"

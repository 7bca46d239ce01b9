#!/bin/sh
# SPDX-License-Identifier: MIT
# nvcc_once.sh ARGUMENT...: $NVCC, but what it made of the same arguments and files before is taken again:
# its program, what it said and its exit code. They are kept in the folder $ONCE; without it, this is nvcc.
[ -n "${ONCE-}" ] || exec "$NVCC" "$@"
before='' program=''
made=$ONCE/$(for word; do
    [ "$before" = -o ] || echo "$word"
    [ "$before" = -o ] || [ ! -f "$word" ] || cat "$word"
    before=$word
done | cksum | tr ' ' _)
for word; do
    [ "$before" != -o ] || program=$word
    before=$word
done
if [ ! -f "$made.code" ]; then
    code=0
    "$NVCC" "$@" >"$made.said" 2>&1 || code=$?
    [ $code -ne 0 ] || cp "$program" "$made"
    echo $code >"$made.code"
elif [ -f "$made" ]; then
    cp "$made" "$program"
fi
cat "$made.said"
read -r code <"$made.code" && exit "$code"

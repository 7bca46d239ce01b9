#!/bin/sh
# SPDX-License-Identifier: MIT
# The engine that nobody asks for: who gets a cache of machine code, and who does not.
#
# usage: background.sh EMU PROGRAM; PROGRAM is a step whose only block runs for long
set -eu
emu=$1 program=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset EMU_ENGINE XDG_CACHE_HOME
HOME=$scratch/home
export HOME
mkdir "$HOME"
libraries=$HOME/.cache/emu

fail() {
    echo "background: $1" >&2
    exit 1
}

run() {
    name=$1
    shift
    "$emu" --gpu=default --time=plain "$@" --json >"$scratch/$name" 2>&1 || :
}

same() {
    cmp "$scratch/interpreted" "$scratch/$1" || fail "$1: $2"
}

# A short program, at any home.
run interpreted --engine=interpreter "$program" --n 1024
run short "$program" --n 1024
same short "other figures"
[ ! -e "$HOME/.cache" ] || fail "a short program has a cache"
mkdir -p "$scratch/others" "$HOME/.cache"
ln -s "$scratch/others" "$libraries"
run linked "$program" --n 1024
same linked "other figures where the cache is a link"
rm -r "$HOME/.cache"
(HOME=/dev/null run nowhere "$program" --n 1024)
same nowhere "other figures where there is no home"
(unset HOME && run homeless "$program" --n 1024)
same homeless "other figures without HOME"

# A long one, which may be over before the compiler is.
command -v cc >/dev/null || exit 77
for runs in 1 2 4 8; do
    run long "$program" --n 26000000 --runs "$runs"
    library=$(find "$libraries" -name '*.so' 2>/dev/null || :)
    [ -z "$library" ] || break
done
[ -n "$library" ] || fail "a long program has no cache"

# From then on one takes it at once, unless it is over at once.
echo '#include <unistd.h>
    __attribute__((constructor)) static void loaded(void) { _exit(write(2, "loaded", 6)); }' |
    cc -shared -fPIC -x c -o "$library" -
run warm "$program" --n 1024
same warm "a program of a moment loads the cache"
run warm "$program"
grep -q loaded "$scratch/warm" || fail "the cache is not used"
EMU_ENGINE=interpreter run reference "$program"
! grep -q loaded "$scratch/reference" || fail "the interpreter uses the cache"

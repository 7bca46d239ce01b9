#!/bin/sh
# SPDX-License-Identifier: MIT
# emu --engine=compiled: the same figures as the interpreter's; and whose libraries it takes.
#
# usage: compiled.sh [--figures] EMU PROGRAM [ARGUMENT...]; --figures: these alone, by libraries that
# XDG_CACHE_HOME may have from earlier times
set -eu
figures=
if [ "$1" = --figures ]; then
    figures=alone
    shift
fi
emu=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
[ -n "$figures" ] || XDG_CACHE_HOME=$scratch/cache
export XDG_CACHE_HOME
folder=$XDG_CACHE_HOME/emu

fail() {
    echo "compiled: $1" >&2
    exit 1
}

# run NAME [EMU-OPTION...]: what the program and --profile print, as $scratch/NAME.
run() {
    name=$1
    shift
    "$emu" --workers=1 --profile="json:$scratch/$name.json" "$@" >"$scratch/$name" 2>&1 || :
    cat "$scratch/$name.json" >>"$scratch/$name" || :
    rm -f "$scratch/$name.json"
}

same() {
    cmp "$scratch/interpreted" "$scratch/$1" || fail "$1: $2"
}

# A library that says so when it is loaded.
loud_library() {
    echo '#include <unistd.h>
        __attribute__((constructor)) static void loaded(void) { _exit(write(2, "loaded", 6)); }' |
        cc -shared -fPIC -x c -o "$scratch/loud.so" -
}

run interpreted --engine=interpreter "$@"
if [ -n "$figures" ]; then
    command -v cc >/dev/null || exit 77
    run compiled --engine=compiled "$@"
    same compiled "other figures"
    find "$folder" -name '*.so' | grep -q . || fail "nothing was compiled"
    exit 0
fi
[ ! -e "$folder" ] || fail "the interpreter keeps libraries"

# No compiler, and no folder that could be made.
mkdir "$scratch/nothing"
for tool in cmp cat rm; do ln -s "$(command -v "$tool")" "$scratch/nothing/"; done
(PATH=$scratch/nothing run no_compiler --engine=compiled "$@")
same no_compiler "other figures without a compiler"
(XDG_CACHE_HOME=/dev/null/none run no_folder --engine=compiled "$@")
same no_folder "other figures without a folder"

command -v cc >/dev/null || exit 77
run compiled --engine=compiled "$@"
same compiled "other figures"
[ "$(stat -c %a "$folder")" = 700 ] || fail "others see the folder"
library=$(find "$folder" -type f)
case $library in
*.so) ;;
*) fail "not one library, but: $library" ;;
esac

# It is used again, with no compiler's help, and not where others could have written it.
loud_library
cp "$scratch/loud.so" "$library"
run loud --engine=compiled "$@"
grep -q loaded "$scratch/loud" || fail "what is in the folder is not used"
chmod 666 "$library"
mkdir "$scratch/bin"
printf '#!/bin/sh\nexit 1\n' >"$scratch/bin/cc"
chmod +x "$scratch/bin/cc"
(PATH=$scratch/bin:$PATH run writable --engine=compiled "$@")
same writable "a library that others may write is used"
chmod 600 "$library"
chmod 770 "$folder"
run shared --engine=compiled "$@"
same shared "a folder that others may write is used"
chmod 700 "$folder"
rm "$library"
ln -s "$scratch/loud.so" "$library"
(PATH=$scratch/bin:$PATH run link --engine=compiled "$@")
same link "a link is followed"
rm "$library"
echo damaged >"$library"
run damaged --engine=compiled "$@"
same damaged "other figures after a damaged library"

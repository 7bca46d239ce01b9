#!/bin/sh
# SPDX-License-Identifier: MIT
# new_step.sh CHECKOUT BUILD WORK CMAKE CTEST: a step that ./tour new makes builds and passes its tests,
# in a copy of the checkout: one of every chapter that has a step fit to be copied first. The emulator
# and what else runs the steps there are those of BUILD.
set -eu
checkout=$1 build=$2 work=$3 cmake=$4 ctest=$5

fail()
{
    echo "new_step: $*" >&2
    exit 1
}

rm -rf "$work"
mkdir -p "$work/copy"
tar -C "$checkout" -c --exclude ./build --exclude ./my --exclude './.?*' . | tar -C "$work/copy" -x
cd "$work/copy"

targets=
while read -r chapter after; do
    tools/new "$chapter" z1_mine --after "$after" >"$work/out" 2>&1 || fail "$(cat "$work/out")"
    targets="$targets ${chapter}_z1_mine"
done <<END
start a3
sumsq v3
reduction r3
matmul m4
sgemm s02
fft f2
scan c4
histogram b3
peers g5
sort k3
prime p2
hardware h03
END

# What is C is that of BUILD, compiled.
cat >"$work/compile" <<END
#!/bin/sh
for word; do
    case \$word in
    *.c.o) [ ! -f "$build/\$word" ] || exec cp "$build/\$word" "\$word" ;;
    esac
done
exec "\$@"
END
chmod +x "$work/compile"
mkdir -p build/default/CMakeFiles
cp -R "$build"/CMakeFiles/[0-9]* build/default/CMakeFiles # what CMake knows of the compilers
"$cmake" --preset default -DCMAKE_PLATFORM_INFO_INITIALIZED=1 \
    -DCMAKE_C_COMPILER_LAUNCHER="$work/compile" >"$work/log" 2>&1 || fail "$(tail -n 20 "$work/log")"
# shellcheck disable=SC2086 # words
"$cmake" --build --preset default --target $targets >"$work/log" 2>&1 || fail "$(tail -n 20 "$work/log")"
for program in emulator/emu tests/counters/test_launches; do
    mkdir -p "build/default/${program%/*}"
    ln -s "$build/$program" "build/default/$program"
done
"$ctest" --test-dir build/default -LE '^(gpu|more|docs)$' -R '\.z1_mine(\.|$)' --no-tests=error \
    --output-on-failure >"$work/log" 2>&1 || fail "$(tail -n 40 "$work/log")"
for chapter in start sumsq reduction matmul sgemm fft scan histogram sort prime peers hardware; do
    grep -q "Test .* $chapter\.z1_mine.*   Passed" "$work/log" || fail "no test of $chapter's new step passed"
done

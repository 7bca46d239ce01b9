#!/bin/sh
# SPDX-License-Identifier: MIT
# An installed emu: moved, on its own, on an old CPU, in somebody else's project.
#
# usage: adopt.sh CASE WORK CHECKOUT BUILD CMAKE NVCC
#
# CASE install goes first: it puts emu into a folder of WORK and moves it. Exit code 77 skips.
set -eu
case=$1 work=$2 checkout=$3 build=$4 cmake=$5 nvcc=$6
home=$work/"moved here"
step=$build/sumsq/v6_tree

fail() {
    echo "adopt: $1" >&2
    exit 1
}

# runs COMMAND...: it says that the step's sum is right.
runs() {
    "$@" >"$work/out" 2>&1 || fail "exit code $? of $*: $(tail -n 3 "$work/out")"
    grep -q ': match$' "$work/out" || fail "no match: $(cat "$work/out")"
}

# refuses PATTERN COMMAND...: exit code 126, and one line that matches.
refuses() {
    pattern=$1 code=0
    shift
    "$@" >"$work/out" 2>&1 || code=$?
    [ "$code" -eq 126 ] || fail "exit code $code of $*, expected 126"
    grep -q "$pattern" "$work/out" || fail "no '$pattern': $(cat "$work/out")"
    [ "$(wc -l <"$work/out")" -eq 1 ] || fail "not one line: $(cat "$work/out")"
}

install() {
    rm -rf "$work"
    mkdir -p "$work"
    "$cmake" --install "$build" --prefix "$work/first" >"$work/log" 2>&1 ||
        fail "cannot install: $(tail -n 5 "$work/log")"
    mv "$work/first" "$home"
    for file in bin/emu lib/cmake/emu/emuConfig.cmake share/doc/cuda-emu/copyright; do
        [ -f "$home/$file" ] || fail "$file is not installed"
    done
    if grep -rlF -e "$checkout/" -e "$build/" "$home" >"$work/out"; then
        fail "these name the build or the source: $(cat "$work/out")"
    fi
}

# Does this CPU have the instructions of set $1?
cpu_has() {
    case $1 in
    avx512) flag=avx512vl ;;
    *) flag=$1 ;;
    esac
    [ "$1" = baseline ] || grep -qw "$flag" /proc/cpuinfo
}

moved() {
    runs "$home/bin/emu" "$step" --n 5000
    for set in baseline avx2 avx512; do
        if cpu_has $set; then
            runs env EMU_CPU=$set "$home/bin/emu" "$step" --n 5000
        else
            refuses "^emu: EMU_CPU .*'$set'" env EMU_CPU=$set "$home/bin/emu" "$step"
        fi
    done
    refuses "^emu: EMU_CPU .*'z80'" env EMU_CPU=z80 "$home/bin/emu" "$step"
    ln -sf "$home/bin/emu" "$work/linked"
    runs "$work/linked" "$step" --n 5000
}

# With neither checkout nor build folder in sight.
alone() {
    unshare -rm true 2>/dev/null || exit 77
    apart=$(mktemp -d)
    trap 'rm -rf "$apart"' EXIT
    cp "$step" "$apart/step"
    cp -R "$home" "$apart/emu"
    code=0
    # shellcheck disable=SC2016 # that shell's arguments
    unshare -rm sh -c 'cd / && mount -t tmpfs none "$1" && { [ ! -e "$2" ] || mount -t tmpfs none "$2"; } &&
        [ ! -e "$1/tour" ] && exec "$3/emu/bin/emu" --profile "$3/step" --n 5000' \
        sh "$checkout" "$build" "$apart" >"$apart/out" 2>&1 || code=$?
    [ $code -eq 0 ] || fail "exit code $code: $(cat "$apart/out")"
    grep -q ': match$' "$apart/out" || fail "no match: $(cat "$apart/out")"
    grep -q 'global load requests' "$apart/out" || fail "no profile: $(cat "$apart/out")"
}

# On a CPU of 2008, which has neither AVX nor AVX2: emu's choice, and every instruction of the runtime.
old_cpu() {
    qemu=$(command -v qemu-x86_64 || command -v qemu-x86_64-static) || exit 77
    version=$(basename "$home"/lib/emu/libcudart.so.*)
    ln -sfn "$home/lib/emu" "$work/lib" # LD_PRELOAD takes no blank
    set -- "$qemu" -cpu Nehalem -E EMU_GPUS="$work/lib/gpus"
    "$qemu" -cpu Nehalem "$home/bin/emu" --gpu list | grep -q '^default: ' || fail "emu does not start"
    runs "$@" -E LD_PRELOAD="$work/lib/$version:$work/lib/libcuda.so.1" "$step" --n 1000
    # The chosen one must be the plain one: emu refuses the others there.
    for set in avx2 avx512; do
        refuses "^emu: EMU_CPU .*'$set'" "$qemu" -cpu Nehalem -E EMU_CPU=$set "$home/bin/emu" "$step"
    done
}

# run_cmake SOURCE BUILD [OPTION...]: but for the case project, what CMake knows of the compilers is copied.
run_cmake() {
    source=$1 folder=$2
    shift 2
    if [ "$case" != project ]; then
        mkdir -p "$folder/CMakeFiles"
        cp -R "$build"/CMakeFiles/[0-9]* "$folder/CMakeFiles"
        set -- -DCMAKE_PLATFORM_INFO_INITIALIZED=1 "$@"
    fi
    "$cmake" -S "$source" -B "$folder" -DCMAKE_CUDA_COMPILER="$nvcc" "$@"
}

# configure BUILD [OPTION...]: and build, all or $target; the example project lies outside the tree.
target=all
configure() {
    folder=$work/$1
    shift
    rm -rf "$folder" "$work/project"
    cp -R "$checkout/tests/adopt/project" "$work/project"
    { run_cmake "$work/project" "$folder" -DCMAKE_PREFIX_PATH="$home" "$@" &&
        "$cmake" --build "$folder" --target $target; } >"$work/log" 2>&1 ||
        fail "does not build: $(tail -n 5 "$work/log")"
}

# tests BUILD: what its ctest says, of $target if not all is built, in $work/out; its exit code.
tests() {
    "${cmake%cmake}ctest" --test-dir "$work/$1" -L emu -R "^${target#all}" --no-tests=error >"$work/out" 2>&1
}

project() {
    configure green
    tests green || fail "not green: $(cat "$work/out")"
    # A newer ctest does not count those that failed where none has.
    grep -q '^100% tests passed.* out of 8$' "$work/out" || fail "not 8 tests: $(cat "$work/out")"
    "$home/bin/emu" "$work/green/hosted" too much >"$work/out" 2>&1 || :
    grep -q 'made at .*hosted.cu:[0-9]*, called from .*hosted.cu:' "$work/out" || fail "$(cat "$work/out")"
}

# A program that looks at no error passes where no kernel ran; its test does not.
unseen() {
    target=histogram
    configure unseen -DBLIND=ON
    if tests unseen; then
        fail "green without a kernel: $(cat "$work/out")"
    fi
    grep -q ' - histogram (Failed)' "$work/out" || fail "took it for a pass: $(cat "$work/out")"
}

planted() {
    target=histogram
    configure red -DPLANT_RACE=ON -DCMAKE_BUILD_TYPE=Release -DCMAKE_CUDA_FLAGS_DEBUG="-g -G"
    if tests red; then
        fail "green with a race planted: $(cat "$work/out")"
    fi
    grep -q 'histogram.check (Failed)' "$work/out" || fail "the checkers missed it: $(cat "$work/out")"
    "$home/bin/emu" --check=race "$work/red/histogram" 10007 >"$work/out" 2>&1 || :
    grep -q 'store at .*counts.cu:[0-9]' "$work/out" || fail "no line is named: $(cat "$work/out")"
}

# nvcc takes no -lineinfo with -G.
debug() {
    configure debug -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CUDA_FLAGS_DEBUG="-g -G --Werror=all-warnings"
    tests debug || fail "not green: $(cat "$work/out")"
}

# What emu would refuse is refused when CMake runs.
unknown() {
    rm -rf "$work/project" "$work/unknown"
    cp -R "$checkout/tests/adopt/project" "$work/project"
    echo 'emu_add_test(counts)' >>"$work/project/CMakeLists.txt"
    if run_cmake "$work/project" "$work/unknown" -DCMAKE_PREFIX_PATH="$home" >"$work/out" 2>&1; then
        fail "took a library"
    fi
    grep -q 'emu_add_test(counts): .* is a STATIC_LIBRARY' "$work/out" || fail "$(cat "$work/out")"
    for option in "CHECK racy" "GPU nope" "SCHEDULES sideways" "ARGS 1 CHECK"; do
        sed "s/ CHECK .*)/ $option)/" "$checkout/tests/adopt/project/CMakeLists.txt" >"$work/project/CMakeLists.txt"
        if "$cmake" "$work/unknown" >"$work/out" 2>&1; then
            fail "took $option"
        fi
        grep -q -e "'${option#* }'" -e 'nothing behind CHECK' "$work/out" || fail "does not name $option: $(cat "$work/out")"
    done
}

# An installation that lost a file says which.
broken() {
    rm -rf "$work/broken"
    cp -R "$home" "$work/broken"
    rm "$work/broken"/lib/emu/libcuda.so.1
    refuses 'libcuda.so.1' "$work/broken/bin/emu" "$step"
    rm "$work/broken"/lib/emu/libcudart.so.*
    refuses 'install emu whole$' "$work/broken/bin/emu" "$step"
    rm "$work/broken/bin/emu"
    cp -R "$checkout/tests/adopt/project" "$work/broken/project"
    if run_cmake "$work/broken/project" "$work/broken/build" -DCMAKE_PREFIX_PATH="$work/broken" \
        >"$work/out" 2>&1; then
        fail "found a package without emu"
    fi
    tr -s ' \n' ' ' <"$work/out" | grep -q 'is missing: install emu whole' || fail "$(cat "$work/out")"
}

$case

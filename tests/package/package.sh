#!/bin/sh
# SPDX-License-Identifier: MIT
# The packages of emu: what is in them, and that what they install works where nothing else is.
#
# usage: package.sh CASE WORK CHECKOUT BUILD CMAKE NVCC
#
# Case pack goes first, and wheel before race. Exit code 77 skips a case, with its reason.
set -eu
case=$1 work=$2 checkout=$3 build=$4 cmake=$5 nvcc=$6
step=$build/sumsq/v6_tree
tools=$checkout/.toolkit/wheel

fail() {
    echo "package: $1" >&2
    exit 1
}

skip() {
    echo "package: skipped: $1" >&2
    exit 77
}

# need TOOL PACKAGE
need() {
    command -v "$1" >/dev/null 2>&1 || skip "$1 is missing (Debian: $2)"
}

# runs COMMAND...: it says that the step's sum is right.
runs() {
    "$@" >"$work/out" 2>&1 || fail "exit code $? of $*: $(tail -n 3 "$work/out")"
    grep -q ': match$' "$work/out" || fail "no match: $(cat "$work/out")"
}

pack() {
    need dpkg-shlibdeps dpkg-dev
    rm -rf "$work"
    mkdir -p "$work"
    "${cmake%cmake}cpack" --config "$build/CPackConfig.cmake" -B "$work/packages" >"$work/log" 2>&1 ||
        fail "cpack: $(tail -n 5 "$work/log")"
    cp "$work"/packages/*.deb "$work/emu.deb"
    cp "$work"/packages/*.tar.gz "$work/emu.tar.gz"
    # The architecture is that of the program, also where this machine is another.
    case $(LC_ALL=C readelf -h "$build/emulator/portable/emu" | sed -n 's/^ *Machine: *//p') in
    *X86-64) architecture=amd64 ;;
    AArch64) architecture=arm64 ;;
    *) architecture=$(dpkg --print-architecture) ;;
    esac
    [ "$(dpkg-deb -f "$work/emu.deb" Architecture)" = "$architecture" ] ||
        fail "not for $architecture: $(dpkg-deb -I "$work/emu.deb")"
    for library in libc6 libjansson4 liblz4-1 libzstd1; do
        dpkg-deb -f "$work/emu.deb" Depends | tr , '\n' | grep -q "^ *$library (>= [0-9]" ||
            fail "no dependency on $library: $(dpkg-deb -f "$work/emu.deb" Depends)"
    done
}

tarball() {
    mkdir -p "$work/unpacked"
    tar -C "$work/unpacked" --strip-components=1 -xzf "$work/emu.tar.gz"
    runs "$work/unpacked/bin/emu" "$step" --n 5000
    # Each option that emu knows stands in the manual page, with the words of --help.
    "$work/unpacked/bin/emu" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p' >"$work/options"
    [ "$(wc -l <"$work/options")" -ge 12 ] || fail "--help names only: $(cat "$work/options")"
    gzip -dc "$work/unpacked/share/man/man1/emu.1.gz" | sed 's/\\-/-/g' >"$work/emu.1"
    while read -r option; do
        grep -q "^\.B $option" "$work/emu.1" || fail "the manual page lacks $option"
    done <"$work/options"
    gzip -dc "$work/unpacked/share/man/man7/emu-cmake.7.gz" | grep -q '^\.B SCHEDULES$' ||
        fail "the CMake package's manual page lacks SCHEDULES"
    "$work/unpacked/bin/emu" --check=all --error-exitcode=9 "$step" --no-poison --no-guard --n 5000 \
        >"$work/out" 2>&1 || fail "the checkers find something: $(cat "$work/out")"
}

# Who packs has an address of their own; the default has none.
policy() {
    need lintian lintian
    lintian --allow-root --fail-on error,warning \
        --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog \
        "$work/emu.deb" >"$work/out" 2>&1 || fail "$(cat "$work/out")"
}

# A bare Debian: apt finds what the package needs, the step runs, and removing it leaves nothing.
bare() {
    need mmdebstrap mmdebstrap
    # shellcheck disable=SC1091 # the system's own
    codename=$(. /etc/os-release && [ "$ID" = debian ] && echo "$VERSION_CODENAME") ||
        skip "this is not Debian, whose package it is"
    [ "$(id -u)" -eq 0 ] || unshare -rm true 2>/dev/null || skip "no root and no user namespaces"
    cp "$step" "$work/step"
    cat >"$work/inside" <<'END'
set -e
apt-get -qq -y --no-install-recommends install /tmp/emu.deb
emu --check=all --error-exitcode=9 /tmp/step --no-poison --no-guard --n 5000
[ -f /usr/share/man/man1/emu.1.gz ]
apt-get -qq -y purge cuda-emu
[ ! -e /usr/lib/emu ]
echo all gone
END
    mmdebstrap --quiet --variant=apt --include=libstdc++6 \
        --arch="$(dpkg-deb -f "$work/emu.deb" Architecture)" \
        --customize-hook="copy-in $work/emu.deb $work/step $work/inside /tmp" \
        --customize-hook="chroot \"\$1\" env LC_ALL=C sh /tmp/inside >'$work/bare' 2>&1" \
        "$codename" /dev/null >"$work/out" 2>&1 || {
        [ -s "$work/bare" ] || skip "no bare $codename can be had: $(tail -n 1 "$work/out")"
        fail "in a bare $codename: $(tail -n 5 "$work/bare")"
    }
    grep -q ': match$' "$work/bare" || fail "no match: $(cat "$work/bare")"
    [ "$(tail -n 1 "$work/bare")" = "all gone" ] || fail "not to the end: $(cat "$work/bare")"
}

# Into an environment of Python's; `pip` there knows the package, and emu is among its commands.
wheel() {
    [ -d "$tools" ] || skip "run ./tour package once: it fetches what makes wheels"
    python3 -m venv --help >/dev/null 2>&1 || skip "python3 has no venv (Debian: python3-venv)"
    rm -rf "$work/venv"
    one_wheel "$build" "$work/wheels"
    set -- "$work"/wheels/*.whl
    [ "$#.$(ls "$1")" = "1.$1" ] || fail "not one wheel: $*"
    case $1 in
    *-py3-none-manylinux_2_[0-9]*_"$(uname -m)".whl) ;;
    *) fail "no wheel for many: $1" ;;
    esac
    python3 -m venv "$work/venv" || skip "python3 makes no venv (Debian: python3-venv)"
    "$work/venv/bin/pip" install -q --no-index "$1" >"$work/log" 2>&1 || fail "$(cat "$work/log")"
    runs "$work/venv/bin/emu" "$step" --n 5000
    [ "$("$work/venv/bin/pip" show cuda-emu | sed -n 's/^Version: //p')" = "$version" ] ||
        fail "pip shows another version than $version"
}

# one_wheel BUILD FOLDER: the wheel of what BUILD installs comes to lie in FOLDER.
one_wheel() {
    rm -rf "$2" "$2.prefix"
    "$cmake" --install "$1" --prefix "$2.prefix" >"$work/log" 2>&1 || fail "cannot install"
    version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$1/CMakeCache.txt")
    PYTHONPATH=$tools PATH=$tools/bin:$PATH \
        sh "$checkout/package/wheel.sh" "$2.prefix" "$version" 1700000000 "$2"
}

# Built again, from a copy of the sources in another folder and at another time: the packages are the same,
# byte for byte, and so is the PTX of steps but for what -lineinfo writes for debuggers, the folder, and for
# a hash of it that nvcc puts into names of static variables, which .b8 spells out. What is for CPUs with
# AVX is not, and is the first build's: what is compiled for every CPU goes the same way. So is an object
# that both builds compile with the same options from text that, preprocessed, names neither folder nor
# time; what CMake generates is compared.
# AGAIN_STEPS=all in the environment compares every step, not four.
again() {
    git -C "$checkout" rev-parse >/dev/null 2>&1 || skip "no checkout of git"
    copy=$work/some/other/folder
    rm -rf "$work/some"
    mkdir -p "$copy"
    (cd "$checkout" && git ls-files -z --cached --others --exclude-standard |
        tar -cf - --null --ignore-failed-read -T -) 2>/dev/null | tar -C "$copy" -xf -
    epoch=$(sed -n 's/^PACKAGE_EPOCH:INTERNAL=//p' "$build/CMakeCache.txt")
    generator=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$build/CMakeCache.txt")
    export SOURCE_DATE_EPOCH="$epoch"
    steps='sumsq/v3_coalesced reduction/r8_shuffle sgemm/s12_cluster scan/c7b_word'
    [ "${AGAIN_STEPS-}" != all ] ||
        steps=$(sed -n 's/.*"program": "\([^"]*\)".*/\1/p' "$build/manifest.jsonl")
    there="s|$copy/made|$build|g; s|$copy|$checkout|g"
    cat >"$work/some/compile" <<END
#!/bin/sh
for word; do
    case \$word in
    emulator/CMakeFiles/emulator_avx*.dir/*.o)
        exec cp "$build/\$word" "\$word"
        ;;
    *.c.o) object=\$word ;;
    esac
done
set -f
IFS='
'
command=\$(printf '%s\n' "\$@" | sed '/^-o\$/{N;d};s/^-c\$/-E\n-P\n-Werror=date-time/')
if grep -qxF "\$object" "$work/some/alike" && \$command >"\$object.text" 2>/dev/null &&
    ! grep -qF "$copy" "\$object.text"; then
    exec cp "$build/\$object" "\$object"
fi
exec "\$@"
END
    chmod +x "$work/some/compile"
    export INSTALL_TARGET=portable_any
    mkdir -p "$copy/made/CMakeFiles"
    cp -R "$build"/CMakeFiles/[0-9]* "$copy/made/CMakeFiles" # what CMake knows of the compilers
    # shellcheck disable=SC2046 # words
    { "$cmake" -S "$copy" -B "$copy/made" -G "$generator" -DCMAKE_CUDA_COMPILER="$nvcc" \
        -DCMAKE_C_COMPILER_LAUNCHER="$work/some/compile" -DCMAKE_PLATFORM_INFO_INITIALIZED=1 &&
        sed "$there" "$copy/made/compile_commands.json" |
        grep -xFf "$build/compile_commands.json" |
        sed -n 's/.* -o \([^ ]*\.c\.o\) -c .*/\1/p' >"$work/some/alike" &&
        { same_generated || : >"$work/some/alike"; } &&
        "$cmake" --build "$copy/made" --target $INSTALL_TARGET $(echo "$steps" | tr / _) &&
        find "$build/emulator/portable" -name 'avx*' -exec cp -a -t "$copy/made/emulator/portable" {} + &&
        "${cmake%cmake}cpack" --config "$copy/made/CPackConfig.cmake" -B "$copy/packages"; } \
        >"$work/log" 2>&1 || fail "$(tail -n 5 "$work/log")"
    cmp "$copy"/packages/*.deb "$work/emu.deb" || fail "another package for Debian"
    cmp "$copy"/packages/*.tar.gz "$work/emu.tar.gz" || fail "another tarball"
    if [ -d "$tools" ]; then
        one_wheel "$build" "$work/some/wheel"
        one_wheel "$copy/made" "$work/some/wheel_again"
        cmp "$work"/some/wheel/*.whl "$work"/some/wheel_again/*.whl || fail "another wheel"
    fi
    kernels=0
    for step in $steps; do
        ptx_of "$build" "$step" "$checkout" >"$work/one.ptx"
        ptx_of "$copy/made" "$step" "$copy" >"$work/other.ptx"
        cmp "$work/one.ptx" "$work/other.ptx" || fail "other PTX of $step"
        ! grep -q '^.visible .entry' "$work/one.ptx" || kernels=$((kernels + 1))
    done
    [ "$kernels" -ge 4 ] || fail "only $kernels steps have PTX"
}

# Is what the first build generated for C the same in the second one?
same_generated() {
    for file in $(cd "$build" && find base common emulator -name '*.inc' -o -name '*.[ch]'); do
        cmp -s "$copy/made/$file" "$build/$file" || return
    done
}

# ptx_of BUILD STEP SOURCES
ptx_of() {
    "$build/emulator/emu" --ptx "$1/$2" | sed "s|$3/||g; /^\.b8/d; s/_\(INTERNAL\|GLOBAL__N_\)_[0-9a-f]*_/_\1_/g"
}

# The list of parts: every file of the installation with its hash, valid, and the same when made again.
sbom() {
    [ -d "$tools" ] || skip "run ./tour package once: it fetches what makes the list"
    export PYTHONPATH="$tools" PYTHONDONTWRITEBYTECODE=1
    make="python3 $checkout/package/sbom.py $work/unpacked 1.0 1700000000"
    $make "$work/one.spdx.json"
    $make "$work/other.spdx.json"
    cmp "$work/one.spdx.json" "$work/other.spdx.json" || fail "not the same when made again"
    python3 -c 'from spdx_tools.spdx.clitools.pyspdxtools import main; main()' -i "$work/one.spdx.json" ||
        fail "not valid"
    for file in $(cd "$work/unpacked" && find . -type f); do
        sum=$(sha256sum <"$work/unpacked/$file")
        grep -qF "\"${sum%% *}\"" "$work/one.spdx.json" || fail "$file is not in it"
    done
    for library in jansson zstd lz4; do
        grep -q "\"name\": \"$library\"" "$work/one.spdx.json" || fail "$library is not in it"
    done
}

# The wheel's emu in somebody else's project, where it finds the race that was planted.
race() {
    [ -x "$work/venv/bin/emu" ] || skip "there is no wheel"
    prefix=$("$work/venv/bin/python3" -m cuda_emu)
    rm -rf "$work/project"
    { "$cmake" -S "$checkout/tests/adopt/project" -B "$work/project" -DPLANT_RACE=ON \
        -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_PREFIX_PATH="$prefix" &&
        "$cmake" --build "$work/project"; } >"$work/log" 2>&1 || fail "$(tail -n 5 "$work/log")"
    code=0
    "$work/venv/bin/emu" --check=race --error-exitcode=9 "$work/project/histogram" 10007 \
        >"$work/out" 2>&1 || code=$?
    [ $code -eq 9 ] || fail "exit code $code with a race planted: $(cat "$work/out")"
    grep -q 'store at .*counts.cu:[0-9]' "$work/out" || fail "no line is named: $(cat "$work/out")"
    "${cmake%cmake}ctest" --test-dir "$work/project" -L emu >"$work/out" 2>&1 || :
    grep -q 'histogram.check (Failed)' "$work/out" || fail "ctest missed it: $(cat "$work/out")"
}

[ "$case" = pack ] || [ -f "$work/emu.deb" ] || skip "there is no package"
$case

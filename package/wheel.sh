#!/bin/sh
# SPDX-License-Identifier: MIT
# A wheel for pip, of an installed emu: a Python package that holds it whole. auditwheel puts the
# libraries that not every system has beside it, and finds the oldest C library that will do.
#
# usage: wheel.sh PREFIX VERSION EPOCH FOLDER
#
# PREFIX is what `cmake --install` filled; EPOCH, in seconds, is the date of the wheel's files; the
# wheel comes to lie in FOLDER. PYTHONPATH and PATH lead to what cmake/toolkit/wheel.txt names.
set -eu

prefix=$1 version=$2 epoch=$3 folder=$4
package=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
machine=$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SOURCE_DATE_EPOCH="$epoch"

info=$work/tree/cuda_emu-$version.dist-info
mkdir -p "$info" "$work/raw"
cp -R "$package/cuda_emu" "$work/tree"
rm -rf "$work/tree/cuda_emu/__pycache__"
cp -R "$prefix/bin" "$prefix/lib" "$work/tree/cuda_emu"
cp "$package/../LICENSE" "$info"
for library in libjansson4 liblz4-1 libzstd1; do # what auditwheel puts beside emu, on Debian
    cp "/usr/share/doc/$library/copyright" "$info/LICENSE.$library" 2>/dev/null || :
done
cat >"$info/METADATA" <<END
Metadata-Version: 2.1
Name: cuda-emu
Version: $version
Summary: Run CUDA programs without a GPU
License: MIT
Requires-Python: >=3.8
Classifier: Operating System :: POSIX :: Linux
Description-Content-Type: text/markdown

$(cat "$package/wheel.md")
END
cat >"$info/WHEEL" <<END
Wheel-Version: 1.0
Generator: wheel.sh
Root-Is-Purelib: false
Tag: py3-none-linux_$machine
END
printf '[console_scripts]\nemu = cuda_emu:main\n' >"$info/entry_points.txt"
# quietly COMMAND...: what it says is shown if it fails.
quietly() {
    "$@" >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        exit 1
    }
}

quietly python3 -m wheel pack --dest-dir "$work/raw" "$work/tree"
quietly python3 -m auditwheel repair --plat auto --wheel-dir "$folder" "$work"/raw/*.whl

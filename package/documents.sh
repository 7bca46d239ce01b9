#!/bin/sh
# SPDX-License-Identifier: MIT
# The documents of the packages, compressed as Debian wants them: manual pages, from what emu and its
# CMake package say of themselves, and the changes.
#
# usage: documents.sh CHECKOUT FOLDER VERSION EPOCH MAINTAINER EMU...
#
# EMU is the command that runs emu, of several words where that takes another program.
set -eu

checkout=$1 folder=$2 version=$3 epoch=$4 maintainer=$5
shift 5
man=$checkout/package/man.sh

# The comment at its head, from its usage to the empty line before the code.
usage_of_package() {
    sed -n '/^# emu_add_test(/,/^$/{s/^# emu_add_test/usage: &/;s/# //;s/^#$//;s/^#  //;p;}' \
        "$checkout/emulator/package/emuConfig.cmake"
}

"$@" --help | sh "$man" emu 1 "$version" "run a CUDA program without a GPU" >"$folder/emu.1"
usage_of_package | sh "$man" emu-cmake 7 "$version" "the CMake package of emu" >"$folder/emu-cmake.7"
cp "$checkout/CHANGELOG.md" "$folder/changelog"
cat >"$folder/changelog.Debian" <<END
cuda-emu ($version-1) unstable; urgency=medium

  * What is new stands in changelog.gz beside this file.

 -- $maintainer  $(date -u -R -d "@$epoch")
END
gzip -9nf "$folder/emu.1" "$folder/emu-cmake.7" "$folder/changelog" "$folder/changelog.Debian"

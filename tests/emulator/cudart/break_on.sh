#!/bin/sh
# SPDX-License-Identifier: MIT
# emu --break-on under gdb: it stops in main()'s launch, once the place on the device was said.
#
# usage: break_on.sh EMU FAULTS RACE; RACE takes the case plain_counter. Exit code 77 without gdb.
set -eu
emu=$1 faults=$2 race=$3
command -v gdb >/dev/null || exit 77
out=$(mktemp)
trap 'rm -f "$out"' EXIT

debug() {
    gdb -batch -nx -ex 'set debuginfod enabled off' -ex run \
        -ex 'echo stopped here\n' -ex bt -ex continue --args "$@" >"$out" 2>&1 </dev/null || :
    if grep -q 'ptrace: Operation not permitted' "$out"; then
        exit 77
    fi
}

# said PATTERN: before gdb took over.
said() {
    sed '/^stopped here/,$d' "$out" | grep -q -- "$1" || fail "nothing matches '$1' before the stop"
}

fail() {
    echo "break_on: $1" >&2
    cat "$out" >&2
    exit 1
}

# stopped KERNEL: in the launch, called by main().
stopped() {
    said "^emu: --break-on=.*: stopped at the launch of .*$1"
    said 'received signal SIGTRAP'
    sed -n '/^stopped here/,$p' "$out" | grep -q '^#.* cudaLaunchKernel' || fail "not in a launch"
    sed -n '/^stopped here/,$p' "$out" | grep -q '^#.* main ' || fail "not below main()"
}

debug "$emu" --break-on=fault "$faults" trap
said '^emu: trap in kernel trap, .*faults.cu:[0-9]*, block (0,0,0), thread'
stopped trap

debug "$emu" --break-on=race "$race" plain_counter
said '^emu: race: .* kernel '
said '^emu:     .* at .*:[0-9]*, block'
stopped ''

# Neither happens here.
debug "$emu" --break-on=race,fault "$race" plain_counter repaired
if grep -q 'received signal SIGTRAP' "$out"; then
    fail "stopped where nothing was wrong"
fi

#!/bin/sh
# SPDX-License-Identifier: MIT
# no_conflicts.sh EMU PROGRAM: on the emulator PROGRAM matches, uses shared memory, and has no bank
# conflict.
set -eu

said=$("$1" --profile=json "$2" 2>&1)

# The sum of counter $1 over all kernels; nothing if it is not there.
counter()
{
    printf '%s\n' "$said" | tr ',{}' '[\n*]' | tr -d '" ' |
        awk -F: -v key="$1" '$1 == key { sum += $2; seen = 1 } END { if (seen) print sum }'
}

requests=$(counter shared_loads)
conflicts=$(counter shared_bank_conflicts)
if [ "${requests:-0}" -eq 0 ] || [ "${conflicts:-none}" != 0 ]; then
    printf '%s\nshared loads: %s, bank conflicts: %s\n' "$said" "$requests" "$conflicts" >&2
    exit 1
fi

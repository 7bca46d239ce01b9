#!/bin/sh
# SPDX-License-Identifier: MIT
# lean_first.sh FLAT LEAN COMMAND...: compile with the headers in these folders, which leave out what most
# sources do without. Who names some of that, defines ALL_HEADERS, or has errors, is compiled with the
# toolkit's own.
flat=$1 lean=$2 before=
shift 2
for word; do
    case $before in -c | -ptx) source=$word ;; esac
    before=$word
done
case $* in *-DALL_HEADERS*) exec "$@" ;; esac
! grep -qE '(tex|surf)([123]D|Cube)|__(ld|st)[cglw]|__funnelshift|cudaCreateChannelDesc<' "$source" || exec "$@"
said=$("$@" "-I$flat" "-I$lean" 2>&1) || exec "$@"
[ -z "$said" ] || printf '%s\n' "$said"

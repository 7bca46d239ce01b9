#!/bin/sh
# SPDX-License-Identifier: MIT
# refuse.sh EMU STEP [cpu]: what every step must refuse, one line on stderr that names the trouble, and
# the right exit code. With cpu it needs no device.
set -eu

emu=$1 step=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
faults=0

# says CODE MESSAGE COMMAND...: ends with the code, and all it prints is a line on stderr, a name and
# behind it something like the message, a pattern. No process is started to see that: there are
# thousands of these.
says()
{
    expected=$1 message=$2 line='' more=''
    shift 2
    code=0
    "$@" >"$scratch/out" 2>"$scratch/err" || code=$?
    { IFS= read -r line && ! IFS= read -r more && [ -z "$more" ]; } <"$scratch/err" || line=''
    # shellcheck disable=SC2254 # a pattern it is
    case ${line#*: } in
    *$message*) ;;
    *) line='' ;;
    esac
    case ${line%%: *} in
    '' | *' '*) line='' ;;
    esac
    if [ $code -ne "$expected" ] || [ -s "$scratch/out" ] || [ -z "$line" ]; then
        echo "not exit code $expected and '$message', but $code from $*"
        cat "$scratch/out" "$scratch/err"
        faults=$((faults + 1))
    fi
}

says 2 "unknown option '--frobnicate'" "$step" --frobnicate
says 2 "unknown option '--see'" "$step" --see 1
for n in -1 abc 1.5 99999999999999999999 1073741825; do
    says 2 --n "$step" --n $n
done
says 2 "--runs '0': too small" "$step" --runs 0
says 2 --threads "$step" --threads 1048576
says 2 "unknown option '--?x1bc?x0ax'" "$step" "$(printf -- '--\033c\nx')"
says 2 '--seed needs a number' "$step" --seed
says 2 "unexpected 'operand'" "$step" operand
# There is a device, but not that one.
says 2 '--device 99: no such device' "$emu" "$step" --device 99
# And without any the way to go on is named.
[ "${3-}" = cpu ] ||
    says 77 'no CUDA device*: *emulator/emu ' env CUDA_VISIBLE_DEVICES=-1 "$step"
# Help that nobody can read is a failure. (What it prints does not arrive: it goes elsewhere.)
# shellcheck disable=SC2016 # for the other shell
says 1 'could not be written' sh -c 'exec "$0" --help >/dev/full' "$step"
exit $((faults > 0))

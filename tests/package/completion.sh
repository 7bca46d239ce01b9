#!/bin/sh
# SPDX-License-Identifier: MIT
# Completion, driven as a reader would: a shell on a terminal, a few letters, Tab.
#
# usage: completion.sh SHELL|words CHECKOUT BUILD
#
# Exit code 77 skips a shell that is not here.
set -eu
shell=$1 checkout=$2 build=$3
completion=$checkout/package/completion.bash
PATH=$build/emulator:$PATH
export PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "completion: $1" >&2
    exit 1
}

# Everything that --help of emu names is offered, and emu takes every word offered for a value.
words() {
    command -v bash >/dev/null || exit 77
    emu --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p' | sort -u >"$work/named"
    [ "$(wc -l <"$work/named")" -ge 12 ] || fail "--help names only: $(cat "$work/named")"
    bash -c '. "$1" && COMP_WORDS=(emu -) COMP_CWORD=1 && _emu_complete emu &&
        printf "%s\n" "${COMPREPLY[@]%=}"' bash "$completion" 2>/dev/null | sort -u >"$work/offered"
    while read -r option; do
        grep -qx -- "$option" "$work/offered" || fail "$option is not offered"
    done <"$work/named"
    bash -c '. "$1" && _emu_options emu' bash "$completion" >"$work/options"
    tried=0
    while read -r option values; do
        case $values in
        [a-z]*) ;;
        *) continue ;;
        esac
        for value in $values; do
            case $value in
            *:) value=${value}1 ;;
            esac
            code=0
            # Nothing is wrong with the options if what emu has to say is that there is no such program.
            emu "${option%=}=$value" /nowhere 2>"$work/out" || code=$?
            [ $code -eq 127 ] || fail "emu takes no $option $value: $(cat "$work/out")"
            tried=$((tried + 1))
        done
    done <"$work/options"
    [ $tried -ge 15 ] || fail "only $tried values were offered"
}

# What the shell makes of the lines on stdin, each ended by a Tab: Ctrl-A puts an echo before it. What
# is typed waits until the shell has completed what came before.
on_terminal() {
    case $shell in
    bash) run='bash --norc --noprofile -i' ;;
    zsh) run='zsh -f -i' ;;
    esac
    {
        printf "PS1=; cd '%s'; . '%s'; echo rea\"\"dy\n" "$checkout" "$completion"
        # A shell that is not ready yet loses what is typed.
        until grep -qs '^ready' "$work/screen" || [ -e "$work/ended" ]; do
            sleep 0.2
        done
        while read -r letters; do
            printf '%s\t\001echo "=>" \n' "$letters"
        done
        printf 'exit\n'
    } | {
        TERM=dumb script -qfec "$run" "$work/screen" >/dev/null 2>&1 || :
        : >"$work/ended"
    }
    tr -d '\r' <"$work/screen" | sed -n 's/^=> //p' | sed 's/ *$//'
}

if [ "$shell" = words ]; then
    words
    exit
fi
for tool in "$shell" script; do
    command -v "$tool" >/dev/null || exit 77
done
cat >"$work/typed" <<'END'
emu --sched
emu --check=race,sy
emu --gpu geforce-88
./tour slid
./tour v3_coal
./tour --on em
END
cat >"$work/wanted" <<'END'
emu --schedule
emu --check=race,sync
emu --gpu geforce-8800-gt
./tour slides
./tour v3_coalesced
./tour --on emulator
END
on_terminal <"$work/typed" >"$work/lines"
diff "$work/wanted" "$work/lines" >&2 || fail "in $shell, on its terminal: $(cat -v "$work/screen")"

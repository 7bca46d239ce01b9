#compdef emu tour
# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Completion of emu and ./tour, for bash and zsh: `source` this file, or install it as Debian does. All
# it offers comes from what the two print: --help, --gpu list and, of tour, --list.

# The options in the help of command $1, a line each: the name, with "=" where a value must follow it so,
# and what comes next: words to choose from, "FILE", another word in capitals, or nothing.
_emu_options() {
    "$1" --help 2>/dev/null | awk '
        /^  --/ {
            row = substr($0, 3)
            if (match(row, /  +/))
                row = substr(row, 1, RSTART - 1)
            count = split(row, parts, /, /)
            for (i = 1; i <= count; i++) {
                match(parts[i], /^--[a-z-]+=?/)
                name = substr(parts[i], 1, RLENGTH)
                value = substr(parts[i], RLENGTH + 1)
                sub(/^[[ =]+/, "", value)
                if (match(value, /^[a-z]+(\|[a-z:]+)+/)) {
                    value = substr(value, 1, RLENGTH)
                    gsub(/\|/, " ", value)
                } else if (value ~ /^(FILE|DIR|OLD)/)
                    value = "FILE"
                print name, value
            }
        }'
}

# What may stand for the value of option $2 of command $1; fails where that is a file, or unknown.
_emu_values() {
    local name values
    while read -r name values; do
        [ "${name%=}" = "$2" ] || continue
        case $name$values in
        --gpu*) "$1" --gpu list 2>/dev/null | sed 's/:.*//' ;;
        *[A-Z]*) return 1 ;;
        *) echo "$values" ;;
        esac
    done <<END
$(_emu_options "$1")
END
}

# Does option $2 of command $1 take a value as a word of its own?
_emu_takes_word() {
    _emu_options "$1" | grep -q "^$2 ."
}

# The words that tour takes beside options: its modes, chapters and steps, by full and by short name.
_emu_tour_words() {
    "$1" --help | sed -n 's|^ *\./tour \([a-z][a-z]*\) .*|\1|p' | sort -u
    "$1" --list | sed 's|\([a-z]*\)/\(\([a-z0-9]*\)_.*\)|\1 \2 \3|' | tr ' ' '\n' | sort -u
}

# Is there a word before the current one, number $2, that ends the options of command $1?
_emu_is_past_options() {
    local i word
    for ((i = 1; i < $2; i++)); do
        word=${COMP_WORDS[i]}
        case $word in
        --*) if [ "${COMP_WORDS[i + 1]}" = "=" ]; then
            i=$((i + 2))
        elif _emu_takes_word "$1" "$word"; then
            i=$((i + 1))
        fi ;;
        *) return 0 ;;
        esac
    done
    return 1
}

_emu_complete() {
    local command=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} option='' offered='' kept=''
    local before=${COMP_WORDS[COMP_CWORD - 1]}

    command=${command/#\~/$HOME}
    COMPREPLY=()
    # bash divides --check=race at the "=", zsh does not.
    case $before$word in
    --*=) option=$before word='' ;;
    =*) option=${COMP_WORDS[COMP_CWORD - 2]} ;;
    esac
    case $word in
    --*=*) option=${word%%=*} kept=$option= word=${word#*=} ;;
    esac
    [ -n "$option" ] || ! _emu_takes_word "$command" "$before" || option=$before
    case $word in
    *,*) [ -z "$option" ] || kept=$kept${word%,*}, word=${word##*,} ;;
    esac
    if [ -n "$option" ]; then
        offered=$(_emu_values "$command" "$option") || return 0
    elif [ "${command##*/}" = tour ]; then
        case $word in
        -*) offered=$(_emu_options "$command" | sed 's/ .*//') ;;
        *) offered=$(_emu_tour_words "$command") ;;
        esac
    elif ! _emu_is_past_options "$command" "$COMP_CWORD"; then
        case $word in
        -*) offered=$(_emu_options "$command" | sed 's/ .*//' | sort -u) ;;
        *) offered=$(compgen -c -- "$word") ;;
        esac
    fi
    while read -r offered; do
        COMPREPLY+=("$kept$offered")
    done <<END
$(compgen -W "$offered" -- "$word")
END
    [ "${COMPREPLY[*]}" != "$kept" ] || COMPREPLY=()
    case ${COMPREPLY[*]} in
    *[=:]) ! type compopt >/dev/null 2>&1 || compopt -o nospace ;;
    esac
}

if [ -n "${ZSH_VERSION-}" ]; then
    type compdef >/dev/null 2>&1 || { autoload -Uz compinit && compinit -D -u; }
    autoload -Uz bashcompinit && bashcompinit
fi
complete -o default -F _emu_complete emu tour
# zsh has loaded this file to complete a line, and waits.
if [ -n "${ZSH_VERSION-}" ] && [ "${funcstack[1]-}" = _emu ]; then
    _bash_complete -o default -F _emu_complete
fi

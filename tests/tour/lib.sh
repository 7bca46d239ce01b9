# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the tests of this folder share.

export LC_ALL=C.UTF-8
unset COLUMNS LINES NO_COLOR CUDA_HOME CUDA_PATH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail()
{
    printf 'FAILED: %s\n' "$*"
    for shown in "$folder/out" "$folder/err"; do
        if [ -f "$shown" ]; then
            printf -- '--- %s\n' "${shown##*/}"
            cat "$shown"
        fi
    done
    exit 1
}

# expect_code CODE COMMAND...: run it, its output in $folder/out and $folder/err.
expect_code()
{
    wanted_code=$1
    shift
    code=0
    "$@" >"$folder/out" 2>"$folder/err" </dev/null || code=$?
    [ $code -eq "$wanted_code" ] || fail "exit status $code, not $wanted_code: $*"
}

# expect_line FILE TEXT: some line of it holds the text.
expect_line()
{
    grep -qF -- "$2" "$folder/$1" || fail "no '$2' in what it said"
}

expect_no_line()
{
    if grep -qF -- "$2" "$folder/$1"; then
        fail "'$2' in what it said"
    fi
}

# expect_one_line FILE: one line and no more.
expect_one_line()
{
    [ "$(wc -l <"$folder/$1")" -eq 1 ] || fail "not one line on $1"
}

# expect_empty FILE: nothing but how far it was, which a slow machine says.
expect_empty()
{
    if grep -qv '^tour: \[[0-9]*/[0-9]*\] ' "$folder/$1"; then
        fail "something on $1"
    fi
}

# expect_text NAME FILE: the file is what expected/NAME.txt holds. UPDATE=1 makes it so.
expect_text()
{
    if [ -n "${UPDATE-}" ]; then
        cp "$2" "expected/$1.txt"
    fi
    diff -u "expected/$1.txt" "$2" || fail "not what expected/$1.txt says"
}

# is_gone PID: no such process, or one that only waits for its parent to look.
is_gone()
{
    case $(sed 's/.*) \(.\).*/\1/' "/proc/$1/stat" 2>/dev/null) in
    '' | Z) return 0 ;;
    *) return 1 ;;
    esac
}

# expect_all_gone FILE: none of the processes that it names is left.
expect_all_gone()
{
    while read -r pid; do
        tries=0
        until is_gone "$pid"; do # killed, but the kernel takes its time
            tries=$((tries + 1))
            [ $tries -lt 100 ] || fail "process $pid is still there"
            sleep 0.02
        done
    done <"$1"
}

# wait_for_lines FILE COUNT: until the file has so many.
wait_for_lines()
{
    tries=0
    while [ "$(wc -l <"$1")" -lt "$2" ]; do
        tries=$((tries + 1))
        [ $tries -lt 200 ] || fail "nothing ever started"
        sleep 0.05
    done
}

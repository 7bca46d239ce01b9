# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the tests of tests share.

# expect_refusal WORDS COMMAND...: it fails, and says WORDS, among others.
expect_refusal()
{
    words=$1
    shift
    if said=$("$@" 2>&1); then
        echo "passes, but should say: $words" >&2
        exit 1
    fi
    case $said in
    *"$words"*) ;;
    *)
        printf 'says something else than "%s":\n%s\n' "$words" "$said" >&2
        exit 1
        ;;
    esac
}

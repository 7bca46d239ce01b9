#!/bin/sh
# SPDX-License-Identifier: MIT
# test_lessons.sh LESSONS: what the script makes of heads that name what their step defines, and of each
# way not to.
# shellcheck disable=SC2016 # backquotes of comments
set -eu

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/sums"
printf 'add_step(sums %s "a title")\n' s1_first library_x >"$folder/sums/CMakeLists.txt"

# step NAME TITLE BEFORE NOW: a step with such a head; its code is on stdin.
step()
{
    {
        printf '/* %s: %s\n *\n' "${1%%_*}" "$2"
        [ -z "$3" ] || printf ' * Before: %s\n' "$3"
        printf ' * Now:    %s\n * See:    docs/sums.md#%s\n */\n' "$4" "${1%%_*}"
        cat
    } >"$folder/sums/$1.cu"
}

lessons=$1

# hears MESSAGE ASKED: the script says so and fails, or says nothing and passes.
hears()
{
    code=0
    said=$("$lessons" "$folder") || code=$?
    expected=0
    [ -z "$1" ] || expected=1
    if [ "$said" != "$1" ] || [ $code != $expected ]; then
        echo "says '$said' with $code to: $2" >&2
        exit 1
    fi
}

# says MESSAGE NOW: what the script makes of such a "Now:" of the first step.
says()
{
    step s1_first 'one.' '' "$2" <<'END'
#include "sums.cuh"
#define ROOM 4
enum { WIDE = 8, HIGH = WIDE * 2 };
typedef unsigned long word_t;
struct __align__(16) pair
{
    int a, b;
};
/* apart() is only spoken of, and "told()" is a text. */
template <int N> __global__ void __launch_bounds__(WIDE, 2)
    sum(const int *in, int *out)
{
    const int first = in[0], last = in[1];
    struct other strange;

    puts("told()");
    *out = fetch(first, last) + strange.a;
    return late(first);
}
END
    hears "${1:+sums/s1_first.cu: \"Now:\" $1}" "$2"
}

for own in 'sum()' '`ROOM`' '`WIDE`' '`HIGH`' '`word_t`' '`pair`' '`first`' '`last`' 'fetch() of sum()'; do
    says '' "the step has $own."
done
says 'names nothing of its code, as in `name` or name()' 'one sum, and no other.'
says 'names nothing that this file defines' 'fetch() brings it.'
says 'names nothing that this file defines' 'late() comes last.'
says 'names nothing that this file defines' '`other` is used.'
says 'names apart, which its code has not' 'sum() and apart().'
says 'names told, which its code has not' 'sum() and told().'
says 'names gone, which its code has not' 'sum() and
 *         gone().'

# An experiment has no "Now:", but then no step of its chapter has.
printf '/* s1: one.\n *\n * See:    docs/sums.md#s1\n */\n' >"$folder/sums/s1_first.cu"
hears '' 'a chapter without "Now:"'
printf '/* x: none.\n *\n * Now:    all.\n */\n' >"$folder/sums/x.cu"
hears 'sums/s1_first.cu: no "Now:"' 'a step without "Now:" beside one'
rm "$folder/sums/x.cu"

# needs MESSAGE TITLE BEFORE: the second step, of which four lines of six are new to the first.
needs()
{
    step s1_first 'one.' '' 'add().' <<'END'
static int add(int a, int b)
{
    return a + b;
}
END
    step s2_second "$2" "$3" 'two().' <<'END'
static int two(int a)
{
    a = a * a;
    a = a + a;
    return a;
}
END
    hears "${1:+sums/s2_second.cu: $1}" "$2"
}

echo 'add_step(sums s2_second "a title")' >>"$folder/sums/CMakeLists.txt"
needs '4 of its 6 lines are not in s1_first: two steps, or "A new beginning."' 'two.' 's1 was slow.'
needs '' 'two. A new beginning.' 's1 was slow.'
needs '' 'two. A program rather than a step.' 's1 was slow.'
# The step before it has as little of it, but another one that it names has all.
sed '1s/.*/\/* s0: none./' "$folder/sums/s2_second.cu" >"$folder/sums/s0_like.cu"
sed -i '1s/^/add_step(sums s0_like "a title")\n/' "$folder/sums/CMakeLists.txt"
needs '' 'two.' 's0 was slow.'
needs 'only 0 of its 6 lines are not in s0_like: no new beginning' 'two. A new beginning.' 's0 was slow.'

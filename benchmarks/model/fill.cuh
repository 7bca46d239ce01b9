/* SPDX-License-Identifier: MIT */
/* Inputs that follow a rule. */
#ifndef FILL_CUH
#define FILL_CUH

#include <stdlib.h>

#include "common.h"

/* `count` words of `rule`, which gets the place of each and a random number, in device memory. The
 * same numbers for the same `seed`. */
template <typename word, typename rule>
static word *fill_from(uint64_t seed, int count, rule rule_of)
{
    word *words = (word *)memory_host(count * sizeof *words);

    for (int i = 0; i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        words[i] = (word)rule_of(i, (int)(seed >> 34));
    }
    word *device = device_input(word, words, count);
    free(words);
    return device;
}

#endif

/* SPDX-License-Identifier: MIT */
/* What each function of the runtime is about. */
#include <stddef.h>
#include <string.h>

#include "cudart/lacking.h"

const char *family_of(const char *function)
{
    static const struct {
        const char *prefix, *words;
    } families[] = {
#define FAMILY(prefix, words) {prefix, words},
#include "cudart/families.def"
#undef FAMILY
    };
    size_t i = 0;

    while (i + 1 < sizeof(families) / sizeof(families[0]) &&
           strncmp(function, families[i].prefix, strlen(families[i].prefix)) != 0)
        i++;
    return families[i].words;
}

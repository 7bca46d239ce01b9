/* SPDX-License-Identifier: MIT */
/* All functions that the headers of the toolkit declare and no other file here defines. When
 * called they say that they are not emulated. The definitions are weak, so a function that is
 * written elsewhere replaces one of them. */
#include "cudart/lacking.h"

#define FUNCTION(name)                                           \
    __attribute__((weak, visibility("default"))) int name(void); \
    int name(void)                                               \
    {                                                            \
        return runtime_lacks(#name);                             \
    }
#include "runtime_functions.inc"

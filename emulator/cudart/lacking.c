/* SPDX-License-Identifier: MIT */
/* Every function that the toolkit's headers declare and no other file here defines: it says so when
 * it is called. The definitions are weak, so that writing the function is all it takes. */
#include "cudart/lacking.h"

#define FUNCTION(name)                                           \
    __attribute__((weak, visibility("default"))) int name(void); \
    int name(void)                                               \
    {                                                            \
        return runtime_lacks(#name);                             \
    }
#include "runtime_functions.inc"

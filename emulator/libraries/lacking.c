/* SPDX-License-Identifier: MIT */
/* All functions that the library's headers declare and no other file of it defines, as in
 * cudart/lacking.c. LACKING_ABOUT names the library, LACKING_CODE is what its functions return. */
#include "libraries/stand_in.h"

#define FUNCTION(name)                                           \
    __attribute__((weak, visibility("default"))) int name(void); \
    int name(void)                                               \
    {                                                            \
        __cudaEmuLacks(#name, LACKING_ABOUT);                    \
        return LACKING_CODE;                                     \
    }
#include LACKING_FUNCTIONS

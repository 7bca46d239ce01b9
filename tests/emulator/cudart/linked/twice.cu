/* SPDX-License-Identifier: MIT */
/* Defines a function that linked_part.cu defines, too, where the host's linker does not see it. */
#include "linked.h"

#ifdef __CUDA_ARCH__
__device__ int twice(int x)
{
    return x + x;
}
#endif

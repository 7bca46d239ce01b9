/* Launches of one stream that overlap: programmatic dependent launch, compute capability 9.0 up.
 *
 * A kernel launched with overlap_attribute() may begin before the kernel in front of it has ended:
 * as soon as every block of that one has called overlap_allow(), or is gone. It may rely on what
 * that kernel writes only behind overlap_wait().
 */
#ifndef OVERLAP_CUH
#define OVERLAP_CUH

#include "check.h"

/* Let the next kernel begin, as far as this block is concerned; one thread's call will do. It
 * orders no memory accesses. Compiled for less than 9.0 it does nothing. */
__device__ inline void overlap_allow(void)
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/* Wait until the kernel in front has ended, and what it wrote can be read. Compiled for less than
 * 9.0 it does nothing: no kernel begins early then. */
__device__ inline void overlap_wait(void)
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

/* The attribute to launch `kernel` with: leave to begin early where it is compiled for 9.0 or more,
 * else one that the runtime ignores. */
template <typename... T> cudaLaunchAttribute overlap_attribute(void (*kernel)(T...))
{
    cudaLaunchAttribute attribute = {};
    cudaFuncAttributes compiled;

    CHECK(cudaFuncGetAttributes(&compiled, kernel));
    attribute.id = cudaLaunchAttributeIgnore;
    if (compiled.ptxVersion >= 90) {
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
    }
    return attribute;
}

#endif

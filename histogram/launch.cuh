/* The launch that b2 spells out, for the steps after it: blocks that stay. */
#ifndef LAUNCH_CUH
#define LAUNCH_CUH

#include "histogram.h"

/* Set blocks, threads and dynamic shared memory of `run` for a kernel whose threads take `each`
 * samples at a time: as many blocks as the GPU holds at once, or fewer if these are enough. */
template <typename K>
static void blocks_that_stay(struct run *run, K *kernel, int threads, size_t shared_bytes, int n,
                             int each)
{
    int device, sms, blocks;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)shared_bytes));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes));
    run->blocks = max(1, min(sms * blocks, (n - 1) / (threads * each) + 1));
    run->threads = threads;
    run->shared_bytes = shared_bytes;
}

#endif

/* p2: stop when a divisor is found.
 *
 * Before: in p1 each thread went through its slice whatever the others had found.
 * Now:    a thread that finds a divisor raises a flag, and every thread looks at it after
 *         `BETWEEN_LOOKS` divisors. The threads walk side by side, so that small divisors, the
 *         likely ones, come first.
 * Pinned: the loop stays rolled, as in the article.
 * See:    docs/prime.md#p2
 */
#include <stdlib.h>
#include <cuda/atomic>

#include "prime.h"

enum { BETWEEN_LOOKS = 64 };

typedef cuda::atomic_ref<int, cuda::thread_scope_device> flag_ref;

__global__ void find_divisor(uint64_t n, uint64_t root, uint64_t *divisor, int *flag)
{
    const flag_ref stop(*flag); /* one thread writes while others read: a race, were it plain */
    const uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t threads = (uint64_t)gridDim.x * blockDim.x;
    const uint64_t stride = threads * BETWEEN_LOOKS;
    uint64_t found = PRIME_NO_DIVISOR;

    for (uint64_t begin = 2 + thread; begin <= root && !found; begin += stride) {
        const uint64_t end = min(begin + stride, root + 1);

        if (stop.load(cuda::memory_order_relaxed))
            break;
#pragma unroll 1
        for (uint64_t d = begin; d < end && !found; d += threads)
            if (n % d == 0)
                found = d;
    }
    if (found)
        stop.store(1, cuda::memory_order_relaxed);
    divisor[thread] = found;
}

/* The whole device side: a divisor of n, or none. */
static uint64_t prime_gpu(uint64_t n, uint64_t root, struct run *run)
{
    const unsigned blocks = prime_blocks(root), threads = blocks * PRIME_THREADS;
    uint64_t *divisor = (uint64_t *)memory_host(threads * sizeof(uint64_t)), found;
    uint64_t *d_divisor = device_output(uint64_t, run, threads);
    int *d_stop = device_output(int, run, 1);

    run->blocks = blocks;
    run->threads = PRIME_THREADS;
    TIMED(run) {
        CHECK(cudaMemsetAsync(d_stop, 0, sizeof(int))); /* before every run, so it is timed too */
        find_divisor<<<blocks, PRIME_THREADS>>>(n, root, d_divisor, d_stop);
    }

    device_fetch(uint64_t, divisor, d_divisor, threads);
    device_free(run, d_divisor);
    device_free(run, d_stop);
    found = prime_gather(divisor, threads);
    free(divisor);
    return found;
}

int main(int argc, char **argv)
{
    return prime_main(argc, argv, STEP, {.divide = prime_gpu});
}

/* p3: a wheel, and no division.
 *
 * Before: in p2 every number was tried as a divisor, with a 64-bit division each.
 * Now:    of every `WHEEL` divisors only the 8 that 2, 3 and 5 do not divide are tried. These are
 *         odd, so n is multiplied by the inverse of d modulo 2^64, in two 32-bit pieces. The
 *         product q is the quotient if d divides n; if not, q d does not fit in 64 bits. The
 *         threads keep the smallest divisor found so far, and stop beyond it.
 * See:    docs/prime.md#p3
 */
#include <stdlib.h>
#include <cuda/atomic>

#include "prime.h"

enum { WHEEL = 30, BETWEEN_LOOKS = 64 };

typedef cuda::atomic_ref<unsigned, cuda::thread_scope_device> divisor_ref;

/* Whether the odd d divides n. */
__device__ static bool divides(uint32_t d, uint32_t high, uint32_t low)
{
    uint32_t inverse = (3 * d) ^ 2; /* right modulo 2^5; each line doubles the bits */
    uint32_t carry;

    inverse *= 2 - d * inverse;
    inverse *= 2 - d * inverse;
    inverse *= 2 - d * inverse;
    carry = __umulhi(low * inverse, d);
    return high >= carry && __umulhi((high - carry) * inverse, d) == 0;
}

__global__ void find_divisor(uint64_t n, uint32_t root, uint64_t *divisor, unsigned *least)
{
    const divisor_ref smallest(*least);
    const uint32_t spokes[] = {7, 11, 13, 17, 19, 23, 29, 31};
    const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t stride = gridDim.x * blockDim.x;
    const uint32_t high = n >> 32, low = n;
    uint64_t found = PRIME_NO_DIVISOR;

    if (thread == 0)
        for (uint64_t d = 5; d >= 2; d -= d == 5 ? 2 : 1)
            if (d <= root && n % d == 0)
                found = d;

    for (uint32_t turn = thread, round = 0; turn <= root / WHEEL && !found; turn += stride) {
        const uint32_t hub = turn * WHEEL;

        /* A thread that reads a stale value does a few extra divisions. */
        if (round++ % BETWEEN_LOOKS == 0 && hub > smallest.load(cuda::memory_order_relaxed))
            break;
#pragma unroll
        for (int i = 0; i < 8; i++)
            if (divides(hub + spokes[i], high, low) && !found && (uint64_t)hub + spokes[i] <= root)
                found = hub + spokes[i];
    }
    if (found)
        smallest.fetch_min((unsigned)found, cuda::memory_order_relaxed);
    divisor[thread] = found;
}

/* The whole device side: the smallest divisor of n, or none. */
static uint64_t prime_gpu(uint64_t n, uint64_t root, struct run *run)
{
    const unsigned blocks = prime_blocks(root / WHEEL + 1), threads = blocks * PRIME_THREADS;
    uint64_t *divisor = (uint64_t *)memory_host(threads * sizeof(uint64_t)), found;
    uint64_t *d_divisor = device_output(uint64_t, run, threads);
    unsigned *d_smallest = device_output(unsigned, run, 1);

    run->blocks = blocks;
    run->threads = PRIME_THREADS;
    TIMED(run) {
        CHECK(cudaMemsetAsync(d_smallest, 0xFF, sizeof(unsigned)));
        find_divisor<<<blocks, PRIME_THREADS>>>(n, root, d_divisor, d_smallest);
    }

    device_fetch(uint64_t, divisor, d_divisor, threads);
    device_free(run, d_divisor);
    device_free(run, d_smallest);
    found = prime_gather(divisor, threads);
    free(divisor);
    return found;
}

int main(int argc, char **argv)
{
    return prime_main(argc, argv, STEP, {.divide = prime_gpu, .smallest = true});
}

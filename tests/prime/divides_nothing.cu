/* A kernel that writes no verdict: for a prime, what is left must not look like one. */
#include <stdlib.h>

#include "prime.h"

__global__ void find_divisor(uint64_t n, uint64_t *divisor)
{
    if (n == 0)
        divisor[threadIdx.x] = PRIME_NO_DIVISOR;
}

static uint64_t prime_gpu(uint64_t n, uint64_t root, struct run *run)
{
    uint64_t divisor[PRIME_THREADS];
    uint64_t *d_divisor = device_output(uint64_t, run, PRIME_THREADS);

    (void)root;
    run->blocks = 1;
    run->threads = PRIME_THREADS;
    TIMED(run)
        find_divisor<<<1, PRIME_THREADS>>>(n, d_divisor);
    device_fetch(uint64_t, divisor, d_divisor, PRIME_THREADS);
    device_free(run, d_divisor);
    return prime_gather(divisor, PRIME_THREADS);
}

int main(int argc, char **argv)
{
    return prime_main(argc, argv, STEP, {.divide = prime_gpu, .smallest = true});
}

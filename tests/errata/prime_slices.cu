/* The prime checker as printed, with 8 blocks of 256 threads and the root of k as its limit: the
 * source is cut off before it says how many there are. */
#include "prime.h"

#define THREADS 256
#define BLOCKS 8

__global__ static void is_prime(unsigned long long k, unsigned long long seg, bool *ret)
{
    const int tid = threadIdx.x;
    const int bid = blockIdx.x;
    const unsigned long long a = 2 + (bid * THREADS + tid) * seg;
    const unsigned long long b = 2 + (bid * THREADS + tid + 1) * seg;

    for (unsigned long long i = a; i <= b; i++) {
        if (k % i == 0) {
            ret[bid * THREADS + tid] = false;
            return;
        }
    }
    ret[bid * THREADS + tid] = true;
}

/* The article's verdict is no divisor: for "not prime" 1 stands here. */
static uint64_t prime_gpu(uint64_t n, uint64_t root, struct run *run)
{
    bool verdict[THREADS * BLOCKS], *d_verdict = device_output(bool, run, THREADS *BLOCKS);
    uint64_t result = PRIME_NO_DIVISOR;

    run->blocks = BLOCKS;
    run->threads = THREADS;
    TIMED(run)
        is_prime<<<BLOCKS, THREADS>>>(n, (root - 2) / THREADS / BLOCKS, d_verdict);
    device_fetch(bool, verdict, d_verdict, THREADS *BLOCKS);
    device_free(run, d_verdict);
    for (int i = 0; i < THREADS * BLOCKS; i++)
        if (!verdict[i])
            result = 1;
    return result;
}

int main(int argc, char **argv)
{
    return prime_main(argc, argv, STEP, {.divide = prime_gpu});
}

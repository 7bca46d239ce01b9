/* g1: one GPU adds up all numbers.
 *
 * Now:    what the next steps share out: add_up() goes through the numbers with all threads, adds
 *         up each warp by shuffles, and adds the warps' sums by atomics.
 * See:    docs/peers.md#g1
 */
#include "peers.h"

enum { THREADS = 256, BLOCKS = 1024 };

__global__ void add_up(const int *a, int n, unsigned long long *sum)
{
    long long mine = 0;

    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        mine += a[i];
    for (int distance = 16; distance > 0; distance /= 2)
        mine += __shfl_down_sync(~0u, mine, distance);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, (unsigned long long)mine);
}

/* The whole device side, from host numbers to a host sum. */
static long long sum_gpu(const int *a, int n, int devices, struct run *run)
{
    int *d_a = device_input(int, a, n);
    unsigned long long *d_sum = device_output(unsigned long long, run, 1), sum;

    run->blocks = min(BLOCKS, n / THREADS + 1);
    run->threads = THREADS;
    TIMED(run) {
        CHECK(cudaMemsetAsync(d_sum, 0, sizeof(sum)));
        add_up<<<run->blocks, THREADS>>>(d_a, n, d_sum);
    }

    device_fetch(unsigned long long, &sum, d_sum, 1);
    device_free(run, d_a);
    device_free(run, d_sum);
    return (long long)sum;
}

int main(int argc, char **argv)
{
    return peers_main(argc, argv, STEP, {.sum = sum_gpu, .alone = true});
}

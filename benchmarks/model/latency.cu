/* How long a load takes, by where the data lies: one thread follows a chain through a working set.
 * Every run goes on where the last one stopped, behind a kernel that reads the whole set once, so
 * that what fits into L2 is there. */
#include <stdlib.h>

#include "calibration.h"

enum { HOPS = 4096, NUMBERS = 65536, LINE = 128 / sizeof(unsigned) };

__global__ void follow(const unsigned *next, unsigned *at)
{
    unsigned i = *at;

#pragma unroll 1
    for (int hop = 0; hop < HOPS; hop++)
        i = next[i];
    *at = i;
}

__global__ void follow_shared(unsigned *at)
{
    __shared__ unsigned next[1024];
    unsigned i = *at % 1024;

    for (int k = threadIdx.x; k < 1024; k += blockDim.x)
        next[k] = (k + 33) % 1024;
    __syncthreads();
#pragma unroll 1
    for (int hop = 0; hop < HOPS; hop++)
        i = next[i];
    *at = i;
}

__global__ void read_all(const uint4 *data, size_t count, unsigned *sink)
{
    unsigned seen = 0;

    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        seen |= data[i].x;
    if (seen == 0xFFFFFFFF)
        *sink = seen;
}

/* One thread, with a load under way or with as many as the compiler likes. */
__global__ void add_rolled(const int *numbers, int n, int *sum)
{
    int all = 0;

#pragma unroll 1
    for (int i = 0; i < n; i++)
        all += numbers[i] * numbers[i];
    *sum = all;
}

__global__ void add_unrolled(const int *numbers, int n, int *sum)
{
    int all = 0;

    for (int i = 0; i < n; i++)
        all += numbers[i] * numbers[i];
    *sum = all;
}

/* One ring through the lines in an order that no prefetcher guesses (Sattolo's shuffle). */
static unsigned *make_ring(size_t bytes)
{
    const size_t lines = bytes / 128;
    unsigned *order = (unsigned *)memory_host(lines * sizeof *order);
    unsigned *next = (unsigned *)memory_host(bytes);
    unsigned *device;
    uint64_t seed = 1;

    for (size_t i = 0; i < lines; i++)
        order[i] = (unsigned)i;
    for (size_t i = lines - 1; i > 0; i--) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const size_t j = (seed >> 33) % i;
        const unsigned swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    for (size_t i = 0; i < lines; i++)
        next[i * LINE] = order[i] * LINE;
    device = device_input(unsigned, next, bytes / sizeof *next);
    free(order);
    free(next);
    return device;
}

static void measure(struct calibration *calibration)
{
    const int kib[] = {4, 32, 128, 512, 4096, 24576, 131072};
    unsigned *at = (unsigned *)calibration_memory(sizeof *at);

    for (int k : kib) {
        const size_t bytes = (size_t)k * 1024;
        unsigned *next = make_ring(bytes);

        read_all<<<256, 256>>>((const uint4 *)next, bytes / 16, at);
        CHECK(cudaMemset(at, 0, sizeof *at));
        TIMED_CASE(calibration, "%d hops in %d KiB", HOPS, k)
            follow<<<1, 1>>>(next, at);
        CHECK(cudaFree(next));
    }
    TIMED_CASE(calibration, "%d hops in shared memory", HOPS)
        follow_shared<<<1, 32>>>(at);
    int *numbers = (int *)calibration_memory(NUMBERS * sizeof *numbers);
    TIMED_CASE(calibration, "%d numbers in a rolled loop", NUMBERS)
        add_rolled<<<1, 1>>>(numbers, NUMBERS, (int *)at);
    TIMED_CASE(calibration, "%d numbers in a loop to unroll", NUMBERS)
        add_unrolled<<<1, 1>>>(numbers, NUMBERS, (int *)at);
    CHECK(cudaFree(numbers));
    CHECK(cudaFree(at));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "latency", measure);
}

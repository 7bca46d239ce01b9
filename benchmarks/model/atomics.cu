/* Atomics by contention: 2^20 threads add to 1, 32, 256 ... counters, in global and in shared
 * memory. Thread t takes counter t * 2654435761 mod count, which the compiler cannot see
 * through. */
#include "calibration.h"

enum { THREADS = 256, BLOCKS = 4096, BINS = 1024 };

__device__ inline unsigned scatter(unsigned thread, unsigned mask)
{
    return thread * 2654435761u >> 7 & mask;
}

__global__ void add_global(unsigned *counters, unsigned mask)
{
    atomicAdd(&counters[scatter(blockIdx.x * THREADS + threadIdx.x, mask)], 1);
}

/* One counter whose address every thread is known to share: ptxas adds up within the warp. */
__global__ void add_uniform(unsigned *counter)
{
    atomicAdd(counter, 1);
}

__global__ void add_float(float *counters, unsigned mask)
{
    atomicAdd(&counters[scatter(blockIdx.x * THREADS + threadIdx.x, mask)], 1.0f);
}

/* The answer is waited for. */
__global__ void exchange_global(unsigned *counters, unsigned mask)
{
    const unsigned i = scatter(blockIdx.x * THREADS + threadIdx.x, mask);

    if (atomicExch(&counters[i], i) == 0xFFFFFFFF)
        counters[i] = 0;
}

/* One thread of a block: a ticket. */
__global__ void take_ticket(unsigned *counter)
{
    __shared__ unsigned ticket;

    if (threadIdx.x == 0)
        ticket = atomicAdd(counter, 1);
    __syncthreads();
    if (ticket == 0xFFFFFFFF)
        *counter = 0;
}

__global__ void add_shared(unsigned *counters, unsigned mask)
{
    __shared__ unsigned bins[BINS];

    for (unsigned i = threadIdx.x; i < BINS; i += THREADS)
        bins[i] = 0;
    __syncthreads();
#pragma unroll 1
    for (unsigned k = 0; k < 64; k++)
        atomicAdd(&bins[scatter(blockIdx.x * THREADS + threadIdx.x + k * 1031, mask)], 1);
    __syncthreads();
    if (bins[threadIdx.x] == 0xFFFFFFFF)
        counters[threadIdx.x] = 1;
}

__global__ void add_shared_float(unsigned *counters, unsigned mask)
{
    __shared__ float bins[BINS];

    for (unsigned i = threadIdx.x; i < BINS; i += THREADS)
        bins[i] = 0;
    __syncthreads();
#pragma unroll 1
    for (unsigned k = 0; k < 16; k++)
        atomicAdd(&bins[scatter(blockIdx.x * THREADS + threadIdx.x + k * 1031, mask)], 1.0f);
    __syncthreads();
    if (bins[threadIdx.x] < 0)
        counters[threadIdx.x] = 1;
}

static void measure(struct calibration *calibration)
{
    const unsigned counts[] = {1, 32, 256, 4096, 1u << 20};
    unsigned *counters = (unsigned *)calibration_memory(sizeof(unsigned) << 20);

    for (unsigned count : counts)
        TIMED_CASE(calibration, "2^20 additions to %u counters", count)
            add_global<<<BLOCKS, THREADS>>>(counters, count - 1);
    TIMED_CASE(calibration, "2^20 additions to one counter, known to be one")
        add_uniform<<<BLOCKS, THREADS>>>(counters);
    for (unsigned count : {1u, 256u, 1u << 20})
        TIMED_CASE(calibration, "2^20 float additions to %u counters", count)
            add_float<<<BLOCKS, THREADS>>>((float *)counters, count - 1);
    for (unsigned count : {1u, 256u, 1u << 20})
        TIMED_CASE(calibration, "2^20 exchanges with %u counters", count)
            exchange_global<<<BLOCKS, THREADS>>>(counters, count - 1);
    TIMED_CASE(calibration, "a ticket for each of 4096 blocks")
        take_ticket<<<BLOCKS, THREADS>>>(counters);
    for (unsigned count : {1u, 32u, 256u, 1024u})
        TIMED_CASE(calibration, "64 x 33792 additions to %u shared counters", count)
            add_shared<<<132, THREADS>>>(counters, count - 1);
    for (unsigned count : {1u, 32u, 1024u})
        TIMED_CASE(calibration, "16 x 33792 float additions to %u shared counters", count)
            add_shared_float<<<132, THREADS>>>(counters, count - 1);
    CHECK(cudaFree(counters));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "atomics", measure);
}

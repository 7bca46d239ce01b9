/* Bank conflicts: loads from shared memory whose lanes lie `stride` words apart, in a full block;
 * 32 words apart all of them meet in one bank. */
#include "calibration.h"

enum { THREADS = 1024, TIMES = 1024, WORDS = 8192 };

__global__ void read_apart(unsigned stride, unsigned *sink)
{
    __shared__ unsigned words[WORDS];
    const unsigned at = threadIdx.x * stride;
    unsigned seen = 0;

    for (unsigned i = threadIdx.x; i < WORDS; i += THREADS)
        words[i] = i;
    __syncthreads();
#pragma unroll 1
    for (unsigned k = 0; k < TIMES; k += 4) {
#pragma unroll
        for (unsigned j = 0; j < 4; j++)
            seen += words[(at + (k + j) * 32) % WORDS];
    }
    if (seen == 0xFFFFFFFF)
        *sink = seen;
}

/* By 16 bytes: four wavefronts at best. */
__global__ void read_wide(uint4 *sink)
{
    __shared__ uint4 quads[THREADS];
    uint4 seen = {0, 0, 0, 0};

    quads[threadIdx.x] = seen;
    __syncthreads();
#pragma unroll 1
    for (unsigned k = 0; k < TIMES; k += 4) {
#pragma unroll
        for (unsigned j = 0; j < 4; j++) {
            const uint4 quad = quads[(threadIdx.x + (k + j) * 32) % THREADS];
            seen.x += quad.x;
            seen.y ^= quad.y;
            seen.z |= quad.z;
            seen.w += quad.w;
        }
    }
    if (seen.x + seen.y + seen.z + seen.w == 0xFFFFFFFF)
        *sink = seen;
}

static void measure(struct calibration *calibration)
{
    unsigned *sink = (unsigned *)calibration_memory(16);

    for (unsigned ways = 1; ways <= 32; ways *= 2)
        TIMED_CASE(calibration, "%d loads %u ways", TIMES, ways)
            read_apart<<<1, THREADS>>>(ways, sink);
    TIMED_CASE(calibration, "%d loads of 16 bytes", TIMES)
        read_wide<<<1, THREADS>>>((uint4 *)sink);
    CHECK(cudaFree(sink));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "shared", measure);
}

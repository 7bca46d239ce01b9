/* Constants at computed addresses: those that all lanes of a warp are known to share, for which
 * there are registers and loads of their own, and those that each lane might have for itself. */
#include "calibration.h"

enum { WORDS = 256, MOST_WORDS = 1024, TIMES = 4096 };

__constant__ unsigned ring[WORDS];
__constant__ float numbers[MOST_WORDS];
__constant__ float4 quads[WORDS];

__global__ void follow(const unsigned *first, unsigned *sink)
{
    unsigned i = first[threadIdx.x];

#pragma unroll 1
    for (int hop = 0; hop < TIMES; hop++)
        i = ring[i];
    if (i == WORDS)
        *sink = i;
}

/* A number for each turn, UNROLL turns at once; every addition waits for the last one. What it is
 * multiplied by is in a register, so that the number can be in a uniform one. */
template <int UNROLL> __global__ void add_shared(int turns, float f, float *sink)
{
    const float mine = f + threadIdx.x;
    float all = f;

#pragma unroll 1
    for (int turn = 0; turn < turns; turn++)
#pragma unroll UNROLL
        for (int i = 0; i < WORDS; i++)
            all = fmaf(all, mine, numbers[i]);
    if (all == f)
        *sink = all;
}

/* The same of the first few, again and again. */
__global__ void add_again(int words, float f, float *sink)
{
    const float mine = f + threadIdx.x;
    float all = f;

#pragma unroll 1
    for (int turn = 0; turn < TIMES / words; turn++)
#pragma unroll 4
        for (int i = 0; i < words; i++)
            all = fmaf(all, mine, numbers[i]);
    if (all == f)
        *sink = all;
}

/* One number of each of so many lines. */
__global__ void add_lines(int lines, int apart, float f, float *sink)
{
    const float mine = f + threadIdx.x;
    float all = f;

#pragma unroll 1
    for (int turn = 0; turn < 960 / lines; turn++)
#pragma unroll 1
        for (int i = 0; i < lines * apart; i += apart)
            all = fmaf(all, mine, numbers[i]);
    if (all == f)
        *sink = all;
}

/* The same as add_shared(), but the other operand is a constant already. */
__global__ void add_beside(int turns, float f, float *sink)
{
    float all = f;

#pragma unroll 1
    for (int turn = 0; turn < turns; turn++)
#pragma unroll 4
        for (int i = 0; i < WORDS; i++)
            all = fmaf(all, f, numbers[i]);
    if (all == f)
        *sink = all;
}

/* Four numbers for each turn: two are operands, two are factors of what is known. */
__global__ void add_quads(int turns, float f, float *sink)
{
    const float mine = f + threadIdx.x;
    float all = f, other = f;

#pragma unroll 1
    for (int turn = 0; turn < turns; turn++)
#pragma unroll 4
        for (int i = 0; i < WORDS; i++) {
            const float4 quad = quads[i];
            all = fmaf(quad.x, mine, all) + quad.z * 400;
            other = fmaf(quad.y, mine, other) + quad.w * 120;
        }
    if (all + other == f)
        *sink = all;
}

/* Blocks of an SM that begin one after the other, so many additions apart. */
__global__ void add_late(int words, int sms, int apart, float f, float *sink)
{
    const float mine = f + threadIdx.x;
    float all = f;

#pragma unroll 1
    for (int i = (int)blockIdx.x / sms * apart; i > 0; i--)
        all = fmaf(all, mine, f);
#pragma unroll 1
    for (int turn = 0; turn < TIMES / words; turn++)
#pragma unroll 4
        for (int i = 0; i < words; i++)
            all = fmaf(all, mine, numbers[i]);
    if (all == f)
        *sink = all;
}

/* Each lane has an address of its own, which may be the same: `step` is 0 or 1. */
__global__ void add_lanes(const unsigned *first, int step, float f, float *sink)
{
    const unsigned at = first[threadIdx.x] + threadIdx.x % 32 * step;
    float all = f;

#pragma unroll 1
    for (int turn = 0; turn < TIMES / 128; turn++)
#pragma unroll 4
        for (int i = 0; i < 128; i++)
            all = fmaf(all, f, numbers[at + i]);
    if (all == f)
        *sink = all;
}

static void measure(struct calibration *calibration)
{
    const int turns = TIMES / WORDS, sms = calibration->device.multiprocessors;
    unsigned host[WORDS];
    unsigned *zeros = (unsigned *)calibration_memory(1024 * sizeof *zeros);
    float *sink = (float *)calibration_memory(sizeof *sink);

    for (unsigned i = 0; i < WORDS; i++)
        host[i] = (i + 33) % WORDS;
    CHECK(cudaMemcpyToSymbol(ring, host, sizeof host));
    TIMED_CASE(calibration, "%d hops", TIMES)
        follow<<<1, 32>>>(zeros, (unsigned *)sink);
    for (int warps : {1, 4, 16, 32}) {
        TIMED_CASE(calibration, "%d shared numbers, one a turn, %d warps", TIMES, warps)
            add_shared<1><<<1, 32 * warps>>>(turns, 0.5f, sink);
        TIMED_CASE(calibration, "%d shared numbers, %d warps", TIMES, warps)
            add_shared<4><<<1, 32 * warps>>>(turns, 0.5f, sink);
        TIMED_CASE(calibration, "%d numbers beside a constant, %d warps", TIMES, warps)
            add_beside<<<1, 32 * warps>>>(turns, 0.5f, sink);
        TIMED_CASE(calibration, "%d fours of shared numbers, %d warps", TIMES, warps)
            add_quads<<<1, 32 * warps>>>(turns, 0.5f, sink);
        TIMED_CASE(calibration, "%d numbers, a lane's address, %d warps", TIMES, warps)
            add_lanes<<<1, 32 * warps>>>(zeros, 0, 0.5f, sink);
    }
    for (int warps : {1, 16})
        for (int words : {64, 128})
            TIMED_CASE(calibration, "%d of %d bytes, %d warps", TIMES, 4 * words, warps)
                add_again<<<1, 32 * warps>>>(words, 0.5f, sink);
    for (int apart : {16, 128})
        for (int lines : {4, 5})
            TIMED_CASE(calibration, "960 in %d lines, %d bytes apart", lines, 4 * apart)
                add_lines<<<1, 32>>>(lines, apart, 0.5f, sink);
    for (int words : {64, 96, 128})
        for (int apart : {0, 4, 16, 64})
            TIMED_CASE(calibration, "%d of %d bytes, 16 blocks %d apart", TIMES, 4 * words, apart)
                add_late<<<16 * sms, 128>>>(words, sms, apart, 0.5f, sink);
    TIMED_CASE(calibration, "%d numbers, another for each lane, 4 warps", TIMES)
        add_lanes<<<1, 128>>>(zeros, 1, 0.5f, sink);
    CHECK(cudaFree(zeros));
    CHECK(cudaFree(sink));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "constants", measure);
}

/* h11: how many threads an SM can hold.
 *
 * Claim:  an SM takes in blocks until it runs out of threads, registers, shared memory or places
 *         for blocks. What does not fit, says Hotball, is kept in the card's memory.
 * Today:  the same sums. Blocks that do not fit wait; no register is spilled because of them.
 * See:    docs/hardware.md#h11
 */
#include <stdio.h>

#include "reference.cuh"

enum { BLOCKS = 24, LOOP = 2048 };

struct limits {
    int threads, registers, shared, blocks; /* of an SM */
};

static const struct limits book = {1536, 16384, 16384, 8}, g80 = {768, 8192, 16384, 8};

/* Blocks on an SM, of so many threads with so many registers each, and so much shared memory. */
static int resident(const struct limits *l, int threads, int registers, int shared)
{
    const int most = min(l->threads / threads, l->registers / (registers * threads));

    return min(l->blocks, shared ? min(most, l->shared / shared) : most);
}

static void say(struct trial *t, int blocks, int threads, int wanted)
{
    snprintf(t->text, sizeof(t->text), "%d blocks, %d threads", blocks, blocks * threads);
    t->verdict = compare_integer(blocks, wanted);
}

/* The sources' sums, for `value` registers or bytes; `other` blocks must come of them. */
template <const limits *LIMITS, int THREADS, bool SHARED> static void reckon(struct trial *t)
{
    const int registers = SHARED ? 1 : t->variant->value, shared = SHARED ? t->variant->value : 0;

    say(t, resident(LIMITS, THREADS, registers, shared), THREADS, t->variant->other);
}

/* Every block says when it came to its SM and when it left. */
__global__ void stay(int loops, long long *stays)
{
    extern __shared__ int words[];
    const long long start = clock64();
    int place, x = words[threadIdx.x] = threadIdx.x;

#pragma unroll 1
    for (int k = 0; k < loops; k++)
        x = x * 5 + words[threadIdx.x];
    asm("mov.u32 %0, %%smid;" : "=r"(place));
    if (threadIdx.x == 0) {
        stays[3 * blockIdx.x] = start;
        stays[3 * blockIdx.x + 1] = clock64() + (x == 1);
        stays[3 * blockIdx.x + 2] = place;
    }
}

/* This device, by the runtime and by the clocks. */
static void measure(struct trial *t)
{
    const int threads = t->variant->value, shared = t->variant->other;
    const int blocks = BLOCKS * t->device->multiprocessors;
    long long *d_stays = device_output(long long, t->run, 3 * blocks);
    int promised, seen;

    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&promised, stay, threads, shared));
    t->run->blocks = blocks;
    t->run->threads = threads;
    TIMED(t->run)
        stay<<<blocks, threads, shared>>>(t->device->modelled ? LOOP / 16 : LOOP, d_stays);
    seen = most_at_once(d_stays, blocks);
    if (t->device->modelled && seen == BLOCKS) /* its clock lets all begin at once */
        seen = promised;
    say(t, seen, threads, promised);
    device_free(t->run, d_stays);
}

static const struct variant variants[] = {
    {"book_10", "10 registers, 512 threads", reckon<&book, 512, false>, 10, 3, "1536 threads"},
    {"book_11", "11 registers, 512 threads", reckon<&book, 512, false>, 11, 2, "1024 threads"},
    {"book_2k", "2 KB, 128 threads", reckon<&book, 128, true>, 2048, 8, "8 blocks"},
    {"book_tile", "2 KB, tiles of 16 x 16", reckon<&book, 256, true>, 2048, 6, "6 blocks"},
    {"book_5k", "5 KB, 256 threads", reckon<&book, 256, true>, 5120, 3, "3 blocks"},
    {"hotball_20", "20 registers, 256 threads", reckon<&g80, 256, false>, 20, 1, "5120 registers"},
    {"hotball_16", "16 registers, 256 threads", reckon<&g80, 256, false>, 16, 2, "512 threads"},
    {"here_128", "this device: 128 threads", measure, 128, 1024},
    {"here_256", "256 threads", measure, 256, 1024},
    {"here_5k", "256 threads, 5 KB", measure, 256, 5120},
    {"here_12k", "128 threads, 12 KB", measure, 128, 12288},
};

static const struct experiment experiment = {HARDWARE_VARIANTS(variants), .no_size = true,
                                             .figure = "on an SM"};

int main(int argc, char **argv)
{
    return hardware_main(argc, argv, STEP, &experiment);
}

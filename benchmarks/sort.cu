/* k16_crowded against CUB, in one process, on inputs that take turns.
 *
 *   sort [--n N] [--runs N] [--device N]
 *
 * Keys of 32 bits, and pairs with values of 32, as words for CUB: random, all equal, sorted, eight
 * different ones, below 8, and random ones of which each byte has only its lower four bits, or not
 * its lower two. k16 skips digits that all keys share: those of equal keys, and three of keys below
 * 8. Every launch takes the next of two inputs, and k16 and CUB take turns. Without --n: 2^20, 2^25
 * and 2^28 items.
 */
#include <stdio.h>

#include <cub/device/device_radix_sort.cuh>

#include "../sort/ranks.cuh"
#include "../sort/ways.cuh"
#include "../sort/word_of.cuh"
#include "benchmark.h"

/* The kernels as they stand in the step, and nothing else of it. */
#define STEP                                        \
    {                                               \
        "benchmarks", "sort", "k16 against CUB", 90 \
    }
namespace k16
{
int k16_main(int argc, char **argv);
#define main k16_main
#include "../sort/k16_crowded.cu"
#undef main
} // namespace k16

enum { INPUTS = 2, KINDS = 7 };
static const char *const kinds[KINDS] = {"random",  "equal",  "sorted", "few",
                                         "below 8", "masked", "apart"};

/* One size and type: its inputs, and the room of both. */
template <typename T> struct contest {
    int n;
    T *inputs[INPUTS], *sorted, *spare, *cub;
    room<T> *own; /* of k16, and the words */
    void *room; /* of CUB */
    size_t room_bytes;
};

template <typename T> __global__ void fill(T *a, int n, int kind, unsigned seed)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned random = (i + seed) * 2654435761u;

        random = (random ^ random >> 15) * 2246822519u;
        random ^= random >> 13;
        const unsigned key = kind == 0   ? random
                             : kind == 1 ? seed
                             : kind == 2 ? i
                             : kind == 3 ? (random % 8 + 1) * 2654435761u
                             : kind == 4 ? random % 8
                             : kind == 5 ? random & 0x0f0f0f0f
                                         : random & 0xfcfcfcfc;

        a[i] = sizeof(T) > 4 ? (T)((wide_key)key << 32 | i) : (T)key;
    }
}

template <typename T> __global__ void count_different(const T *a, const T *b, int n, unsigned *sum)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (a[i] != b[i])
            atomicAdd(sum, 1u);
}

template <typename T> static void launch_k16(void *context, int turn)
{
    auto *c = (struct contest<T> *)context;

    sort_on_device<T>(k16::sweep<T>, c->inputs[turn % INPUTS], c->n, c->own, c->sorted, c->spare);
}

template <typename T> static void launch_cub(void *context, int turn)
{
    auto *c = (struct contest<T> *)context;
    const int end = 8 * sizeof(T);

    CHECK(cub::DeviceRadixSort::SortKeys(c->room, c->room_bytes,
                                         (const word_of<T> *)c->inputs[turn % INPUTS],
                                         (word_of<T> *)c->cub, c->n, end - 32, end));
}

template <typename T> static void contest_start(struct contest<T> *contest, int n)
{
    const size_t tiles = (n - 1) / MANY_TILE<T> + 1;

    *contest = {.n = n};
    for (T *&input : contest->inputs)
        CHECK(cudaMalloc(&input, n * sizeof(T)));
    CHECK(cudaMalloc(&contest->sorted, n * sizeof(T)));
    CHECK(cudaMalloc(&contest->spare, n * sizeof(T)));
    CHECK(cudaMalloc(&contest->cub, n * sizeof(T)));
    CHECK(cudaMalloc(&contest->own, sizeof(*contest->own) + tiles * DIGITS * sizeof(word)));
    CHECK(cudaFuncSetAttribute(k16::sweep<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               sizeof(tile_t<T>)));
    launch_cub<T>(contest, 0); /* asks how much room it needs */
    CHECK(cudaMalloc(&contest->room, contest->room_bytes));
}

template <typename T> static void contest_end(struct contest<T> *contest)
{
    for (T *input : contest->inputs)
        CHECK(cudaFree(input));
    CHECK(cudaFree(contest->sorted));
    CHECK(cudaFree(contest->spare));
    CHECK(cudaFree(contest->cub));
    CHECK(cudaFree(contest->own));
    CHECK(cudaFree(contest->room));
}

/* Whether both have the same items in the same order. */
template <typename T> static bool agree(struct contest<T> *contest)
{
    unsigned *d_different, different;

    CHECK(cudaMalloc(&d_different, sizeof(*d_different)));
    CHECK(cudaMemset(d_different, 0, sizeof(*d_different)));
    CHECK(cudaMemset(contest->sorted, MEMORY_POISON, contest->n * sizeof(T)));
    CHECK(cudaMemset(contest->cub, 0, contest->n * sizeof(T)));
    launch_k16<T>(contest, 1);
    launch_cub<T>(contest, 1);
    count_different<<<1024, 256>>>((word_of<T> *)contest->sorted, (word_of<T> *)contest->cub,
                                   contest->n, d_different);
    CHECK(cudaGetLastError());
    device_fetch(unsigned, &different, d_different, 1);
    CHECK(cudaFree(d_different));
    return different == 0;
}

/* Measure each kind, and print its line. Returns the exit code. */
template <typename T>
static int compete(int n, const char *what, const struct options *options,
                   const struct device *device)
{
    benchmark_launch *const launch[] = {launch_k16<T>, launch_cub<T>};
    struct contest<T> contest;
    int code = EXIT_MATCH;

    contest_start(&contest, n);
    for (int kind = 0; kind < KINDS && code == EXIT_MATCH; kind++) {
        double ms[2];

        for (int i = 0; i < INPUTS; i++)
            fill<<<1024, 256>>>((word_of<T> *)contest.inputs[i], n, kind, i + 1);
        CHECK(cudaGetLastError());
        if (!agree(&contest)) {
            check_say("n = %d, %s, %s: k16 and CUB differ", n, what, kinds[kind]);
            code = EXIT_MISMATCH;
            break;
        }
        benchmark_take_turns(launch, 2, &contest, options, device, ms);
        printf("%11d  %-5s  %-7s  %10.2f  %10.2f  %6.3f\n", n, what, kinds[kind], ms[0] * 1000,
               ms[1] * 1000, ms[1] / ms[0]);
    }
    contest_end(&contest);
    return code;
}

/* Both for `n` items. Returns the exit code. */
static int compete_all(int n, const struct options *options, const struct device *device)
{
    const int code = compete<unsigned>(n, "keys", options, device);

    return code == EXIT_MATCH ? compete<pair_t>(n, "pairs", options, device) : code;
}

int main(int argc, char **argv)
{
    static const int sizes[] = {1 << 20, 1 << 25, 1 << 28, 0};

    return benchmark_main(argc, argv, 90, sizes,
                          "          n  what   items       k16 (us)    CUB (us)  CUB/k16",
                          compete_all);
}

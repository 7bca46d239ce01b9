/* k7_one_sweep against CUB, in one process, on inputs that take turns.
 *
 *   sort [--n N] [--runs N] [--device N]
 *
 * Keys of 32 bits, and pairs with values of 32, as words for CUB: random, all equal, sorted, few
 * different ones, and random ones of which each byte has only its lower four bits. Every launch
 * takes the next of two inputs, and k7 and CUB take turns. Without --n: 2^20, 2^25 and 2^28 items.
 */
#include <stdio.h>

#include <cub/device/device_radix_sort.cuh>

#include "../sort/ranks.cuh"
#include "benchmark.h"

/* The kernels as they stand in the step, and nothing else of it. */
#define STEP                                       \
    {                                              \
        "benchmarks", "sort", "k7 against CUB", 90 \
    }
namespace k7
{
int k7_main(int argc, char **argv);
#define main k7_main
#include "../sort/k7_one_sweep.cu"
#undef main
} // namespace k7

enum { INPUTS = 2, KINDS = 5 };
static const char *const kinds[KINDS] = {"random", "equal", "sorted", "few", "masked"};

/* One size and type: its inputs, and the room of both. */
template <typename T> struct contest {
    int n, blocks;
    T *inputs[INPUTS], *to[2], *cub;
    int *
        counts; /* of k7: of all digits, how many tiles have started, and the words, in one piece */
    size_t counts_bytes, words_bytes;
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
                             : kind == 3 ? random % 8
                                         : random & 0x0f0f0f0f;

        a[i] = sizeof(T) > 4 ? (T)((wide_key)key << 32 | i) : (T)key;
    }
}

template <typename T> __global__ void count_different(const T *a, const T *b, int n, unsigned *sum)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (a[i] != b[i])
            atomicAdd(sum, 1u);
}

template <typename T> static void launch_k7(void *context, int turn)
{
    auto *c = (struct contest<T> *)context;
    int *const started = c->counts + k7::PASSES<T> * DIGITS;
    k7::word *const words = (k7::word *)((char *)c->counts + c->counts_bytes);

    CHECK(cudaMemsetAsync(c->counts, 0, c->counts_bytes));
    k7::count_all<<<min(c->blocks, 1024), SORTERS>>>((const T *)c->inputs[turn % INPUTS], c->n,
                                                     c->counts);
    for (int pass = 0; pass < k7::PASSES<T>; pass++) {
        const T *from = pass > 0 ? c->to[!(pass % 2)] : c->inputs[turn % INPUTS];

        CHECK(cudaMemsetAsync(started, 0, sizeof(k7::word) + c->words_bytes));
        k7::sweep<<<c->blocks, SORTERS>>>(from, c->n, pass * BITS, c->counts + pass * DIGITS, words,
                                          started, c->to[pass % 2]);
    }
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
    *contest = {.n = n, .blocks = (n - 1) / TILE<T> + 1};
    for (T *&input : contest->inputs)
        CHECK(cudaMalloc(&input, n * sizeof(T)));
    for (T *&to : contest->to)
        CHECK(cudaMalloc(&to, n * sizeof(T)));
    CHECK(cudaMalloc(&contest->cub, n * sizeof(T)));
    contest->counts_bytes = k7::PASSES<T> * DIGITS * sizeof(int) + sizeof(k7::word);
    contest->words_bytes = (size_t)contest->blocks * DIGITS * sizeof(k7::word);
    CHECK(cudaMalloc(&contest->counts, contest->counts_bytes + contest->words_bytes));
    launch_cub<T>(contest, 0); /* asks how much room it needs */
    CHECK(cudaMalloc(&contest->room, contest->room_bytes));
}

template <typename T> static void contest_end(struct contest<T> *contest)
{
    for (T *input : contest->inputs)
        CHECK(cudaFree(input));
    for (T *to : contest->to)
        CHECK(cudaFree(to));
    CHECK(cudaFree(contest->cub));
    CHECK(cudaFree(contest->counts));
    CHECK(cudaFree(contest->room));
}

/* Whether both have the same items in the same order. */
template <typename T> static bool agree(struct contest<T> *contest)
{
    unsigned *d_different, different;

    CHECK(cudaMalloc(&d_different, sizeof(*d_different)));
    CHECK(cudaMemset(d_different, 0, sizeof(*d_different)));
    CHECK(cudaMemset(contest->to[1], MEMORY_POISON, contest->n * sizeof(T)));
    CHECK(cudaMemset(contest->cub, 0, contest->n * sizeof(T)));
    launch_k7<T>(contest, 1);
    launch_cub<T>(contest, 1);
    count_different<<<1024, 256>>>((word_of<T> *)contest->to[1], (word_of<T> *)contest->cub,
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
    benchmark_launch *const launch[] = {launch_k7<T>, launch_cub<T>};
    struct contest<T> contest;
    int code = EXIT_MATCH;

    contest_start(&contest, n);
    for (int kind = 0; kind < KINDS && code == EXIT_MATCH; kind++) {
        double ms[2];

        for (int i = 0; i < INPUTS; i++)
            fill<<<1024, 256>>>((word_of<T> *)contest.inputs[i], n, kind, i + 1);
        CHECK(cudaGetLastError());
        if (!agree(&contest)) {
            check_say("n = %d, %s, %s: k7 and CUB differ", n, what, kinds[kind]);
            code = EXIT_MISMATCH;
            break;
        }
        benchmark_take_turns(launch, 2, &contest, options, device, ms);
        printf("%11d  %-5s  %-6s  %10.2f  %10.2f  %6.3f\n", n, what, kinds[kind], ms[0] * 1000,
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
                          "          n  what   items       k7 (us)    CUB (us)  CUB/k7",
                          compete_all);
}

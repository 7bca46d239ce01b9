/* c9_ahead and c10_select against CUB, in one process, on inputs that take turns.
 *
 *   scan [--n N] [--runs N] [--device N]
 *
 * The exclusive sums of floats, and the even ones of ints. Every launch takes the next of several
 * inputs, which together are larger than the L2 cache, and c9 or c10 and CUB take turns. Without
 * --n: 2^20, 2^25 and 2^28 numbers. The copy is cudaMemcpyAsync() from device to device.
 */
#include <stdio.h>

#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "../scan/ahead.cuh"
#include "benchmark.h"

/* The kernels as they stand in the steps, and nothing else of these. */
#define STEP                                       \
    {                                              \
        "benchmarks", "scan", "c9 against CUB", 90 \
    }
namespace c9
{
int c9_main(int argc, char **argv);
#define main c9_main
#include "../scan/c9_ahead.cu"
#undef main
} // namespace c9
namespace c10
{
int c10_main(int argc, char **argv);
#define main c10_main
#include "../scan/c10_select.cu"
#undef main
} // namespace c10

enum { MAX_INPUTS = 64 };
#define INPUT_BYTES ((size_t)1 << 30) /* of all inputs; two at least */

struct is_even {
    __device__ bool operator()(int x) const
    {
        return x % 2 == 0;
    }
};

/* One size and type: its inputs, and room for the results of both. */
template <typename T> struct contest {
    int count; /* of the inputs */
    input<T> in[MAX_INPUTS];
    T *ours, *cub;
    int *kept, *kept_cub; /* how many; of a selection */
    cudaLaunchConfig_t config;
    void *room; /* of CUB */
    size_t room_bytes;
};

/* Small integers, whose sums are exact in a float, in whatever order they are added. */
template <typename T> __global__ void fill(T *a, int n, unsigned seed)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        a[i] = (int)(((i + seed) * 2654435761u >> 13) % 3) - 1;
}

template <typename T>
__global__ void count_different(const T *a, const T *b, int n, unsigned *different)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (!(a[i] == b[i]))
            atomicAdd(different, 1u);
}

static void launch_c9(void *context, int turn)
{
    auto *c = (struct contest<float> *)context;
    input<float> *in = &c->in[turn % c->count];

    in->launch++;
    CHECK(cudaLaunchKernelEx(&c->config, c9::scan<float>, *in, false, c->ours));
}

static void launch_scan(void *context, int turn)
{
    auto *c = (struct contest<float> *)context;
    const input<float> *in = &c->in[turn % c->count];

    CHECK(cub::DeviceScan::ExclusiveSum(c->room, c->room_bytes, in->a, c->cub, in->n));
}

static void launch_c10(void *context, int turn)
{
    auto *c = (struct contest<int> *)context;
    input<int> *in = &c->in[turn % c->count];

    in->launch++;
    CHECK(cudaLaunchKernelEx(&c->config, c10::select_even, *in, c->ours, c->kept));
}

static void launch_select(void *context, int turn)
{
    auto *c = (struct contest<int> *)context;
    const input<int> *in = &c->in[turn % c->count];

    CHECK(cub::DeviceSelect::If(c->room, c->room_bytes, in->a, c->cub, c->kept_cub, in->n,
                                is_even()));
}

template <typename T> static void launch_copy(void *context, int turn)
{
    auto *c = (struct contest<T> *)context;
    const input<T> *in = &c->in[turn % c->count];

    CHECK(cudaMemcpyAsync(c->cub, in->a, in->n * sizeof(T), cudaMemcpyDeviceToDevice));
}

template <typename T> static void contest_start(struct contest<T> *contest, int n)
{
    const size_t bytes = n * sizeof(T);

    *contest = {.count = 2};
    while (contest->count < MAX_INPUTS && (contest->count + 1) * bytes <= INPUT_BYTES)
        contest->count++;
    for (int i = 0; i < contest->count; i++) {
        input<T> *in = &contest->in[i];

        *in = input<T>{.n = n, .tiles = (n - 1) / TILE + 1};
        CHECK(cudaMalloc((void **)&in->a, bytes));
        CHECK(cudaMalloc((void **)&in->words, in->tiles * sizeof(*in->words)));
        CHECK(cudaMemset((void *)in->words, 0, in->tiles * sizeof(*in->words)));
        fill<<<1024, 256>>>((T *)in->a, n, i);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMalloc(&contest->ours, bytes));
    CHECK(cudaMalloc(&contest->cub, bytes));
    CHECK(cudaMalloc(&contest->kept, 2 * sizeof(int)));
    contest->kept_cub = contest->kept + 1;
}

template <typename T> static void contest_end(struct contest<T> *contest)
{
    for (int i = 0; i < contest->count; i++) {
        CHECK(cudaFree((void *)contest->in[i].a));
        CHECK(cudaFree((void *)contest->in[i].words));
    }
    CHECK(cudaFree(contest->ours));
    CHECK(cudaFree(contest->cub));
    CHECK(cudaFree(contest->kept));
    CHECK(cudaFree(contest->room));
}

/* Whether both have the same results, `selected` or one for each number, of the last input. */
template <typename T>
static bool agree(struct contest<T> *contest, benchmark_launch *const *launch, bool selected)
{
    int n = contest->in[0].n, kept[2] = {n, n};
    unsigned *d_different, different;

    CHECK(cudaMalloc(&d_different, sizeof(*d_different)));
    CHECK(cudaMemset(d_different, 0, sizeof(*d_different)));
    CHECK(cudaMemset(contest->ours, MEMORY_POISON, n * sizeof(T)));
    CHECK(cudaMemset(contest->cub, MEMORY_POISON, n * sizeof(T)));
    for (int i = 0; i < 2; i++)
        launch[i](contest, contest->count - 1);
    if (selected)
        device_fetch(int, kept, contest->kept, 2);
    if (kept[0] >= 0 && kept[0] <= n)
        count_different<<<1024, 256>>>(contest->ours, contest->cub, kept[0], d_different);
    CHECK(cudaGetLastError());
    device_fetch(unsigned, &different, d_different, 1);
    CHECK(cudaFree(d_different));
    return kept[0] == kept[1] && different == 0;
}

/* Measure, and print the line. Returns the exit code. */
template <typename T>
static int compete(struct contest<T> *contest, const char *what, benchmark_launch *const *launch,
                   const struct options *options, const struct device *device)
{
    const int n = contest->in[0].n;
    double ms[3];

    if (!agree(contest, launch, launch[0] == launch_c10)) {
        check_say("n = %d, %s: we and CUB differ", n, what);
        return EXIT_MISMATCH;
    }
    benchmark_take_turns(launch, 3, contest, options, device, ms);
    printf("%11d  %-12s  %9.2f  %9.2f  %9.2f  %6.3f\n", n, what, ms[0] * 1000, ms[1] * 1000,
           ms[2] * 1000, ms[1] / ms[0]);
    return EXIT_MATCH;
}

/* Both for `n` numbers. Returns the exit code. */
static int compete_all(int n, const struct options *options, const struct device *device)
{
    benchmark_launch *const scans[] = {launch_c9, launch_scan, launch_copy<float>};
    benchmark_launch *const selections[] = {launch_c10, launch_select, launch_copy<int>};
    struct run run = run_new(options, device); /* which config_ahead() describes the launch in */
    struct contest<float> floats;
    struct contest<int> ints;
    int code;

    contest_start(&floats, n);
    floats.config = config_ahead(c9::scan<float>, floats.in[0], &run);
    CHECK(cub::DeviceScan::ExclusiveSum(NULL, floats.room_bytes, floats.in[0].a, floats.cub, n));
    CHECK(cudaMalloc(&floats.room, floats.room_bytes));
    code = compete(&floats, "sums", scans, options, device);
    contest_end(&floats);
    if (code == EXIT_MATCH) {
        contest_start(&ints, n);
        ints.config = config_ahead(c10::select_even, ints.in[0], &run);
        CHECK(cub::DeviceSelect::If(NULL, ints.room_bytes, ints.in[0].a, ints.cub, ints.kept_cub, n,
                                    is_even()));
        CHECK(cudaMalloc(&ints.room, ints.room_bytes));
        code = compete(&ints, "even numbers", selections, options, device);
        contest_end(&ints);
    }
    run_free(&run);
    return code;
}

int main(int argc, char **argv)
{
    static const int sizes[] = {1 << 20, 1 << 25, 1 << 28, 0};

    return benchmark_main(argc, argv, 90, sizes,
                          "          n  what          ours (us)   CUB (us)  copy (us)  CUB/ours",
                          compete_all);
}

/* h13: what unrolling a loop does, and what it does not.
 *
 * Claim:  #pragma unroll writes the loop out: no counter, no comparison, no branch, and loads that
 *         do not wait for each other. The article adds that neighbouring reads become vector loads,
 *         and that a loop whose length is only known at run time stays as it is.
 * Today:  these two are wrong. The reads stay 32 bits wide, and a loop of run-time length is
 *         unrolled by 4, with a second loop for the rest, pragma or not.
 * Pinned: the first loop stays rolled; the others are as their pragmas say.
 * See:    docs/hardware.md#h13
 */
#include "reference.cuh"

enum { THREADS = 256, COUNT = 32 };

__global__ void rolled(const int *in, int n, int, int *out)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    int sum = 0;

    if (i >= n)
        return;
#pragma unroll 1
    for (int k = 0; k < COUNT; k++)
        sum += in[i / 32 * COUNT + k];
    out[i] = sum;
}

template <int BY> __global__ void unrolled(const int *in, int n, int, int *out)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    int sum = 0;

    if (i >= n)
        return;
#pragma unroll BY
    for (int k = 0; k < COUNT; k++)
        sum += in[i / 32 * COUNT + k];
    out[i] = sum;
}

/* COUNT comes as an argument. */
__global__ void run_time(const int *in, int n, int count, int *out)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    int sum = 0;

    if (i >= n)
        return;
    for (int k = 0; k < count; k++)
        sum += in[i / 32 * count + k];
    out[i] = sum;
}

__global__ void vectors(const int *in, int n, int, int *out)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    int sum = 0;

    if (i >= n)
        return;
#pragma unroll
    for (int k = 0; k < COUNT / 4; k++) {
        const int4 v = ((const int4 *)in)[i / 32 * (COUNT / 4) + k];
        sum += v.x + v.y + v.z + v.w;
    }
    out[i] = sum;
}

template <void (*KERNEL)(const int *, int, int, int *)> static void launch(struct trial *t)
{
    hardware_grid(t, THREADS);
    t->work = (double)t->n * COUNT;
    TIMED(t->run)
        KERNEL<<<t->run->blocks, THREADS>>>(t->in, t->n, COUNT, t->out);
}

static const struct variant variants[] = {
    {"rolled", "#pragma unroll 1", launch<rolled>, 0, 0, "no figure"},
    {"by_4", "#pragma unroll 4", launch<unrolled<4>>, 0, 0, "faster"},
    {"full", "#pragma unroll", launch<unrolled<COUNT>>, 0, 0, "vector loads (it makes none)"},
    {"run_time", "the number of rounds is an argument", launch<run_time>, 0, 0,
     "not unrolled (it is)"},
    {"vectors", "128-bit loads in the source", launch<vectors>},
};

static const struct experiment experiment = {
    HARDWARE_VARIANTS(variants),
    .size = {.usual = 1 << 24, .modelled = 1 << 16, .min = 1, .max = 1 << 28},
    .unit = "Gload/s",
    .counters = {{"global load requests", "global_loads"}, {"branches", "branches"}},
    .inputs_each = 1,
    .inputs_more = COUNT,
    .cpu = reference_sums<COUNT>,
};

int main(int argc, char **argv)
{
    return hardware_main(argc, argv, STEP, &experiment);
}

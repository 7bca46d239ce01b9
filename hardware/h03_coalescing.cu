/* h03: the addresses of a warp decide how much memory moves.
 *
 * Claim:  the card joins the reads of a half-warp into one if they are consecutive and begin at a
 *         multiple of 16 elements. Structures of 12 bytes break this rule. Padding, three arrays or
 *         a detour through shared memory help.
 * Today:  a warp moves the 32-byte sectors that it touches, aligned or not.
 * See:    docs/hardware.md#h03
 */
#include "reference.cuh"

enum { THREADS = 256, FAR = 8, NONE = -1, ARRAYS = -1 };

struct vec3 {
    int x, y, z;
};
struct __align__(16) vec3_padded : vec3{};

/* Thread i reads number i * STRIDE + SHIFT; lane IDLE of each warp reads nothing. */
template <int STRIDE, int SHIFT, int IDLE> __global__ void numbers(const int *in, int n, int *out)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;

    if (i < n)
        out[i] = i % 32 == IDLE ? 0 : in[i * STRIDE + SHIFT];
}

template <typename vector> __global__ void structures(const int *in, int n, int *out)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;

    if (i < n) {
        const vector v = ((const vector *)in)[i];
        out[i] = dot(v.x, v.y, v.z);
    }
}

__global__ void arrays(const int *in, int n, int *out)
{
    const int i = blockIdx.x * THREADS + threadIdx.x, size = array_size(n);

    if (i < n)
        out[i] = dot(in[i], in[size + i], in[2 * size + i]);
}

/* A block's structures come in as a run of words and are taken apart in shared memory. */
__global__ void through_shared(const int *in, int n, int *out)
{
    __shared__ int words[3 * THREADS];
    const int i = blockIdx.x * THREADS + threadIdx.x, first = 3 * blockIdx.x * THREADS;

    for (int w = threadIdx.x; w < 3 * THREADS && first + w < 3 * n; w += THREADS)
        words[w] = in[first + w];
    __syncthreads();
    if (i < n)
        out[i] =
            dot(words[3 * threadIdx.x], words[3 * threadIdx.x + 1], words[3 * threadIdx.x + 2]);
}

template <void (*KERNEL)(const int *, int, int *)> static void launch(struct trial *t)
{
    hardware_grid(t, THREADS);
    t->work = (double)t->n * sizeof(int) * (t->variant->other ? 3 + 1 : 1 + 1);
    TIMED(t->run)
        KERNEL<<<t->run->blocks, THREADS>>>(t->in, t->n, t->out);
}

static const struct variant variants[] = {
    {"aligned", "thread i reads number i", launch<numbers<1, 0, NONE>>, 1, 0, "coalesced"},
    {"shifted", "thread i reads number i + 1", launch<numbers<1, 1, NONE>>, 1, 0, "not coalesced"},
    {"idle_lane", "one lane reads nothing", launch<numbers<1, 0, 3>>, 1, 0, "coalesced"},
    {"strided", "thread i reads number 8 i", launch<numbers<FAR, 0, NONE>>, FAR, 0},
    {"struct_12", "structures of 12 bytes", launch<structures<vec3>>, 3, 1, "not coalesced"},
    {"struct_16", "__align__(16)", launch<structures<vec3_padded>>, 4, 1, "coalesced"},
    {"arrays", "three arrays", launch<arrays>, 1, ARRAYS, "coalesced"},
    {"shared", "through shared memory", launch<through_shared>, 3, 1, "coalesced"},
};

static const struct experiment experiment = {
    HARDWARE_VARIANTS(variants),
    .size = {.usual = 1 << 24, .modelled = 1 << 18, .min = 1, .max = 1 << 26},
    .unit = "GB/s",
    .counters = {{"sectors per load", "global_load_sectors", "global_loads"},
                 {"moved/asked", "global_bytes_moved", "global_bytes_asked"}},
    .inputs_each = FAR,
    .inputs_more = 3 * 64,
    .cpu = reference_structures<ARRAYS>,
};

int main(int argc, char **argv)
{
    return hardware_main(argc, argv, STEP, &experiment);
}

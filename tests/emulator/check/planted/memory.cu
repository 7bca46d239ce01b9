/* Planted: bad addresses, and allocations misused. */
#include "planted.h"

enum { ROWS = 6, COLUMNS = 32, THREADS = 64 };

/* One row too many. */
template <bool REPAIRED> __global__ void off_by_one_row(int *matrix)
{
    for (int row = 0; REPAIRED ? row < ROWS : row <= ROWS; row++)
        matrix[row * COLUMNS + threadIdx.x] = row; // PLANTED: off_by_one_row
}

static void off_by_one_row(bool repaired)
{
    int *matrix = device_ints(ROWS * COLUMNS, 0);

    LAUNCH(repaired, off_by_one_row, 1, COLUMNS, matrix);
    cudaFree(matrix);
}

/* Two too many are loaded, and one is stored: two mistakes on one line. */
template <bool REPAIRED> __global__ void shift(const int *in, int *out, int n)
{
    const int i = threadIdx.x;

    if (REPAIRED ? i < n - 1 : i <= n)
        out[i] = in[i + 1]; // PLANTED: shift
}

static void shift(bool repaired)
{
    int *in = device_ints(THREADS, 0), *out = device_ints(THREADS, 0);

    LAUNCH(repaired, shift, 1, THREADS + 1, in, out, THREADS);
    cudaFree(in);
    cudaFree(out);
}

/* The second half of the block has no room in shared memory. */
template <bool REPAIRED> __global__ void shared_overrun(int *out)
{
    __shared__ int tile[THREADS / 2];
    const int slot = REPAIRED ? threadIdx.x % (THREADS / 2) : threadIdx.x;

    if (!REPAIRED || threadIdx.x < THREADS / 2)
        tile[slot] = threadIdx.x; // PLANTED: shared_overrun
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x % (THREADS / 2)];
}

static void shared_overrun(bool repaired)
{
    int *out = device_ints(THREADS, 0);

    LAUNCH(repaired, shared_overrun, 1, THREADS, out);
    cudaFree(out);
}

/* Four ints at once, from an address that is a multiple of 4 bytes only. */
template <bool REPAIRED> __global__ void misaligned(const int *in, int *out)
{
    const int4 quad = *(const int4 *)(in + (REPAIRED ? 4 : 3)); // PLANTED: misaligned

    out[threadIdx.x] = quad.x + quad.y + quad.z + quad.w;
}

static void misaligned(bool repaired)
{
    int *in = device_ints(THREADS, 1), *out = device_ints(THREADS, 0);

    LAUNCH(repaired, misaligned, 1, THREADS, in, out);
    cudaFree(in);
    cudaFree(out);
}

/* A float behind a byte, as a packed record would have it. */
template <bool REPAIRED> __global__ void misaligned_shared(float *out)
{
    __shared__ float records[2 * THREADS];
    char *record = (char *)records + 8 * threadIdx.x;

    *(float *)(record + (REPAIRED ? 4 : 1)) = threadIdx.x; // PLANTED: misaligned_shared
    out[threadIdx.x] = threadIdx.x;
}

static void misaligned_shared(bool repaired)
{
    float *out = (float *)device_ints(THREADS, 0);

    LAUNCH(repaired, misaligned_shared, 1, THREADS, out);
    cudaFree(out);
}

template <bool REPAIRED> __global__ void use_after_free(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x]; // PLANTED: use_after_free
}

static void use_after_free(bool repaired)
{
    int *in = device_ints(THREADS, 1), *out = device_ints(THREADS, 0);

    if (!repaired)
        cudaFree(in);
    LAUNCH(repaired, use_after_free, 1, THREADS, in, out);
    if (repaired)
        cudaFree(in);
    cudaFree(out);
}

/* The kernel is handed the host's array. */
template <bool REPAIRED> __global__ void host_pointer(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x]; // PLANTED: host_pointer
}

static void host_pointer(bool repaired)
{
    static int host[THREADS];
    int *in = device_ints(THREADS, 1), *out = device_ints(THREADS, 0);

    LAUNCH(repaired, host_pointer, 1, THREADS, repaired ? in : host, out);
    cudaFree(in);
    cudaFree(out);
}

/* The left neighbour of the first element. */
template <bool REPAIRED> __global__ void before_start(const int *in, int *out)
{
    const int i = threadIdx.x;

    out[i] = in[i];
    if (!REPAIRED || i > 0)
        out[i] -= in[i - 1]; // PLANTED: before_start
}

static void before_start(bool repaired)
{
    int *in = device_ints(THREADS, 1), *out = device_ints(THREADS, 0);

    LAUNCH(repaired, before_start, 1, THREADS, in, out);
    cudaFree(in);
    cudaFree(out);
}

static void double_free(bool repaired)
{
    int *ints = device_ints(THREADS, 0);

    cudaFree(ints);
    if (!repaired)
        cudaFree(ints);
}

static void leak(bool repaired)
{
    int *ints = device_ints(THREADS, 0);

    if (repaired)
        cudaFree(ints);
}

/* One place allocates them all. */
__attribute__((noinline)) static int *allocate(int count)
{
    return device_ints(count, 0);
}

/* Memory of the host too, managed and page-locked. */
static void leak_host(bool repaired)
{
    int *managed, *locked;

    cudaMallocManaged(&managed, 1000);
    cudaMallocHost(&locked, 3000);
    if (repaired) {
        cudaFree(managed);
        cudaFreeHost(locked);
    }
}

static void leak_some(bool repaired)
{
    int *kept[4];

    for (int i = 0; i < 4; i++)
        kept[i] = allocate(1000 * (i + 1));
    cudaFree(kept[2]);
    for (int i = 0; i < 4 && repaired; i++)
        if (i != 2)
            cudaFree(kept[i]);
}

static const struct planted cases[] = {
    {"off_by_one_row", off_by_one_row},
    {"shift", shift},
    {"shared_overrun", shared_overrun},
    {"misaligned", misaligned},
    {"misaligned_shared", misaligned_shared},
    {"use_after_free", use_after_free},
    {"host_pointer", host_pointer},
    {"before_start", before_start},
    {"double_free", double_free},
    {"leak", leak},
    {"leak_some", leak_some},
    {"leak_host", leak_host},
};

PLANTED_MAIN(cases)

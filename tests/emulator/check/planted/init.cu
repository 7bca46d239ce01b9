/* Planted: reads of memory that nobody wrote. */
#include "planted.h"

enum { ROWS = 6, COLUMNS = 32, THREADS = 64, UNWRITTEN = -2 };

/* The counter was never set to 0. */
template <bool REPAIRED> __global__ void forgotten_memset(int *count)
{
    atomicAdd(count, 1); // PLANTED: forgotten_memset
}

/* The last row stays as it was allocated. */
template <bool REPAIRED> __global__ void fill_rows(int *matrix)
{
    for (int row = 0; row < (REPAIRED ? ROWS : ROWS - 1); row++)
        matrix[row * COLUMNS + threadIdx.x] = row;
}

template <bool REPAIRED> __global__ void unwritten_row(const int *matrix, int *out)
{
    int sum = 0;

    for (int row = 0; row < ROWS; row++)
        sum += matrix[row * COLUMNS + threadIdx.x]; // PLANTED: unwritten_row
    out[threadIdx.x] = sum;
}

static void unwritten_row(bool repaired)
{
    int *matrix = device_ints(ROWS * COLUMNS, UNWRITTEN), *out = device_ints(COLUMNS, UNWRITTEN);

    LAUNCH(repaired, fill_rows, 1, COLUMNS, matrix);
    LAUNCH(repaired, unwritten_row, 1, COLUMNS, matrix, out);
    cudaFree(matrix);
    cudaFree(out);
}

/* Elements were copied where bytes are counted. */
template <bool REPAIRED> __global__ void short_copy(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x] + 1; // PLANTED: short_copy
}

static void short_copy(bool repaired)
{
    static const int host[THREADS] = {1, 2, 3};
    int *in = device_ints(THREADS, UNWRITTEN), *out = device_ints(THREADS, UNWRITTEN);

    cudaMemcpy(in, host, repaired ? sizeof(host) : THREADS, cudaMemcpyHostToDevice);
    LAUNCH(repaired, short_copy, 1, THREADS, in, out);
    cudaFree(in);
    cudaFree(out);
}

/* Shared memory: the tile has no right edge. */
template <bool REPAIRED> __global__ void missing_halo(const int *in, int *out)
{
    __shared__ int tile[THREADS + 1];

    tile[threadIdx.x] = in[threadIdx.x];
    if (REPAIRED && threadIdx.x == 0)
        tile[THREADS] = 0;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x + 1] - tile[threadIdx.x]; // PLANTED: missing_halo
}

/* Shared memory: threads beyond n leave their slot as it is, and the tree adds it. */
template <bool REPAIRED> __global__ void unwritten_tail(const int *in, int n, int *out)
{
    __shared__ int tile[THREADS];
    const int i = threadIdx.x;

    if (i < n)
        tile[i] = in[i];
    else if (REPAIRED)
        tile[i] = 0;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (i < half)
            tile[i] += tile[i + half]; // PLANTED: unwritten_tail
    }
    if (i == 0)
        *out = tile[0];
}

static void unwritten_tail(bool repaired)
{
    int *in = device_ints(THREADS, 1), *out = device_ints(1, UNWRITTEN);

    LAUNCH(repaired, unwritten_tail, 1, THREADS, in, 50, out);
    cudaFree(in);
    cudaFree(out);
}

/* The first block writes all of its shared memory, those in its place after it do not. */
template <bool REPAIRED> __global__ void halo_of_first_block(int *out)
{
    __shared__ int haloed[THREADS + 1];

    haloed[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0 && (REPAIRED || blockIdx.x == 0))
        haloed[THREADS] = 0;
    __syncthreads();
    out[blockIdx.x * THREADS + threadIdx.x] =
        haloed[threadIdx.x + 1] + 1; // PLANTED: halo_of_first_block
}

static void halo_of_first_block(bool repaired)
{
    enum { BLOCKS = 3 };
    int *out = device_ints(BLOCKS * THREADS, UNWRITTEN);

    LAUNCH(repaired, halo_of_first_block, BLOCKS, THREADS, out);
    cudaFree(out);
}

/* A function keeps what its caller has not given it. */
__noinline__ __device__ static void next_of(int i, bool keep, int *out)
{
    __shared__ int kept[THREADS];

    if (keep)
        kept[i] = i;
    __syncthreads();
    out[i] = kept[(i + 1) % THREADS] + 1; // PLANTED: in_function
}

template <bool REPAIRED> __global__ void in_function(int *out)
{
    next_of(threadIdx.x, REPAIRED || threadIdx.x != 7, out);
}

/* Half of two results was never written, and all of them is copied. */
template <bool REPAIRED> __global__ void write_some(int *out)
{
    if (REPAIRED || threadIdx.x % 2 == 0)
        out[threadIdx.x] = threadIdx.x;
}

static void copied_back(bool repaired)
{
    int host[THREADS];

    for (int i = 0; i < 2; i++) {
        int *out = device_ints(THREADS, UNWRITTEN);

        LAUNCH(repaired, write_some, 1, THREADS, out);
        cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
        cudaFree(out);
    }
}

static const struct planted cases[] = {
    CASE(forgotten_memset, 1, THREADS, device_ints(1, repaired ? 0 : UNWRITTEN)),
    {"unwritten_row", unwritten_row},
    {"short_copy", short_copy},
    CASE(missing_halo, 1, THREADS, device_ints(THREADS, 1), device_ints(THREADS, UNWRITTEN)),
    {"unwritten_tail", unwritten_tail},
    {"halo_of_first_block", halo_of_first_block},
    CASE(in_function, 1, THREADS, device_ints(THREADS, UNWRITTEN)),
    {"copied_back", copied_back},
};

PLANTED_MAIN(cases)

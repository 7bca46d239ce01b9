/* Programs that no figure of the model was chosen by: what it says of them is what it is worth. */
#include <stdlib.h>

#include "calibration.h"

enum { THREADS = 256, SIDE = 1024, COUNT = SIDE * SIDE, TILE = 32, ROWS = 8, WIDTH = 512 };

__global__ void stencil(const float *from, float *to)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;

    if (x == 0 || y == 0 || x == SIDE - 1 || y == SIDE - 1)
        return;
    const float *at = from + y * SIDE + x;
    to[y * SIDE + x] = 0.25f * (at[-1] + at[1] + at[-SIDE] + at[SIDE]) - at[0];
}

__global__ void transpose_plain(const float *from, float *to)
{
    const int x = blockIdx.x * TILE + threadIdx.x;

    for (int y = blockIdx.y * TILE + threadIdx.y; y < (int)(blockIdx.y + 1) * TILE; y += ROWS)
        to[x * SIDE + y] = from[y * SIDE + x];
}

template <int PAD> __global__ void transpose_tiled(const float *from, float *to)
{
    __shared__ float tile[TILE][TILE + PAD];
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    const int column = blockIdx.y * TILE + threadIdx.x, row = blockIdx.x * TILE + threadIdx.y;

    for (int k = 0; k < TILE; k += ROWS)
        tile[threadIdx.y + k][threadIdx.x] = from[(y + k) * SIDE + x];
    __syncthreads();
    for (int k = 0; k < TILE; k += ROWS)
        to[(row + k) * SIDE + column] = tile[threadIdx.x][threadIdx.y + k];
}

__global__ void histogram_global(const unsigned char *data, unsigned *bins)
{
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < COUNT; i += gridDim.x * THREADS)
        atomicAdd(&bins[data[i]], 1);
}

__global__ void histogram_shared(const unsigned char *data, unsigned *bins)
{
    __shared__ unsigned own[256];

    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < COUNT; i += gridDim.x * THREADS)
        atomicAdd(&own[data[i]], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

/* One block per row. */
__global__ void softmax(const float *from, float *to)
{
    __shared__ float parts[THREADS];
    const float *row = from + blockIdx.x * WIDTH;
    float most = -1e30f, sum = 0;

    for (int i = threadIdx.x; i < WIDTH; i += THREADS)
        most = fmaxf(most, row[i]);
    parts[threadIdx.x] = most;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            parts[threadIdx.x] = fmaxf(parts[threadIdx.x], parts[threadIdx.x + half]);
        __syncthreads();
    }
    most = parts[0];
    __syncthreads();
    for (int i = threadIdx.x; i < WIDTH; i += THREADS)
        sum += expf(row[i] - most);
    parts[threadIdx.x] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            parts[threadIdx.x] += parts[threadIdx.x + half];
        __syncthreads();
    }
    for (int i = threadIdx.x; i < WIDTH; i += THREADS)
        to[blockIdx.x * WIDTH + i] = expf(row[i] - most) / parts[0];
}

__global__ void gather(const float *from, const unsigned *where, float *to)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;

    to[i] = from[where[i]];
}

__global__ void scatter(const float *from, const unsigned *where, float *to)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;

    to[where[i]] = from[i];
}

/* An inclusive sum within each block, by shuffles. */
__global__ void scan(const int *from, int *to)
{
    __shared__ int warps[THREADS / 32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int x = from[blockIdx.x * THREADS + threadIdx.x];

    for (int by = 1; by < 32; by *= 2) {
        const int left = __shfl_up_sync(0xFFFFFFFF, x, by);
        x += lane >= by ? left : 0;
    }
    if (lane == 31)
        warps[warp] = x;
    __syncthreads();
    if (warp == 0) {
        int y = lane < THREADS / 32 ? warps[lane] : 0;
        for (int by = 1; by < THREADS / 32; by *= 2) {
            const int left = __shfl_up_sync(0xFFFFFFFF, y, by);
            y += lane >= by ? left : 0;
        }
        if (lane < THREADS / 32)
            warps[lane] = y;
    }
    __syncthreads();
    to[blockIdx.x * THREADS + threadIdx.x] = x + (warp ? warps[warp - 1] : 0);
}

__global__ void bodies(const float4 *from, float4 *to, int count)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const float4 me = from[i];
    float4 pull = {0, 0, 0, 0};

    for (int k = 0; k < count; k++) {
        const float4 other = from[k];
        const float x = other.x - me.x, y = other.y - me.y, z = other.z - me.z;
        const float near = rsqrtf(x * x + y * y + z * z + 1e-6f);
        const float weight = other.w * near * near * near;
        pull.x += weight * x;
        pull.y += weight * y;
        pull.z += weight * z;
    }
    to[i] = pull;
}

/* Rows of uneven length, a warp each. */
__global__ void sparse_rows(const unsigned *starts, const unsigned *columns, const float *values,
                            const float *vector, float *to)
{
    const int row = (blockIdx.x * THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;

    for (unsigned i = starts[row] + lane; i < starts[row + 1]; i += 32)
        sum += values[i] * vector[columns[i]];
    for (int by = 16; by > 0; by /= 2)
        sum += __shfl_down_sync(0xFFFFFFFF, sum, by);
    if (lane == 0)
        to[row] = sum;
}

/* Threads that leave after a time of their own. */
__global__ void collatz(unsigned *to)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    unsigned long long x = i + 1;
    unsigned steps = 0;

    while (x != 1) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        steps++;
    }
    to[i] = steps;
}

__global__ void polynomial(const double *from, double *to)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const double x = from[i];
    double y = 1;

    for (int k = 0; k < 64; k++)
        y = y * x + k;
    to[i] = y;
}

__global__ void count_down(unsigned *left)
{
    __shared__ bool last;

    __threadfence();
    if (threadIdx.x == 0)
        last = atomicAdd(left, 1) % gridDim.x == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0)
        left[1] = left[0];
}

/* Rows of 8 to 71 numbers. */
static unsigned *make_rows(int rows, unsigned *total)
{
    unsigned *starts = (unsigned *)memory_host((rows + 1) * sizeof *starts);

    starts[0] = 0;
    for (int i = 0; i < rows; i++)
        starts[i + 1] = starts[i] + 8 + (unsigned)i * 37 % 64;
    *total = starts[rows];
    unsigned *device = device_input(unsigned, starts, rows + 1);
    free(starts);
    return device;
}

static void measure(struct calibration *calibration)
{
    const dim3 tiles(SIDE / TILE, SIDE / TILE), threads(TILE, ROWS);
    float *from = (float *)calibration_memory(COUNT * sizeof(double));
    float *to = (float *)calibration_memory(COUNT * sizeof(double));
    unsigned *where = calibration_words(COUNT, COUNT, 7);
    unsigned *near = calibration_words(COUNT, 4096, 7);
    unsigned total, *starts = make_rows(8192, &total);

    TIMED_CASE(calibration, "five-point stencil")
        stencil<<<dim3(SIDE / 32, SIDE / 8), dim3(32, 8)>>>(from, to);
    TIMED_CASE(calibration, "transpose, plain")
        transpose_plain<<<tiles, threads>>>(from, to);
    TIMED_CASE(calibration, "transpose, tiled")
        transpose_tiled<0><<<tiles, threads>>>(from, to);
    TIMED_CASE(calibration, "transpose, padded")
        transpose_tiled<1><<<tiles, threads>>>(from, to);
    TIMED_CASE(calibration, "histogram, global")
        histogram_global<<<264, THREADS>>>((unsigned char *)where, (unsigned *)to);
    TIMED_CASE(calibration, "histogram, shared")
        histogram_shared<<<264, THREADS>>>((unsigned char *)where, (unsigned *)to);
    TIMED_CASE(calibration, "softmax of 2048 rows")
        softmax<<<2048, THREADS>>>(from, to);
    TIMED_CASE(calibration, "gather from anywhere")
        gather<<<COUNT / THREADS, THREADS>>>(from, where, to);
    TIMED_CASE(calibration, "gather from 16 KiB")
        gather<<<COUNT / THREADS, THREADS>>>(from, near, to);
    TIMED_CASE(calibration, "scatter to anywhere")
        scatter<<<COUNT / THREADS, THREADS>>>(from, where, to);
    TIMED_CASE(calibration, "scan within blocks")
        scan<<<COUNT / THREADS, THREADS>>>((int *)from, (int *)to);
    TIMED_CASE(calibration, "pull of 1024 bodies on 16384")
        bodies<<<64, THREADS>>>((float4 *)from, (float4 *)to, 1024);
    TIMED_CASE(calibration, "8192 sparse rows")
        sparse_rows<<<1024, THREADS>>>(starts, where, from, from, to);
    TIMED_CASE(calibration, "Collatz")
        collatz<<<256, THREADS>>>((unsigned *)to);
    TIMED_CASE(calibration, "polynomial in double precision")
        polynomial<<<COUNT / THREADS, THREADS>>>((double *)from, (double *)to);
    TIMED_CASE(calibration, "last of 1024 blocks")
        count_down<<<1024, THREADS>>>((unsigned *)to);
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    CHECK(cudaFree(where));
    CHECK(cudaFree(near));
    CHECK(cudaFree(starts));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "held_out", measure);
}

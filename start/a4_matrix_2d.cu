/* a4: transpose a matrix, with threads and blocks in two dimensions.
 *
 * Now:    in transpose() x says which column, y which row. A matrix in memory is one row after
 *         another, so element (x, y) is number y * columns + x. Both dimensions need their guard.
 * See:    docs/start.md#a4
 */
#include "start.h"

enum { ROWS = 50, THREADS_X = 32, THREADS_Y = 8 };

__global__ void transpose(const int *a, int *out, int columns)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < columns && y < ROWS)
        out[x * ROWS + y] = a[y * columns + x];
}

/* n is the number of columns. */
static void transpose_gpu(const int *a, const int *b, int *out, int n, struct run *run)
{
    const dim3 threads(THREADS_X, THREADS_Y);
    const dim3 blocks((n + THREADS_X - 1) / THREADS_X, (ROWS + THREADS_Y - 1) / THREADS_Y);
    const size_t bytes = n * ROWS * sizeof(int);
    int *d_a, *d_out;

    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice));
    if (run->poison) /* so that an element nobody writes shows */
        CHECK(cudaMemset(d_out, 0xFF, bytes));

    run->blocks = blocks.x;
    run->blocks_y = blocks.y;
    run->threads = threads.x;
    run->threads_y = threads.y;
    transpose<<<blocks, threads>>>(d_a, d_out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_out));
}

static int transpose_cpu(const int *a, const int *b, int n, int i)
{
    const int x = i / ROWS, y = i % ROWS;

    return a[y * n + x];
}

int main(int argc, char **argv)
{
    return start_main(argc, argv, STEP,
                      {transpose_gpu, transpose_cpu, 1024, OPTIONS_MAX_N / ROWS, ROWS});
}

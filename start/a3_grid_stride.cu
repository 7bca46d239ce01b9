/* a3: a grid of a fixed size, whatever the length of the vectors.
 *
 * Now:    each thread of vector_add() takes an element, then the one a whole grid further on, until
 *         the end. The launch no longer depends on n, and the loop is the tail guard.
 * See:    docs/start.md#a3
 */
#include "start.h"

enum { BLOCKS = 32, THREADS = 256 }; /* in a block */

__global__ void vector_add(const int *a, const int *b, int *out, int n)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    const int stride = gridDim.x * blockDim.x; /* threads in the grid */

    for (int i = first; i < n; i += stride)
        out[i] = a[i] + b[i];
}

static void vector_add_gpu(const int *a, const int *b, int *out, int n, struct run *run)
{
    const size_t bytes = n * sizeof(int);
    int *d_a, *d_b, *d_out;

    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMalloc(&d_b, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice));
    if (run->poison) /* so that an element nobody writes shows */
        CHECK(cudaMemset(d_out, 0xFF, bytes));

    run->blocks = BLOCKS;
    run->threads = THREADS;
    vector_add<<<run->blocks, run->threads>>>(d_a, d_b, d_out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_out));
}

static int vector_add_cpu(const int *a, const int *b, int n, int i)
{
    return a[i] + b[i];
}

int main(int argc, char **argv)
{
    return start_main(argc, argv, STEP, {vector_add_gpu, vector_add_cpu, 100000, OPTIONS_MAX_N});
}

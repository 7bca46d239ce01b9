/* a2: add two vectors, one thread per element.
 *
 * Now:    inputs are copied to the device and the result is copied back. One block is too small for
 *         long vectors: a grid of blocks covers them, and vector_add() does nothing past the end.
 * See:    docs/start.md#a2
 */
#include "start.h"

enum { THREADS = 256 }; /* in a block */

__global__ void vector_add(const int *a, const int *b, int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
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

    run->blocks = (n + THREADS - 1) / THREADS; /* n / THREADS, rounded up */
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

/* a6: threads of a block hand each other numbers through shared memory.
 *
 * Now:    each block reverses its piece of the input. A thread puts its number into `piece`, shared
 *         memory, and takes the one that another thread put there; a barrier stands in between.
 * See:    docs/start.md#a6
 */
#include "start.h"

enum { THREADS = 256 }; /* in a block */

__global__ void reverse(const int *a, int *out, int n)
{
    __shared__ int piece[THREADS]; /* one for each block */
    const int begin = blockIdx.x * THREADS;
    const int length = min(THREADS, n - begin); /* the last block's piece may be shorter */
    const int t = threadIdx.x;

    if (t < length)
        piece[t] = a[begin + t];
    __syncthreads();
    if (t < length)
        out[begin + t] = piece[length - 1 - t];
}

static void reverse_gpu(const int *a, const int *b, int *out, int n, struct run *run)
{
    const size_t bytes = n * sizeof(int);
    int *d_a, *d_out;

    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice));
    if (run->poison) /* so that an element nobody writes shows */
        CHECK(cudaMemset(d_out, 0xFF, bytes));

    run->blocks = (n + THREADS - 1) / THREADS;
    run->threads = THREADS;
    reverse<<<run->blocks, run->threads>>>(d_a, d_out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_out));
}

static int reverse_cpu(const int *a, const int *b, int n, int i)
{
    const int begin = i / THREADS * THREADS;
    const int end = begin + THREADS < n ? begin + THREADS : n;

    return a[begin + end - 1 - i];
}

int main(int argc, char **argv)
{
    return start_main(argc, argv, STEP, {reverse_gpu, reverse_cpu, 65536, OPTIONS_MAX_N});
}

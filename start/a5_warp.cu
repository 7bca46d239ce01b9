/* a5: a branch that divides a warp. A new beginning.
 *
 * Now:    the 32 threads of a warp issue one instruction together. Where its lanes take different
 *         ways, as at counts(), the warp goes both ways, one after the other, and lanes sit out.
 * Pinned: both loops stay rolled, so that there is a branch to look at.
 * See:    docs/start.md#a5
 */
#include "start.h"

enum { THREADS = 256, BITS = 10 }; /* in a block; of a number up to 999 */

/* Does thread i count bits? Else it reverses them. */
__host__ __device__ static bool counts(int i)
{
    return i % 2 == 0;
}

__global__ void bits(const int *a, int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int rest, result = 0;

    if (i >= n)
        return;
    rest = a[i];
    if (counts(i)) {
#pragma unroll 1
        for (int bit = 0; bit < BITS; bit++, rest /= 2)
            result += rest % 2;
    } else {
#pragma unroll 1
        for (int bit = 0; bit < BITS; bit++, rest /= 2)
            result = 2 * result + rest % 2;
    }
    out[i] = result;
}

static void bits_gpu(const int *a, const int *b, int *out, int n, struct run *run)
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
    bits<<<run->blocks, run->threads>>>(d_a, d_out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());

    CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_out));
}

static int bits_cpu(const int *a, const int *b, int n, int i)
{
    int result = 0;

    for (int rest = a[i], bit = 0; bit < BITS; bit++, rest /= 2)
        result = (counts(i) ? result : 2 * result) + rest % 2;
    return result;
}

int main(int argc, char **argv)
{
    return start_main(argc, argv, STEP, {bits_gpu, bits_cpu, 65536, OPTIONS_MAX_N});
}

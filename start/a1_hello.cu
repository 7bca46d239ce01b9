/* a1: hello from a thread.
 *
 * Now:    a kernel like hello() is a function that the GPU runs, once for each thread of a launch.
 *         Every thread says hello and writes one number; --n says how many threads there are.
 *         Only CHECK is from common/: it ends the program with one line if a call fails.
 * See:    docs/start.md#a1
 */
#include <stdio.h>

#include "start.h"

__global__ void hello(int *out)
{
    const int i = threadIdx.x;

    printf("hello from thread %d of %d\n", i, blockDim.x);
    out[i] = 10 * i;
}

/* The host's part: room on the device, the launch, the copy back. */
static void hello_gpu(const int *a, const int *b, int *out, int n, struct run *run)
{
    const size_t bytes = n * sizeof(int);
    int *d_out;

    CHECK(cudaMalloc(&d_out, bytes));
    if (run->poison) /* so that an element nobody writes shows */
        CHECK(cudaMemset(d_out, 0xFF, bytes));

    run->blocks = 1;
    run->threads = n;
    hello<<<1, n>>>(d_out);
    CHECK(cudaGetLastError()); /* could it be launched? */
    CHECK(cudaDeviceSynchronize()); /* wait: did it end well? */

    CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_out));
}

/* What thread i should have written. */
static int hello_cpu(const int *a, const int *b, int n, int i)
{
    return 10 * i;
}

int main(int argc, char **argv)
{
    return start_main(argc, argv, STEP, {hello_gpu, hello_cpu, 4, 1024});
}

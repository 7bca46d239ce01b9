/* A warp polls a flag between barriers; the other one counts the rounds in a register alone before
 * it raises the flag. No memory changes for long, and yet something moves. */
#include <cuda_runtime.h>
#include <stdio.h>

enum { WARP = 32, ROUNDS = 20000 };

__global__ void rounds(volatile int *flag, int *out)
{
    if (threadIdx.x < WARP) {
        while (!*flag)
            __syncthreads();
    } else {
        for (int count = 0; count < ROUNDS; count++)
            __syncthreads();
        if (threadIdx.x == WARP)
            *flag = 1;
        __syncthreads();
    }
    out[threadIdx.x] = 1;
}

int main(void)
{
    int *flag, *out, found[2 * WARP] = {0};

    if (cudaMalloc(&flag, sizeof(int)) || cudaMalloc(&out, sizeof(found)) ||
        cudaMemset(flag, 0, sizeof(int)))
        return 3;
    rounds<<<1, 2 * WARP>>>(flag, out);
    if (cudaMemcpy(found, out, sizeof(found), cudaMemcpyDeviceToHost))
        return 3;
    printf("%d\n", found[0] + found[WARP]);
    return 0;
}

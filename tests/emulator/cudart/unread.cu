/* An atomic operation whose result nobody reads, in a kernel that orders no blocks. */
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void count(int *sum)
{
    atomicAdd(sum, 1);
}

int main(void)
{
    int *sum, found = 0;

    if (cudaMalloc(&sum, sizeof(int)) || cudaMemset(sum, 0, sizeof(int)))
        return 3;
    count<<<3, 64>>>(sum);
    if (cudaMemcpy(&found, sum, sizeof(int), cudaMemcpyDeviceToHost))
        return 3;
    printf("%d\n", found);
    return found != 192;
}

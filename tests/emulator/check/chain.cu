/* Each block waits for the one before it, as the tiles of a scan do: more blocks than any GPU holds
 * at once, right because a GPU starts them in order. */
#include <cstdio>

constexpr int BLOCKS = 3001;

__device__ int total[BLOCKS + 1];
__device__ int ready[BLOCKS + 1];

__global__ void chain()
{
    const int block = blockIdx.x;
    while (block > 0 && atomicAdd(&ready[block], 0) == 0)
        ;
    __threadfence();
    total[block + 1] = total[block] + block;
    __threadfence();
    atomicExch(&ready[block + 1], 1);
}

int main()
{
    static int host[BLOCKS + 1];
    chain<<<BLOCKS, 1>>>();
    const bool failed = cudaMemcpyFromSymbol(host, total, sizeof(host)) != cudaSuccess;
    printf("%d\n", host[BLOCKS]);
    return failed;
}

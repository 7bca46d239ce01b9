/* A kernel that waits for the host, which on a GPU goes on beside it. */
#include "expect.h"

__global__ void wait_for(const volatile int *latch)
{
    while (!*latch)
        ;
}

int main()
{
    int *latch;

    EXPECT_SUCCESS(cudaMallocManaged(&latch, sizeof(*latch)));
    EXPECT(*latch == 0);
    wait_for<<<1, 1>>>(latch);
    EXPECT_ERROR(cudaErrorLaunchFailure, cudaDeviceSynchronize());
    return finish();
}

/* SPDX-License-Identifier: MIT */
/* Six launches by one kernel that nothing orders, and one behind them all: which comes when. */
#include <cstdio>

__global__ void say(char what)
{
    std::printf("%c", what);
}

__global__ void parent()
{
    say<<<1, 1, 0, cudaStreamTailLaunch>>>('t');
    for (int i = 0; i < 6; i++)
        say<<<1, 1, 0, cudaStreamFireAndForget>>>('0' + i);
}

int main()
{
    parent<<<1, 1>>>();
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("\n");
    return error;
}

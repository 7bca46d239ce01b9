/* SPDX-License-Identifier: MIT */
/* Six launches by one kernel that nothing orders, and one behind them all: which comes when. And
 * what is filled and copied, in order; on an H200 all of it stays as it was, without an error. */
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

__global__ void rows(int *data)
{
    const size_t pitch = 8 * sizeof(int);

    cudaMemsetAsync(data, 0, 64 * sizeof(int), 0);
    cudaMemset2DAsync(data, pitch, 1, sizeof(int), 4, 0);
    cudaMemcpyAsync(data + 32, data, 32 * sizeof(int), cudaMemcpyDeviceToDevice, 0);
    cudaMemcpy2DAsync(data + 1, pitch, data, pitch, sizeof(int), 2, cudaMemcpyDeviceToDevice, 0);
}

static void check_rows()
{
    int *data, numbers[64];

    cudaMalloc(&data, sizeof(numbers));
    rows<<<1, 1>>>(data);
    cudaMemcpy(numbers, data, sizeof(numbers), cudaMemcpyDeviceToHost);
    cudaFree(data);
    for (int i = 0; i < 64; i++)
        if (numbers[i] != (i % 8 == 0 || i == 1 || i == 9 ? 0x01010101 : 0))
            std::printf("number %d is 0x%x\n", i, numbers[i]);
}

int main()
{
    check_rows();
    parent<<<1, 1>>>();
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("\n");
    return error;
}

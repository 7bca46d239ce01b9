/* Several host threads at once: each has its own last error, and the device serves them all. */
#include "expect.h"

#include <thread>
#include <vector>

enum { N = 1000, THREADS = 4, ROUNDS = 20 };

__global__ void add(int *numbers, int n, int what)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        numbers[i] += what;
}

/* What one thread found: how many of its results were wrong. */
static void work(int what, int *wrong)
{
    std::vector<int> host(N);
    cudaStream_t stream;
    int *device;

    *wrong = cudaStreamCreate(&stream) != cudaSuccess;
    *wrong += cudaMalloc(&device, N * sizeof(int)) != cudaSuccess;
    *wrong += cudaMemsetAsync(device, 0, N * sizeof(int), stream) != cudaSuccess;
    for (int round = 0; round < ROUNDS; round++)
        add<<<(N + 127) / 128, 128, 0, stream>>>(device, N, what);
    *wrong += cudaGetLastError() != cudaSuccess;
    *wrong += cudaMemcpyAsync(host.data(), device, N * sizeof(int), cudaMemcpyDeviceToHost,
                              stream) != cudaSuccess;
    *wrong += cudaStreamSynchronize(stream) != cudaSuccess;
    for (int number : host)
        *wrong += number != ROUNDS * what;
    *wrong += cudaFree(device) != cudaSuccess;
    *wrong += cudaStreamDestroy(stream) != cudaSuccess;
    /* Leaves an error behind, in this thread alone. */
    *wrong += cudaFree(wrong) != cudaErrorInvalidValue;
    *wrong += cudaPeekAtLastError() != cudaErrorInvalidValue;
}

int main()
{
    std::vector<std::thread> threads;
    int wrong[THREADS];

    for (int i = 0; i < THREADS; i++)
        threads.emplace_back(work, i + 1, &wrong[i]);
    for (std::thread &thread : threads)
        thread.join();
    for (int count : wrong)
        EXPECT(count == 0);
    EXPECT_SUCCESS(cudaGetLastError());
    return finish();
}

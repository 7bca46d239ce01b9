/* SPDX-License-Identifier: MIT */
/* Two devices use the same memory; "order" says what, if anything, makes one wait for the other. */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void put(int *where, int value)
{
    where[threadIdx.x] = value;
}

__global__ void get(const int *from, int *to)
{
    to[threadIdx.x] = from[threadIdx.x];
}

__global__ void count(int *where)
{
    atomicAdd_system(where, 1);
}

static const char *order;

static bool is(const char *name)
{
    return !std::strcmp(order, name);
}

/* Device 0 has put its numbers in `stream`: device 1 is to see them. */
static void make_order(cudaStream_t stream, cudaStream_t other)
{
    cudaEvent_t event, elsewhere;

    cudaEventCreate(&event);
    cudaSetDevice(1);
    cudaEventCreate(&elsewhere);
    cudaSetDevice(0);
    if (is("early"))
        cudaStreamWaitEvent(other, event, 0);
    cudaEventRecord(event, stream);
    if (is("event"))
        cudaStreamWaitEvent(other, event, 0);
    if (is("host"))
        cudaEventSynchronize(event);
    if (is("stream"))
        cudaStreamSynchronize(stream);
    if (is("device"))
        cudaDeviceSynchronize();
    cudaSetDevice(1);
    if (is("wrong")) { /* the other device is not what one has to wait for */
        cudaEventRecord(elsewhere, other);
        cudaEventSynchronize(elsewhere);
        cudaDeviceSynchronize();
    }
}

int main(int, char **argv)
{
    cudaStream_t stream, other;
    int *block, *mine;

    order = argv[1];
    cudaStreamCreate(&stream);
    cudaMalloc(&block, 64 * sizeof(int));
    cudaMemset(block, 0, 64 * sizeof(int));
    cudaDeviceSynchronize();
    cudaSetDevice(1);
    cudaDeviceEnablePeerAccess(0, 0);
    cudaStreamCreate(&other);
    cudaMalloc(&mine, 64 * sizeof(int));
    cudaSetDevice(0);
    if (is("atomics")) {
        count<<<1, 32, 0, stream>>>(block);
        cudaSetDevice(1);
        count<<<1, 32, 0, other>>>(block);
    } else if (is("apart")) { /* neighbours, of which none is the other's */
        put<<<1, 31, 0, stream>>>(block, 1);
        cudaSetDevice(1);
        put<<<1, 33, 0, other>>>(block + 31, 2);
    } else if (is("writers")) {
        put<<<1, 32, 0, stream>>>(block, 1);
        cudaSetDevice(1);
        put<<<1, 32, 0, other>>>(block + 31, 2);
    } else {
        put<<<1, 32, 0, stream>>>(block, 1);
        make_order(stream, other);
        if (is("copy") || is("copied"))
            cudaMemcpyPeerAsync(mine, 1, block, 0, 128, is("copy") ? other : stream);
        else
            get<<<1, 32, 0, other>>>(block, mine);
    }
    for (int device = 0; device < 2; device++) {
        cudaSetDevice(device);
        const cudaError_t error = cudaDeviceSynchronize();
        if (error)
            std::printf("%s\n", cudaGetErrorName(error));
    }
    cudaFree(block);
    cudaFree(mine);
    return 0;
}

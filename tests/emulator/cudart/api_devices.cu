/* SPDX-License-Identifier: MIT */
/* Several devices: what each has for itself, and what one may do with what is another's. Needs two;
 * with one it ends with 77. */
#include "expect.h"
#include "thread.h"

#include <cstring>

__device__ int counter = 5;
__managed__ int total = 1;

__global__ void add(int n)
{
    counter += n;
}

__global__ void add_total(int n)
{
    total += n;
}

__global__ void put(int *where, int value)
{
    *where = value;
}

/* Each host thread has a current device of its own, 0 at first. */
static void current()
{
    int device = -1;

    EXPECT_SUCCESS(cudaSetDevice(1));
    EXPECT_SUCCESS(cudaGetDevice(&device));
    EXPECT(device == 1);
    in_another_thread([] {
        int here = -1;
        EXPECT_SUCCESS(cudaGetDevice(&here));
        EXPECT(here == 0);
    });
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaSetDevice(-1));
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaSetDevice(1000));
    EXPECT_SUCCESS(cudaGetDevice(&device));
    EXPECT(device == 1);
    EXPECT_SUCCESS(cudaSetDevice(0));
}

static void properties(int count)
{
    cudaDeviceProp first, other;
    char bus[2][32];
    int device = -1;

    EXPECT_SUCCESS(cudaGetDeviceProperties(&first, 0));
    EXPECT_SUCCESS(cudaGetDeviceProperties(&other, 1));
    EXPECT(!std::strcmp(first.name, other.name));
    EXPECT(std::memcmp(&first.uuid, &other.uuid, sizeof(first.uuid)));
    for (int i = 0; i < 2; i++)
        EXPECT_SUCCESS(cudaDeviceGetPCIBusId(bus[i], sizeof(bus[i]), i));
    EXPECT(std::strcmp(bus[0], bus[1]));
    EXPECT_SUCCESS(cudaDeviceGetByPCIBusId(&device, bus[1]));
    EXPECT(device == 1);
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaGetDeviceProperties(&other, count));
}

/* A device's memory, and whose it is. */
static void memory()
{
    const size_t size = 64 << 20;
    size_t before[2], after[2], all;
    cudaPointerAttributes attributes;
    void *block, *host;

    for (int i = 0; i < 2; i++) {
        EXPECT_SUCCESS(cudaSetDevice(i));
        EXPECT_SUCCESS(cudaMemGetInfo(&before[i], &all));
    }
    EXPECT_SUCCESS(cudaMalloc(&block, size));
    for (int i = 0; i < 2; i++) {
        EXPECT_SUCCESS(cudaSetDevice(i));
        EXPECT_SUCCESS(cudaMemGetInfo(&after[i], &all));
    }
    EXPECT(after[0] == before[0]);
    EXPECT(after[1] + size <= before[1]);
    EXPECT_SUCCESS(cudaSetDevice(0));
    EXPECT_SUCCESS(cudaPointerGetAttributes(&attributes, block));
    EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.device == 1);
    EXPECT_SUCCESS(cudaMallocHost(&host, 100));
    EXPECT_SUCCESS(cudaPointerGetAttributes(&attributes, host));
    EXPECT(attributes.type == cudaMemoryTypeHost && attributes.device == 0);
    EXPECT_SUCCESS(cudaFreeHost(host));
    EXPECT_SUCCESS(cudaFree(block));
}

/* Each device has the program's variables once more; a managed one is there once. */
static void variables()
{
    int value;

    for (int device = 0; device < 2; device++) {
        EXPECT_SUCCESS(cudaSetDevice(device));
        EXPECT_LAUNCH(cudaSuccess, add<<<1, 1>>>(1 + device));
        EXPECT_LAUNCH(cudaSuccess, add_total<<<1, 1>>>(10));
        EXPECT_SUCCESS(cudaDeviceSynchronize());
        EXPECT_SUCCESS(cudaMemcpyFromSymbol(&value, counter, sizeof(value)));
        EXPECT(value == 6 + device);
    }
    EXPECT(total == 21);
    EXPECT_SUCCESS(cudaSetDevice(0));
}

/* Streams and events are of the device that was current when they were made. */
static void streams()
{
    cudaStream_t stream[2];
    cudaEvent_t event[2], end;
    int *block, value = 0;
    float ms;

    for (int i = 0; i < 2; i++) {
        EXPECT_SUCCESS(cudaSetDevice(i));
        EXPECT_SUCCESS(cudaStreamCreate(&stream[i]));
        EXPECT_SUCCESS(cudaEventCreate(&event[i]));
    }
    EXPECT_SUCCESS(cudaEventCreate(&end));
    EXPECT_SUCCESS(cudaMalloc(&block, sizeof(int)));
    EXPECT_LAUNCH(cudaSuccess, put<<<1, 1, 0, stream[1]>>>(block, 7));
    EXPECT_SUCCESS(cudaEventRecord(event[1], stream[1]));
    EXPECT_SUCCESS(cudaSetDevice(0));
    EXPECT_LAUNCH(cudaSuccess, put<<<1, 1, 0, stream[1]>>>(block, 8)); /* on device 1 */
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaEventRecord(event[1], stream[0]));
    EXPECT_SUCCESS(cudaEventRecord(event[0], stream[0]));
    EXPECT_SUCCESS(cudaStreamWaitEvent(stream[0], event[1], 0));
    EXPECT_SUCCESS(cudaMemcpyAsync(&value, block, sizeof(int), cudaMemcpyDefault, stream[1]));
    EXPECT_SUCCESS(cudaStreamSynchronize(stream[1]));
    EXPECT(value == 8);
    EXPECT_SUCCESS(cudaEventRecord(end, stream[1]));
    EXPECT_SUCCESS(cudaEventSynchronize(end));
    EXPECT_SUCCESS(cudaEventElapsedTime(&ms, event[1], end));
    EXPECT(ms >= 0);
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, event[0], end));
    for (int i = 0; i < 2; i++) {
        EXPECT_SUCCESS(cudaStreamDestroy(stream[i]));
        EXPECT_SUCCESS(cudaEventDestroy(event[i]));
    }
    EXPECT_SUCCESS(cudaEventDestroy(end));
    EXPECT_SUCCESS(cudaFree(block));
}

/* Copies reach every device; kernels only those to which they have access. */
static void peers(int count)
{
    int *block[2], value = 0, can;

    for (int i = 0; i < 2; i++) {
        EXPECT_SUCCESS(cudaSetDevice(i));
        EXPECT_SUCCESS(cudaMalloc(&block[i], sizeof(int)));
        EXPECT_LAUNCH(cudaSuccess, put<<<1, 1>>>(block[i], 40 + i));
        EXPECT_SUCCESS(cudaDeviceSynchronize());
    }
    EXPECT_SUCCESS(cudaMemcpyPeer(block[0], 0, block[1], 1, sizeof(int)));
    EXPECT_SUCCESS(cudaMemcpy(&value, block[0], sizeof(int), cudaMemcpyDefault));
    EXPECT(value == 41);
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaMemcpyPeer(block[0], 0, block[1], count, 4));
    cudaMemcpy3DPeerParms parms = {};
    parms.srcPtr = make_cudaPitchedPtr(block[0], 4, 1, 1);
    parms.dstPtr = make_cudaPitchedPtr(block[1], 4, 1, 1);
    parms.dstDevice = 1;
    parms.extent = make_cudaExtent(1, 1, 1);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemset(block[0], 99, 1)); /* from device 1 */
    EXPECT_SUCCESS(cudaSetDevice(0));
    EXPECT_SUCCESS(cudaMemset(block[0], 99, 1));
    EXPECT_SUCCESS(cudaMemcpy3DPeer(&parms));
    EXPECT_SUCCESS(cudaMemcpy(&value, block[1], sizeof(int), cudaMemcpyDefault));
    EXPECT(value == 99);
    parms.dstDevice = count;
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaMemcpy3DPeer(&parms));
    EXPECT_SUCCESS(cudaDeviceCanAccessPeer(&can, 0, 0));
    EXPECT(can == 0);
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 0, count));
    EXPECT_SUCCESS(cudaDeviceCanAccessPeer(&can, 0, 1));
    if (can) {
        EXPECT_SUCCESS(cudaSetDevice(0));
        EXPECT_ERROR(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(1));
        EXPECT_ERROR(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(count, 0));
        EXPECT_ERROR(cudaErrorInvalidValue, cudaDeviceEnablePeerAccess(1, 1));
        EXPECT_SUCCESS(cudaDeviceEnablePeerAccess(1, 0));
        EXPECT_ERROR(cudaErrorPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(1, 0));
        EXPECT_LAUNCH(cudaSuccess, put<<<1, 1>>>(block[1], 50));
        EXPECT_SUCCESS(cudaDeviceSynchronize());
        EXPECT_SUCCESS(cudaMemcpy(&value, block[1], sizeof(int), cudaMemcpyDeviceToHost));
        EXPECT(value == 50);
        EXPECT_SUCCESS(cudaDeviceDisablePeerAccess(1));
    }
    for (int i = 0; i < 2; i++)
        EXPECT_SUCCESS(cudaFree(block[i]));
}

/* What is reset is one device's. */
static void reset()
{
    int *kept, *gone, value = 0;

    EXPECT_SUCCESS(cudaSetDevice(0));
    EXPECT_SUCCESS(cudaMalloc(&kept, sizeof(int)));
    EXPECT_SUCCESS(cudaSetDevice(1));
    EXPECT_SUCCESS(cudaMalloc(&gone, sizeof(int)));
    EXPECT_SUCCESS(cudaDeviceReset());
    EXPECT_ERROR(cudaErrorInvalidValue, cudaFree(gone));
    EXPECT_SUCCESS(cudaMemcpyFromSymbol(&value, counter, sizeof(value)));
    EXPECT(value == 5);
    EXPECT_SUCCESS(cudaSetDevice(0));
    EXPECT_SUCCESS(cudaMemcpyFromSymbol(&value, counter, sizeof(value)));
    EXPECT(value == 6);
    EXPECT_SUCCESS(cudaFree(kept));
}

int main()
{
    int count = 0;

    EXPECT_SUCCESS(cudaGetDeviceCount(&count));
    if (count < 2)
        return 77;
    current();
    properties(count);
    memory();
    variables();
    streams();
    peers(count);
    reset();
    return finish();
}

/* Managed memory: advice, prefetching, streams; and small questions about devices. */
#include "expect.h"

#include <cstring>

__managed__ int variable[16];

__global__ void add(int *numbers, char, double value)
{
    numbers[threadIdx.x] += (int)value;
}

static cudaError_t advise(void *start, size_t bytes, cudaMemoryAdvise what, int place)
{
#if CUDART_VERSION >= 13000
    cudaMemLocation location;

    location.type = place == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    location.id = place == cudaCpuDeviceId ? 0 : place;
    return cudaMemAdvise(start, bytes, what, location);
#else
    return cudaMemAdvise(start, bytes, what, place);
#endif
}

static cudaError_t prefetch(void *start, size_t bytes, int place, cudaStream_t stream)
{
#if CUDART_VERSION >= 13000
    cudaMemLocation location;

    location.type = place == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    location.id = place == cudaCpuDeviceId ? 0 : place;
    return cudaMemPrefetchAsync(start, bytes, location, 0, stream);
#else
    return cudaMemPrefetchAsync(start, bytes, place, stream);
#endif
}

static int asked(void *start, size_t bytes, cudaMemRangeAttribute attribute)
{
    int value = -7;

    EXPECT_SUCCESS(cudaMemRangeGetAttribute(&value, sizeof(value), attribute, start, bytes));
    return value;
}

static void advice()
{
    const size_t size = 1 << 16;
    int readers[3], most;
    int *memory, *plain;

    EXPECT_SUCCESS(cudaMallocManaged(&memory, size));
    EXPECT_SUCCESS(cudaMalloc(&plain, size));
    EXPECT(asked(memory, size, cudaMemRangeAttributeReadMostly) == 0);
    EXPECT(asked(memory, size, cudaMemRangeAttributePreferredLocation) == cudaInvalidDeviceId);
    EXPECT(asked(memory, size, cudaMemRangeAttributeLastPrefetchLocation) == cudaInvalidDeviceId);
    EXPECT_SUCCESS(advise(memory, size, cudaMemAdviseSetReadMostly, 0));
    EXPECT(asked(memory, size, cudaMemRangeAttributeReadMostly) == 1);
    EXPECT_SUCCESS(advise(memory, size, cudaMemAdviseUnsetReadMostly, 0));
    EXPECT(asked(memory, size, cudaMemRangeAttributeReadMostly) == 0);
    EXPECT_SUCCESS(advise(memory, size, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId));
    EXPECT(asked(memory, size, cudaMemRangeAttributePreferredLocation) == cudaCpuDeviceId);
    EXPECT_SUCCESS(advise(memory, size, cudaMemAdviseSetAccessedBy, 0));
    EXPECT_SUCCESS(cudaMemRangeGetAttribute(readers, sizeof(readers),
                                            cudaMemRangeAttributeAccessedBy, memory, size));
    EXPECT(readers[0] == 0 && readers[1] == cudaInvalidDeviceId);
    EXPECT_SUCCESS(prefetch(memory, size, 0, 0));
    EXPECT_SUCCESS(cudaDeviceSynchronize());
    EXPECT(asked(memory, size, cudaMemRangeAttributeLastPrefetchLocation) == 0);

    void *results[] = {&most, readers};
    size_t sizes[] = {sizeof(int), sizeof(readers)};
    cudaMemRangeAttribute both[] = {cudaMemRangeAttributeReadMostly,
                                    cudaMemRangeAttributeAccessedBy};
    EXPECT_SUCCESS(cudaMemRangeGetAttributes(results, sizes, both, 2, memory, size));
    EXPECT(most == 0 && readers[0] == 0);

    EXPECT_ERROR(cudaErrorInvalidValue, advise(plain, size, cudaMemAdviseSetReadMostly, 0));
    EXPECT_ERROR(cudaErrorInvalidValue,
                 advise(memory, size, cudaMemAdviseSetPreferredLocation, 99));
    EXPECT_ERROR(cudaErrorInvalidValue, prefetch(plain, size, 0, 0));
    EXPECT_ERROR(cudaErrorInvalidDevice, prefetch(memory, size, 99, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, prefetch(memory, 0, 0, 0));
    EXPECT_SUCCESS(prefetch(variable, sizeof(variable), 0, 0));
    EXPECT_SUCCESS(cudaFree(memory));
    EXPECT_SUCCESS(cudaFree(plain));
}

static void attached_to_a_stream()
{
    cudaStream_t stream;
    int *memory, *plain;

    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    EXPECT_SUCCESS(cudaMallocManaged(&memory, 128));
    EXPECT_SUCCESS(cudaMalloc(&plain, 128));
    EXPECT_SUCCESS(cudaStreamAttachMemAsync(stream, memory));
    EXPECT_SUCCESS(cudaStreamSynchronize(stream));
    memory[0] = 1;
    add<<<1, 1, 0, stream>>>(memory, 'x', 2);
    EXPECT_SUCCESS(cudaStreamSynchronize(stream));
    EXPECT(memory[0] == 3);
    EXPECT_SUCCESS(cudaStreamAttachMemAsync(stream, memory, 0, cudaMemAttachGlobal));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaStreamAttachMemAsync(stream, memory, 0, 77));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaStreamAttachMemAsync(stream, plain));
    EXPECT_SUCCESS(cudaFree(memory));
    EXPECT_SUCCESS(cudaFree(plain));
    EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

#pragma nv_diagnostic push
#pragma nv_diag_suppress 1444
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void banks()
{
    cudaSharedMemConfig config;

    EXPECT_SUCCESS(cudaDeviceGetSharedMemConfig(&config));
    EXPECT(config == cudaSharedMemBankSizeFourByte);
    EXPECT_SUCCESS(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    EXPECT_SUCCESS(cudaFuncSetSharedMemConfig((const void *)add, cudaSharedMemBankSizeDefault));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaDeviceGetSharedMemConfig(NULL));
}
#pragma GCC diagnostic pop
#pragma nv_diagnostic pop

static void devices()
{
    char bus[32];
    int value, device = -1;

    EXPECT_ERROR(cudaErrorInvalidDevice,
                 cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0));
    EXPECT_ERROR(cudaErrorInvalidDevice,
                 cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 99));
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaDeviceGetP2PAttribute(NULL, cudaDevP2PAttrAccessSupported, 0, 0));
    EXPECT_ERROR(cudaErrorPeerAccessUnsupported, cudaDeviceEnablePeerAccess(0, 0));
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(99, 0));
    EXPECT_SUCCESS(cudaDeviceGetPCIBusId(bus, sizeof(bus), 0));
    EXPECT_SUCCESS(cudaDeviceGetByPCIBusId(&device, bus));
    EXPECT(device == 0);
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaDeviceGetByPCIBusId(&device, "ffff:ff:1f.7"));
}

static void parameters_of_kernels()
{
#if CUDART_VERSION >= 12040
    size_t offset, size;

    EXPECT_SUCCESS(cudaFuncGetParamInfo((const void *)add, 2, &offset, &size));
    EXPECT(offset == 16 && size == 8);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaFuncGetParamInfo((const void *)add, 3, &offset, &size));
#endif
}

/* A box of bytes in three dimensions, and nothing beside it. */
static void fill_3d()
{
    const cudaExtent extent = make_cudaExtent(40, 3, 2);
    unsigned char host[40 * 3 * 2];
    cudaPitchedPtr memory;
    cudaMemcpy3DParms copy;

    EXPECT_SUCCESS(cudaMalloc3D(&memory, extent));
    EXPECT_SUCCESS(cudaMemset3D(memory, 1, extent));
    EXPECT_SUCCESS(cudaMemset3DAsync(memory, 7, make_cudaExtent(39, 2, 2), 0));
    std::memset(&copy, 0, sizeof(copy));
    copy.srcPtr = memory;
    copy.dstPtr = make_cudaPitchedPtr(host, 40, 40, 3);
    copy.extent = extent;
    copy.kind = cudaMemcpyDeviceToHost;
    EXPECT_SUCCESS(cudaMemcpy3D(&copy));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 40; x++)
                EXPECT(host[(z * 3 + y) * 40 + x] == (x < 39 && y < 2 ? 7 : 1));
    EXPECT_SUCCESS(cudaFree(memory.ptr));
}

int main()
{
    advice();
    attached_to_a_stream();
    banks();
    devices();
    parameters_of_kernels();
    fill_3d();
    return finish();
}

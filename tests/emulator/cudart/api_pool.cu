/* Memory in the order of a stream, the pools it comes from, and what a stream keeps. */
#include "expect.h"

#include <cstdint>
#include <cstring>

__global__ void add(int *numbers, int value)
{
    numbers[threadIdx.x] += value;
}

static uint64_t attribute(cudaMemPool_t pool, cudaMemPoolAttr which)
{
    uint64_t value = ~0ull;

    EXPECT_SUCCESS(cudaMemPoolGetAttribute(pool, which, &value));
    return value;
}

static void in_order_of_a_stream()
{
    cudaStream_t stream;
    int *numbers, result[32];

    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    EXPECT_SUCCESS(cudaMallocAsync(&numbers, sizeof(result), stream));
    EXPECT_SUCCESS(cudaMemsetAsync(numbers, 0, sizeof(result), stream));
    add<<<1, 32, 0, stream>>>(numbers, 5);
    EXPECT_SUCCESS(
        cudaMemcpyAsync(result, numbers, sizeof(result), cudaMemcpyDeviceToHost, stream));
    EXPECT_SUCCESS(cudaFreeAsync(numbers, stream));
    EXPECT_SUCCESS(cudaStreamSynchronize(stream));
    EXPECT(result[0] == 5 && result[31] == 5);

    /* Each of the two frees what the other has allocated. */
    EXPECT_SUCCESS(cudaMalloc(&numbers, 4));
    EXPECT_SUCCESS(cudaFreeAsync(numbers, stream));
    EXPECT_SUCCESS(cudaMallocAsync(&numbers, 4, stream));
    EXPECT_SUCCESS(cudaStreamSynchronize(stream));
    EXPECT_SUCCESS(cudaFree(numbers));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMallocAsync((int **)NULL, 4, stream));
    EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

static void the_device_has_a_pool()
{
    cudaMemPool_t first, current;
    int supported = 0;

    EXPECT_SUCCESS(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
    EXPECT(supported == 1);
    EXPECT_SUCCESS(cudaDeviceGetDefaultMemPool(&first, 0));
    EXPECT_SUCCESS(cudaDeviceGetMemPool(&current, 0));
    EXPECT(current == first);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaDeviceGetMemPool(&current, 99));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaDeviceGetMemPool(NULL, 0));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemPoolDestroy(first));
    EXPECT_SUCCESS(cudaDeviceSetMemPool(0, current));
}

/* What is in use, and what is kept up to the threshold. */
static void pools_keep_books()
{
    const size_t size = 1 << 20;
    cudaMemPoolProps properties;
    cudaMemPool_t pool;
    uint64_t threshold = 64 << 20, none = 0;
    int reuse = 0;
    void *block;

    std::memset(&properties, 0, sizeof(properties));
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    EXPECT_SUCCESS(cudaMemPoolCreate(&pool, &properties));
    EXPECT_SUCCESS(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseFollowEventDependencies, &reuse));
    EXPECT(reuse == 1);
    EXPECT(attribute(pool, cudaMemPoolAttrReleaseThreshold) == 0);
    EXPECT_SUCCESS(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    EXPECT(attribute(pool, cudaMemPoolAttrReleaseThreshold) == threshold);

    EXPECT_SUCCESS(cudaMallocFromPoolAsync(&block, size, pool, 0));
    EXPECT_SUCCESS(cudaStreamSynchronize(0));
    EXPECT(attribute(pool, cudaMemPoolAttrUsedMemCurrent) >= size);
    EXPECT(attribute(pool, cudaMemPoolAttrReservedMemCurrent) >= size);
    EXPECT_SUCCESS(cudaFreeAsync(block, 0));
    EXPECT_SUCCESS(cudaStreamSynchronize(0));
    EXPECT(attribute(pool, cudaMemPoolAttrUsedMemCurrent) == 0);
    EXPECT(attribute(pool, cudaMemPoolAttrUsedMemHigh) >= size);
    EXPECT(attribute(pool, cudaMemPoolAttrReservedMemCurrent) >= size);
    EXPECT_SUCCESS(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &none));
    EXPECT(attribute(pool, cudaMemPoolAttrUsedMemHigh) == 0);
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &none));
    EXPECT_SUCCESS(cudaMemPoolTrimTo(pool, 0));
    EXPECT(attribute(pool, cudaMemPoolAttrReservedMemCurrent) == 0);

    EXPECT_SUCCESS(cudaMemPoolDestroy(pool));
    properties.allocType = cudaMemAllocationTypeInvalid;
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemPoolCreate(&pool, &properties));
}

/* Its own device reads and writes what a pool gives, and that cannot be taken away. */
static void access_to_a_pool()
{
    cudaMemPool_t pool;
    cudaMemAccessDesc wish;
    cudaMemAccessFlags flags;

    EXPECT_SUCCESS(cudaDeviceGetDefaultMemPool(&pool, 0));
    wish.location.type = cudaMemLocationTypeDevice;
    wish.location.id = 0;
    wish.flags = cudaMemAccessFlagsProtReadWrite;
    EXPECT_SUCCESS(cudaMemPoolSetAccess(pool, &wish, 1));
    EXPECT_SUCCESS(cudaMemPoolGetAccess(&flags, pool, &wish.location));
    EXPECT(flags == cudaMemAccessFlagsProtReadWrite);
    wish.flags = cudaMemAccessFlagsProtNone;
    EXPECT_ERROR(cudaErrorInvalidDevice, cudaMemPoolSetAccess(pool, &wish, 1));
}

static void attributes_of_streams()
{
    cudaStream_t stream, other;
    cudaStreamAttrValue value;

    std::memset(&value, 0, sizeof(value));
    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    EXPECT_SUCCESS(cudaStreamCreate(&other));
    value.syncPolicy = cudaSyncPolicyYield;
    EXPECT_SUCCESS(
        cudaStreamSetAttribute(stream, cudaLaunchAttributeSynchronizationPolicy, &value));
    EXPECT_SUCCESS(cudaStreamCopyAttributes(other, stream));
    value.syncPolicy = cudaSyncPolicyAuto;
    EXPECT_SUCCESS(cudaStreamGetAttribute(other, cudaLaunchAttributeSynchronizationPolicy, &value));
    EXPECT(value.syncPolicy == cudaSyncPolicyYield);
#if CUDART_VERSION >= 12080
    int device = -1;
    EXPECT_SUCCESS(cudaStreamGetDevice(stream, &device));
    EXPECT(device == 0);
#endif
    EXPECT_SUCCESS(cudaStreamDestroy(other));
    EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

/* Up to what the device says, which on some is nothing. */
static void persisting_in_l2()
{
    cudaStreamAttrValue value;
    cudaStream_t stream;
    int window, most;
    void *block;

    std::memset(&value, 0, sizeof(value));
    EXPECT_SUCCESS(cudaDeviceGetAttribute(&window, cudaDevAttrMaxAccessPolicyWindowSize, 0));
    EXPECT_SUCCESS(cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, 0));
    EXPECT((window > 0) == (most > 0));
    if (!most)
        return;
    EXPECT_SUCCESS(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, (size_t)most));
    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    EXPECT_SUCCESS(cudaMalloc(&block, 1 << 20));
    value.accessPolicyWindow.base_ptr = block;
    value.accessPolicyWindow.num_bytes = 1 << 20;
    value.accessPolicyWindow.hitRatio = 1;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    EXPECT_SUCCESS(cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &value));
    EXPECT_SUCCESS(cudaCtxResetPersistingL2Cache());
    EXPECT_SUCCESS(cudaFree(block));
    EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

int main()
{
    in_order_of_a_stream();
    the_device_has_a_pool();
    pools_keep_books();
    access_to_a_pool();
    attributes_of_streams();
    persisting_in_l2();
    return finish();
}

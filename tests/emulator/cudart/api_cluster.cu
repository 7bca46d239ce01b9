/* Clusters of blocks: how a launch asks for them, what is refused, occupancy. */
#include "expect.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

/* Each block tells the next one of its cluster its number. */
__device__ static void tell_next(int *out)
{
    const cg::cluster_group cluster = cg::this_cluster();
    __shared__ int told;

    cluster.sync();
    if (threadIdx.x == 0)
        *cluster.map_shared_rank(&told, (cluster.block_rank() + 1) % cluster.num_blocks()) =
            blockIdx.x + gridDim.x * blockIdx.y;
    cluster.sync();
    out[blockIdx.x + gridDim.x * blockIdx.y] = told;
}

__global__ void any_cluster(int *out)
{
    tell_next(out);
}

__global__ void __cluster_dims__(2, 2) pairs(int *out)
{
    tell_next(out);
}

static int *out;

static void expect_results(int count, const int *expected)
{
    int host[64];

    EXPECT_SUCCESS(cudaMemcpy(host, out, count * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++)
        EXPECT(host[i] == expected[i]);
}

static cudaLaunchConfig_t config_of(dim3 grid, dim3 cluster, cudaLaunchAttribute *attribute)
{
    cudaLaunchConfig_t config = {};

    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim = {cluster.x, cluster.y, cluster.z};
    config.gridDim = grid;
    config.blockDim = 32;
    config.attrs = attribute;
    config.numAttrs = 1;
    return config;
}

static cudaError_t launch(void (*kernel)(int *), dim3 grid, dim3 cluster)
{
    cudaLaunchAttribute attribute = {};
    const cudaLaunchConfig_t config = config_of(grid, cluster, &attribute);

    return cudaLaunchKernelEx(&config, kernel, out);
}

static void launches()
{
    const int alone[] = {0, 1, 2, 3}, twos[] = {1, 0, 3, 2}, four[] = {3, 0, 1, 2};
    const int squares[] = {5, 0, 7, 2, 1, 4, 3, 6};

    EXPECT_LAUNCH(cudaSuccess, any_cluster<<<4, 32>>>(out));
    expect_results(4, alone);
    EXPECT_ERROR(cudaSuccess, launch(any_cluster, 4, 2));
    expect_results(4, twos);
    EXPECT_ERROR(cudaSuccess, launch(any_cluster, 4, 4));
    expect_results(4, four);
    EXPECT_LAUNCH(cudaSuccess, pairs<<<dim3(4, 2), 32>>>(out));
    expect_results(8, squares);
    EXPECT_ERROR(cudaSuccess, launch(pairs, dim3(4, 2), dim3(2, 2)));
    expect_results(8, squares);
}

static void refusals()
{
    EXPECT_ERROR(cudaErrorInvalidClusterSize, launch(any_cluster, 5, 2));
    EXPECT_ERROR(cudaErrorInvalidClusterSize, launch(any_cluster, 4, dim3(2, 0, 1)));
    EXPECT_ERROR(cudaErrorInvalidClusterSize, launch(any_cluster, 32, 16));
    EXPECT_ERROR(cudaErrorInvalidClusterSize, launch(any_cluster, 64, 32));
    EXPECT_ERROR(cudaErrorInvalidClusterSize, launch(pairs, dim3(4, 4), dim3(4, 1)));
    EXPECT_LAUNCH(cudaErrorInvalidClusterSize, pairs<<<4, 32>>>(out));
    EXPECT_SUCCESS(
        cudaFuncSetAttribute(any_cluster, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    EXPECT_ERROR(cudaSuccess, launch(any_cluster, 32, 16));
    EXPECT_ERROR(cudaErrorInvalidClusterSize, launch(any_cluster, 64, 32));
    EXPECT_SUCCESS(
        cudaFuncSetAttribute(any_cluster, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
}

static void questions()
{
    cudaLaunchAttribute attribute = {};
    const cudaLaunchConfig_t config = config_of(64, 4, &attribute);
    cudaFuncAttributes attributes;
    int blocks, clusters, size, has, multiprocessors;

    EXPECT_SUCCESS(cudaDeviceGetAttribute(&has, cudaDevAttrClusterLaunch, 0));
    EXPECT(has == 1);
    EXPECT_SUCCESS(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    EXPECT_SUCCESS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, any_cluster, 32, 0));
    EXPECT_SUCCESS(cudaOccupancyMaxActiveClusters(&clusters, any_cluster, &config));
    EXPECT(clusters > 0 && clusters <= multiprocessors * blocks / 4);
    EXPECT_SUCCESS(cudaOccupancyMaxPotentialClusterSize(&size, any_cluster, &config));
    EXPECT(size == 8);
    EXPECT_SUCCESS(
        cudaFuncSetAttribute(any_cluster, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    EXPECT_SUCCESS(cudaOccupancyMaxPotentialClusterSize(&size, any_cluster, &config));
    EXPECT(size == 16);
    EXPECT_SUCCESS(cudaFuncGetAttributes(&attributes, pairs));
    EXPECT(attributes.clusterDimMustBeSet == 1 && attributes.requiredClusterWidth == 2 &&
           attributes.requiredClusterHeight == 2 && attributes.requiredClusterDepth == 1);
    EXPECT(attributes.nonPortableClusterSizeAllowed == 0);
    EXPECT_SUCCESS(cudaFuncGetAttributes(&attributes, any_cluster));
    EXPECT(attributes.clusterDimMustBeSet == 0 && attributes.nonPortableClusterSizeAllowed == 1);
}

int main()
{
    EXPECT_SUCCESS(cudaMalloc((void **)&out, 64 * sizeof(int)));
    launches();
    refusals();
    questions();
    EXPECT_SUCCESS(cudaFree(out));
    return finish();
}

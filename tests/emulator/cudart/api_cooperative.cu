/* Cooperative launches: a barrier of the whole grid, and groups of every size. */
#include "expect.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstring>

namespace cg = cooperative_groups;

enum { THREADS = 64, ROUNDS = 5 };

/* Each block adds up what all blocks wrote in the round before. */
__global__ void rounds(int *sums, int *results)
{
    cg::grid_group grid = cg::this_grid();
    const int blocks = gridDim.x;
    int value = blockIdx.x + 1;

    for (int round = 0; round < ROUNDS; round++) {
        if (threadIdx.x == 0)
            sums[blockIdx.x] = value;
        grid.sync();
        value = 0;
        for (int i = 0; i < blocks; i++)
            value += sums[i];
        value = value % 1000 + blockIdx.x;
        grid.sync();
    }
    if (threadIdx.x == 0)
        results[blockIdx.x] = value;
}

static int expected(int blocks, int block)
{
    int values[1024];

    for (int i = 0; i < blocks; i++)
        values[i] = i + 1;
    for (int round = 0; round < ROUNDS; round++) {
        int sum = 0;
        for (int i = 0; i < blocks; i++)
            sum += values[i];
        for (int i = 0; i < blocks; i++)
            values[i] = sum % 1000 + i;
    }
    return values[block];
}

/* Arrive, do something else, wait. */
__global__ void split(int *written, int *read)
{
    cg::grid_group grid = cg::this_grid();
    const int rank = (int)grid.thread_rank();

    written[rank] = rank;
    cg::grid_group::arrival_token token = grid.barrier_arrive();
    const int next = (rank + blockDim.x) % (int)grid.size();
    grid.barrier_wait(std::move(token));
    read[rank] = written[next];
}

__global__ void ranks(int *out)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    const int sum = cg::reduce(tile, (int)tile.thread_rank(), cg::plus<int>());
    const int before = cg::exclusive_scan(tile, 1);
    cg::coalesced_group odd = cg::binary_partition(cg::coalesced_threads(), threadIdx.x % 2 != 0);

    out[grid.thread_rank()] = grid.is_valid() + 10 * (int)(grid.num_blocks() == gridDim.x) +
                              100 * sum + 10000 * before + 100000 * (int)(odd.size() == 16);
}

/* Is there a grid to wait for? Not in a plain launch, though driver 580 says so there too. */
__global__ void valid(int *out)
{
    *out = cg::this_grid().is_valid();
}

static void grid_barrier(int blocks)
{
    int *sums, *results, *host = new int[blocks];

    EXPECT_SUCCESS(cudaMalloc(&sums, blocks * sizeof(int)));
    EXPECT_SUCCESS(cudaMalloc(&results, blocks * sizeof(int)));
    void *arguments[] = {&sums, &results};
    EXPECT_SUCCESS(
        cudaLaunchCooperativeKernel((void *)rounds, dim3(blocks), dim3(THREADS), arguments));
    EXPECT_SUCCESS(cudaMemcpy(host, results, blocks * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < blocks; i++)
        EXPECT(host[i] == expected(blocks, i));
    EXPECT_SUCCESS(cudaFree(sums));
    EXPECT_SUCCESS(cudaFree(results));
    delete[] host;
}

/* As many blocks as the occupancy says are there at once. */
static void full_gpu()
{
    int multiprocessors, blocks;

    EXPECT_SUCCESS(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    EXPECT_SUCCESS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, rounds, THREADS, 0));
    if (multiprocessors * blocks > 320)
        blocks = 320 / multiprocessors;
    grid_barrier(multiprocessors * blocks);
}

static void two_halves()
{
    const int count = 4 * THREADS;
    int *written, *read, host[count];

    EXPECT_SUCCESS(cudaMalloc(&written, sizeof(host)));
    EXPECT_SUCCESS(cudaMalloc(&read, sizeof(host)));
    void *arguments[] = {&written, &read};
    EXPECT_SUCCESS(cudaLaunchCooperativeKernel((void *)split, dim3(4), dim3(THREADS), arguments));
    EXPECT_SUCCESS(cudaMemcpy(host, read, sizeof(host), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++)
        EXPECT(host[i] == (i + THREADS) % count);
    EXPECT_SUCCESS(cudaFree(written));
    EXPECT_SUCCESS(cudaFree(read));
}

static void groups()
{
    int *out, host[2 * THREADS], is_valid = -1;
    cudaDeviceProp properties;

    EXPECT_SUCCESS(cudaMalloc(&out, sizeof(host)));
    void *arguments[] = {&out};
    EXPECT_SUCCESS(cudaLaunchCooperativeKernel((void *)ranks, dim3(2), dim3(THREADS), arguments));
    EXPECT_SUCCESS(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 2 * THREADS; i++)
        EXPECT(host[i] == 102811 + 10000 * (i % 8));
    valid<<<1, 1>>>(out);
    EXPECT_SUCCESS(cudaMemcpy(&is_valid, out, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT_SUCCESS(cudaGetDeviceProperties(&properties, 0));
    EXPECT(is_valid == !std::strstr(properties.name, "(emulated)"));
    EXPECT_SUCCESS(cudaFree(out));
}

/* With an argument only small grids, for the checkers. */
int main(int argc, char **)
{
    int supported = 0;

    EXPECT_SUCCESS(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    EXPECT(supported == 1);
    grid_barrier(1);
    grid_barrier(7);
    if (argc == 1)
        full_gpu();
    two_halves();
    groups();
    return finish();
}

/* CUB's algorithms, but for those of the chapters' library_cub, and cooperative groups over several
 * warps: correct programs, so --check=all is silent about them. The sizes make CUB use more than
 * one tile. SCAN_AND_GROUP: those alone. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <cstring>
#include <vector>
#include <cub/device/device_scan.cuh>
#ifndef SCAN_AND_GROUP
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#endif

namespace cg = cooperative_groups;

constexpr int COUNT = 6001;

/* A pair with padding, which CUB carries through registers and shared memory. */
struct padded {
    char kind;
    int value;
    __host__ __device__ bool operator<(const padded &other) const
    {
        return value < other.value;
    }
};
struct padded_less {
    __host__ __device__ bool operator()(const padded &a, const padded &b) const
    {
        return a < b;
    }
};
struct padded_sum {
    __host__ __device__ padded operator()(const padded &a, const padded &b) const
    {
        return {a.kind, a.value + b.value};
    }
};

static int *ints(int count, int modulus)
{
    std::vector<int> host(count);
    unsigned x = 12345;
    for (int i = 0; i < count; i++)
        host[i] = (x = x * 1664525u + 1013904223u) >> 8, host[i] %= modulus;
    int *device;
    cudaMalloc(&device, count * sizeof(int));
    cudaMemcpy(device, host.data(), count * sizeof(int), cudaMemcpyHostToDevice);
    return device;
}

template <typename T> static T *room(int count)
{
    T *device;
    cudaMalloc(&device, count * sizeof(T));
    return device;
}

/* Member by member: the padding stays as it was. */
__global__ void make_padded(const int *in, padded *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < COUNT) {
        out[i].kind = i;
        out[i].value = in[i];
    }
}

#define TWICE(...)                     \
    do {                               \
        size_t bytes = 0;              \
        void *temporary = NULL;        \
        __VA_ARGS__;                   \
        cudaMalloc(&temporary, bytes); \
        __VA_ARGS__;                   \
        cudaFree(temporary);           \
    } while (0)

static int sum_of(const int *device, int count)
{
    std::vector<int> host(count);
    long sum = 0;
    cudaMemcpy(host.data(), device, count * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < count; i++)
        sum = sum * 31 + host[i];
    return (int)(sum & 0xFFFFF);
}

static void show(const char *name, const int *device, int count)
{
    printf("%s %d %s\n", name, sum_of(device, count), cudaGetErrorString(cudaGetLastError()));
}

#ifndef SCAN_AND_GROUP
static void radix_sort()
{
    int *in = ints(COUNT, 1 << 20), *out = room<int>(COUNT), *values = ints(COUNT, 1 << 10),
        *moved = room<int>(COUNT);
    TWICE(cub::DeviceRadixSort::SortPairs(temporary, bytes, in, out, values, moved, COUNT));
    show("radix_pairs", moved, COUNT);
    TWICE(cub::DeviceRadixSort::SortPairs(temporary, bytes, in, out, values, moved, 300));
    show("radix_small", moved, 300);
}

static void merge_sort()
{
    int *keys = ints(COUNT, 1 << 20);
    padded *items = room<padded>(COUNT);
    make_padded<<<(COUNT + 255) / 256, 256>>>(keys, items);
    TWICE(cub::DeviceMergeSort::SortKeys(temporary, bytes, items, COUNT, padded_less()));
    std::vector<padded> host(COUNT);
    cudaMemcpy(host.data(), items, COUNT * sizeof(padded), cudaMemcpyDeviceToHost);
    printf("merge_padded %d\n", host[COUNT / 2].value);
}

static void by_key()
{
    int *in = ints(COUNT, 4), *out = room<int>(COUNT), *sums = room<int>(COUNT),
        *runs = room<int>(1), *values = ints(COUNT, 100);
    TWICE(cub::DeviceReduce::ReduceByKey(temporary, bytes, in, out, values, sums, runs,
                                         ::cuda::std::plus<>(), COUNT));
    show("reduce_by_key", runs, 1);
    TWICE(cub::DeviceRunLengthEncode::Encode(temporary, bytes, in, out, sums, runs, COUNT));
    show("run_length", runs, 1);
}
#endif

static void scan()
{
    int *in = ints(COUNT, 1 << 10);
    padded *items = room<padded>(COUNT), *sums = room<padded>(COUNT);
    make_padded<<<(COUNT + 255) / 256, 256>>>(in, items);
    TWICE(cub::DeviceScan::InclusiveScan(temporary, bytes, items, sums, padded_sum(), COUNT));
    std::vector<padded> host(COUNT);
    cudaMemcpy(host.data(), sums, COUNT * sizeof(padded), cudaMemcpyDeviceToHost);
    printf("scan_padded %d\n", host[COUNT - 1].value);
}

/* Groups of more than one warp. */
__global__ void groups(const int *in, int *out)
{
    __shared__ cg::block_tile_memory<256> memory;
    cg::thread_block block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<128>(block);
    const int sum = cg::reduce(tile, in[block.thread_rank()], cg::plus<int>());
    const int most = cg::reduce(tile, in[block.thread_rank()], cg::greater<int>());
    tile.sync();
    out[block.thread_rank()] = sum + most;
}

static void group()
{
    int *in = ints(256, 1000), *out = room<int>(256);
    groups<<<1, 256>>>(in, out);
    show("groups", out, 256);
}

int main(int argc, char **argv)
{
    const struct {
        const char *name;
        void (*run)();
    } all[] = {
#ifndef SCAN_AND_GROUP
        {"radix_sort", radix_sort},
        {"merge_sort", merge_sort},
        {"by_key", by_key},
#endif
        {"scan", scan},
        {"group", group},
    };
    for (const auto &one : all)
        if (argc > 1 && strcmp(argv[1], one.name) == 0)
            one.run();
    return cudaDeviceSynchronize() != cudaSuccess;
}

/* Copies in the background: how long one takes and how many bytes go through, by its size and by
 * how many are under way. cp.async, whose lanes copy 4, 8 or 16 bytes each; bulk copies, which one
 * thread asks for; and bulk copies of a tensor's box, row by row. */
#include "calibration.h"
#include "tensor_map.cuh"

enum { ROUNDS = 256, THREADS = 256, BLOCKS = 132, MEMORY = 128 << 20, NEAR = 8 << 20 };
enum { ROOM = 64 << 10 }; /* of shared memory */

/* Where in `bytes` bytes a block begins: blocks do not read the same lines at the same time. */
__device__ static unsigned start_of(unsigned bytes)
{
    return (bytes / gridDim.x & ~0x3FFFu) * blockIdx.x;
}

__global__ void read_all(const uint4 *data, unsigned count, unsigned *sink)
{
    unsigned seen = 0;

    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        seen |= data[i].x;
    if (seen == 0xFFFFFFFF)
        *sink = seen;
}

template <int BYTES> __device__ static void copy_lane(unsigned to, const char *from)
{
    if constexpr (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(BYTES)
                     : "memory");
}

/* Every thread copies BYTES, ROUNDS times, and lets UNDER_WAY groups of one copy be under way. */
template <int BYTES, int UNDER_WAY>
__global__ void __launch_bounds__(THREADS) copy_lanes(const char *from, unsigned bytes)
{
    extern __shared__ char room[];
    const unsigned to = shared_address(room) + threadIdx.x * BYTES, step = blockDim.x * BYTES;
    unsigned at = start_of(bytes) + threadIdx.x * BYTES;

#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++, at += step) {
        copy_lane<BYTES>(to + round % UNDER_WAY * step, from + (at & (bytes - 1)));
        asm volatile("cp.async.commit_group;\n\tcp.async.wait_group %0;" ::"n"(UNDER_WAY - 1)
                     : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
}

/* One thread of each warp asks for `size` bytes, and for the next so many when they have come,
 * 2^log times side by side. */
__global__ void copy_runs(const char *from, unsigned bytes, int size, int log)
{
    extern __shared__ __align__(128) char room[];
    __shared__ uint64_t full[8];
    const int under_way = 1 << log, warp = threadIdx.x / 32;

    if (threadIdx.x % 32 > 0)
        return;
    barriers_init(full + warp * under_way, under_way);
#pragma unroll 1
    for (int round = 0; round < ROUNDS + under_way; round++) {
        const int place = warp * under_way + (round & (under_way - 1));
        const unsigned at =
            start_of(bytes) + (warp * ROUNDS + round) * (unsigned)size & (bytes - 1);

        if (round >= under_way)
            barrier_wait(&full[place], (round >> log) - 1);
        if (round < ROUNDS) {
            barrier_expect(&full[place], size);
            copy_bulk(room + place * size, from + at, size, &full[place]);
        }
    }
}

/* All lanes of a warp ask for `size` bytes each, and wait for all of them. */
__global__ void copy_rows(const char *from, unsigned bytes, int size)
{
    extern __shared__ __align__(128) char room[];
    __shared__ uint64_t full;

    if (threadIdx.x == 0)
        barriers_init(&full, 1);
    __syncwarp();
#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++) {
        const unsigned row = round * blockDim.x + threadIdx.x;

        if (threadIdx.x == 0)
            barrier_expect(&full, blockDim.x * size);
        __syncwarp();
        copy_bulk(room + threadIdx.x * size, from + (row * (unsigned)size & (bytes - 1)), size,
                  &full);
        barrier_wait(&full, round);
    }
}

/* The same for boxes of `high` rows, `size` bytes each: the map says how wide they are. */
__global__ void copy_boxes(const __grid_constant__ CUtensorMap map, int rows, int high, int size,
                           int log)
{
    extern __shared__ __align__(1024) char room[];
    __shared__ uint64_t full[8];
    const int under_way = 1 << log;

    if (threadIdx.x > 0)
        return;
    barriers_init(full, under_way);
#pragma unroll 1
    for (int round = 0; round < ROUNDS + under_way; round++) {
        const int place = round & (under_way - 1);
        const int row = (blockIdx.x + round) * high & (rows - 1);

        if (round >= under_way)
            barrier_wait(&full[place], (round >> log) - 1);
        if (round < ROUNDS) {
            barrier_expect(&full[place], size);
            asm volatile(
                "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(room + place * size)),
                "l"(&map), "r"(0), "r"(row), "r"(shared_address(&full[place]))
                : "memory");
        }
    }
}

/* Threads that only pass a barrier of their block, round after round. */
__global__ void arrive_and_wait(void)
{
    __shared__ uint64_t met;

    if (threadIdx.x == 0)
        barriers_init(&met, 1, blockDim.x);
    __syncthreads();
#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++) {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&met))
                     : "memory");
        barrier_wait(&met, round);
    }
}

template <int BYTES> static void time_one(struct calibration *calibration, const char *memory)
{
    TIMED_CASE(calibration, "%d rounds of a warp, %d bytes a lane", ROUNDS, BYTES)
        copy_lanes<BYTES, 1><<<1, 32, 32 * BYTES>>>(memory, NEAR);
}

template <int BYTES, int UNDER_WAY>
static void time_lanes(struct calibration *calibration, const char *memory, unsigned bytes)
{
    TIMED_CASE(calibration, "%d blocks, %d bytes a lane, %d under way, of %u MiB", BLOCKS, BYTES,
               UNDER_WAY, bytes >> 20)
        copy_lanes<BYTES, UNDER_WAY>
            <<<BLOCKS, THREADS, THREADS * BYTES * UNDER_WAY>>>(memory, bytes);
}

/* By several warps, and by all lanes of one. */
static void time_askers(struct calibration *calibration, const char *memory)
{
    for (int size : {64, 1024})
        for (int warps : {1, 2, 4})
            TIMED_CASE(calibration, "%d warps, %d bulk copies of %d bytes, 2 under way", warps,
                       ROUNDS, size)
                copy_runs<<<1, 32 * warps, ROOM>>>(memory, NEAR, size, 1);
    for (int size : {64, 1024})
        for (int lanes : {4, 32})
            TIMED_CASE(calibration, "%d lanes, %d bulk copies of %d bytes", lanes, ROUNDS, size)
                copy_rows<<<1, lanes, ROOM / 2>>>(memory, NEAR, size);
}

static void time_runs(struct calibration *calibration, const char *memory)
{
    CHECK(cudaFuncSetAttribute(copy_runs, cudaFuncAttributeMaxDynamicSharedMemorySize, 2 * ROOM));
    for (int size : {16, 512, 2048, 16384})
        TIMED_CASE(calibration, "%d bulk copies of %d bytes", ROUNDS, size)
            copy_runs<<<1, 32, ROOM>>>(memory, NEAR, size, 0);
    for (unsigned bytes : {NEAR, MEMORY})
        for (int size : {bytes == NEAR ? 512 : 2048, bytes == NEAR ? 8192 : 4096})
            for (int log : {0, 2, 3})
                TIMED_CASE(calibration,
                           "%d blocks, bulk copies of %d bytes, %d under way, of %u MiB", BLOCKS,
                           size, 1 << log, bytes >> 20)
                    copy_runs<<<BLOCKS, 32, 2 * ROOM>>>(memory, bytes, size, log);
}

static void time_boxes(struct calibration *calibration, const char *memory)
{
    enum { LD = 256 }; /* words of a row */

    CHECK(cudaFuncSetAttribute(copy_boxes, cudaFuncAttributeMaxDynamicSharedMemorySize, 2 * ROOM));
    for (int wide : {16, 32, 256}) {
        const int high = 2048 / wide, size = 8192;
        const CUtensorMap map = make_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, memory, LD * 4,
                                         NEAR / 4 / LD, LD, high, wide, CU_TENSOR_MAP_SWIZZLE_NONE);

        TIMED_CASE(calibration, "%d boxes of %d rows of %d bytes", ROUNDS, high, 4 * wide)
            copy_boxes<<<1, 32, ROOM>>>(map, NEAR / 4 / LD, high, size, 0);
        TIMED_CASE(calibration, "%d blocks, boxes of %d rows of %d bytes, 4 under way", BLOCKS,
                   high, 4 * wide)
            copy_boxes<<<BLOCKS, 32, ROOM>>>(map, NEAR / 4 / LD, high, size, 2);
    }
}

static void measure(struct calibration *calibration)
{
    const char *memory = (const char *)calibration_memory(MEMORY);
    unsigned *sink = (unsigned *)calibration_memory(sizeof *sink);

    read_all<<<256, 256>>>((const uint4 *)memory, NEAR / 16, sink);
    time_one<4>(calibration, memory);
    time_one<8>(calibration, memory);
    time_one<16>(calibration, memory);
    time_lanes<4, 1>(calibration, memory, NEAR);
    time_lanes<4, 8>(calibration, memory, NEAR);
    time_lanes<8, 8>(calibration, memory, NEAR);
    for (unsigned bytes : {NEAR, MEMORY}) {
        time_lanes<16, 1>(calibration, memory, bytes);
        time_lanes<16, 2>(calibration, memory, bytes);
        time_lanes<16, 4>(calibration, memory, bytes);
        time_lanes<16, 8>(calibration, memory, bytes);
    }
    read_all<<<256, 256>>>((const uint4 *)memory, NEAR / 16, sink);
    time_runs(calibration, memory);
    read_all<<<256, 256>>>((const uint4 *)memory, NEAR / 16, sink);
    time_askers(calibration, memory);
    time_boxes(calibration, memory);
    for (int threads : {32, 256})
        TIMED_CASE(calibration, "%d rounds of %d threads at a barrier in shared memory", ROUNDS,
                   threads)
            arrive_and_wait<<<1, threads>>>();
    CHECK(cudaFree(sink));
    CHECK(cudaFree((void *)memory));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "background", measure);
}

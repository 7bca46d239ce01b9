/* Tensor maps and copies of tiles by them (compute capability 9.0): one thread asks for a whole
 * tile, the copy engine fetches it. A barrier in shared memory counts the bytes that arrive. The
 * map, made on the host, knows the matrix; outside of it the engine puts zeros and reads
 * nothing. */
#ifndef TENSOR_MAP_CUH
#define TENSOR_MAP_CUH

#include <cuda.h>

#include "async.cuh"
#include "common.h"

#if CUDART_VERSION < 12050 /* which lack the one that takes a version */
#define cudaGetDriverEntryPointByVersion(name, function, version, flags, found) \
    cudaGetDriverEntryPoint(name, function, flags, found)
#endif

/* Fetch the tile whose first element is (row, column) of the map's matrix. */
__device__ inline void copy_tile(void *to, const CUtensorMap *map, int row, int column,
                                 uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
                 "l"(map), "r"(column), "r"(row), "r"(shared_address(barrier))
                 : "memory");
}

/* The same, to the same place in each block of the cluster whose bit is set in `blocks`; it counts
 * at the barrier there that is where `barrier` is here. */
__device__ inline void copy_tile_to(int blocks, void *to, const CUtensorMap *map, int row,
                                    int column, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
                 "l"(map), "r"(column), "r"(row), "r"(shared_address(barrier)), "h"((short)blocks)
                 : "memory");
}

/* Store a tile from shared memory whose first element is (row, column) of the map's matrix; what is
 * outside of it is not stored. before_copies() and a barrier come first. */
__device__ inline void store_tile(const void *from, const CUtensorMap *map, int row, int column)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n\t"
                 "cp.async.bulk.commit_group;" ::"l"(map),
                 "r"(column), "r"(row), "r"(shared_address(from))
                 : "memory");
}

/* Wait until all but the last `but` tiles that this thread stored have been read. */
template <int but> __device__ inline void stores_wait_read(void)
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(but) : "memory");
}

/* The map of a matrix of rows x columns elements of `type`, whose rows are `pitch` bytes apart, a
 * multiple of 16, in tiles of high x wide. In what order the 16-byte pieces of a tile's row lie:
 * `order`. */
static inline CUtensorMap make_map(CUtensorMapDataType type, const void *matrix, size_t pitch,
                                   int rows, int columns, int high, int wide,
                                   CUtensorMapSwizzle order)
{
    static decltype(&cuTensorMapEncodeTiled) encode;
    const cuuint64_t size[] = {(cuuint64_t)max(columns, 1), (cuuint64_t)max(rows, 1)};
    const cuuint64_t stride = pitch;
    const cuuint32_t tile[] = {(cuuint32_t)wide, (cuuint32_t)high}, step[] = {1, 1};
    cudaDriverEntryPointQueryResult found;
    CUtensorMap map;

    if (!encode)
        CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
                                               cudaEnableDefault, &found));
    if (encode(&map, type, 2, (void *)matrix, size, &stride, tile, step,
               CU_TENSOR_MAP_INTERLEAVE_NONE, order, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        CHECK(cudaErrorInvalidValue);
    return map;
}

#endif

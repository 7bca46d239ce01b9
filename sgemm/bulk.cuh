/* Bulk tensor copies (compute capability 9.0): one thread asks for a whole tile, the copy engine
 * fetches it. A barrier in shared memory counts the bytes that arrive. The tensor map, made on the
 * host, knows the matrix; outside of it the engine puts zeros and reads nothing. */
#ifndef BULK_CUH
#define BULK_CUH

#include <cuda.h>

#include "async.cuh"
#include "tile.cuh"

/* Fetch the tile whose first element is (row, column) of the map's matrix. */
__device__ inline void copy_tile(void *to, const CUtensorMap *map, int row, int column,
                                 uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
                 "l"(map), "r"(column), "r"(row), "r"(shared_address(barrier))
                 : "memory");
}

/* The map of a matrix of rows x columns, in tiles of high x wide. With `swizzle` the 16-byte pieces
 * of a tile's row trade places, so that a column of pieces lies in different banks: of rows of 64
 * bytes piece q of row r is at q ^ (r / 2 % 4), of 128 bytes at q ^ (r % 8). */
static inline CUtensorMap map_matrix(const float *matrix, int ld, int rows, int columns, int high,
                                     int wide, bool swizzle)
{
    static decltype(&cuTensorMapEncodeTiled) encode;
    const cuuint64_t size[] = {(cuuint64_t)max(columns, 1), (cuuint64_t)max(rows, 1)};
    const cuuint64_t stride = padded(max(ld, 4)) * sizeof(float); /* even without rows */
    const cuuint32_t tile[] = {(cuuint32_t)wide, (cuuint32_t)high}, step[] = {1, 1};
    CUtensorMapSwizzle order = CU_TENSOR_MAP_SWIZZLE_NONE;
    cudaDriverEntryPointQueryResult found;
    CUtensorMap map;

    if (!encode)
        CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
                                               cudaEnableDefault, &found));
    if (swizzle)
        order = wide == 16 ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_128B;
    if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)matrix, size, &stride, tile, step,
               CU_TENSOR_MAP_INTERLEAVE_NONE, order, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        CHECK(cudaErrorInvalidValue);
    return map;
}

#endif

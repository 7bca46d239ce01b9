/* The maps of this chapter's matrices, for bulk tensor copies (compute capability 9.0). */
#ifndef BULK_CUH
#define BULK_CUH

#include "tensor_map.cuh"
#include "tile.cuh"

/* The map of a matrix of rows x columns, in tiles of high x wide. With `swizzle` the 16-byte pieces
 * of a tile's row trade places, so that a column of pieces lies in different banks: of rows of 64
 * bytes piece q of row r is at q ^ (r / 2 % 4), of 128 bytes at q ^ (r % 8). */
static inline CUtensorMap map_matrix(const float *matrix, int ld, int rows, int columns, int high,
                                     int wide, bool swizzle)
{
    const CUtensorMapSwizzle order = !swizzle     ? CU_TENSOR_MAP_SWIZZLE_NONE
                                     : wide == 16 ? CU_TENSOR_MAP_SWIZZLE_64B
                                                  : CU_TENSOR_MAP_SWIZZLE_128B;

    /* A pitch even where there are no rows. */
    return make_map(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, matrix, padded(max(ld, 4)) * sizeof(float),
                    rows, columns, high, wide, order);
}

#endif

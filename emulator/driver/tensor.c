/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop

#include "machine/tensor.h"

#if CUDA_VERSION >= 12000

enum { CHUNK = 16, MAX_STEP = 8 };
#define MAX_SIZE (UINT64_C(1) << 32)
#define MAX_STRIDE (UINT64_C(1) << 40)

/* An element's type; PTX_NONE if `type` is none or its elements change during the copy. */
static enum ptx_type type_of(CUtensorMapDataType type)
{
    static const enum ptx_type types[] = {
        [CU_TENSOR_MAP_DATA_TYPE_UINT8] = PTX_U8,    [CU_TENSOR_MAP_DATA_TYPE_UINT16] = PTX_U16,
        [CU_TENSOR_MAP_DATA_TYPE_UINT32] = PTX_U32,  [CU_TENSOR_MAP_DATA_TYPE_INT32] = PTX_S32,
        [CU_TENSOR_MAP_DATA_TYPE_UINT64] = PTX_U64,  [CU_TENSOR_MAP_DATA_TYPE_INT64] = PTX_S64,
        [CU_TENSOR_MAP_DATA_TYPE_FLOAT16] = PTX_F16, [CU_TENSOR_MAP_DATA_TYPE_FLOAT32] = PTX_F32,
        [CU_TENSOR_MAP_DATA_TYPE_FLOAT64] = PTX_F64, [CU_TENSOR_MAP_DATA_TYPE_BFLOAT16] = PTX_BF16,
    };
    return (size_t)type < sizeof types / sizeof *types ? types[type] : PTX_NONE;
}

static bool is_swizzle(CUtensorMapSwizzle swizzle)
{
    return swizzle == CU_TENSOR_MAP_SWIZZLE_NONE || swizzle == CU_TENSOR_MAP_SWIZZLE_32B ||
           swizzle == CU_TENSOR_MAP_SWIZZLE_64B || swizzle == CU_TENSOR_MAP_SWIZZLE_128B;
}

static uint8_t span_of(CUtensorMapSwizzle swizzle)
{
    return swizzle == CU_TENSOR_MAP_SWIZZLE_32B    ? 32
           : swizzle == CU_TENSOR_MAP_SWIZZLE_64B  ? 64
           : swizzle == CU_TENSOR_MAP_SWIZZLE_128B ? 128
                                                   : 0;
}

/* Do the sizes, strides and box satisfy the manual? */
static bool is_valid(const struct tensor_map *map)
{
    const uint32_t row = (uint32_t)map->box[0] * map->element;

    if (map->address % CHUNK || row % CHUNK || (map->swizzle && row > map->swizzle))
        return false;
    for (int k = 0; k < map->rank; k++)
        if (map->size[k] < 1 || map->size[k] > MAX_SIZE || map->box[k] < 1)
            return false;
    for (int k = 0; k + 1 < map->rank; k++)
        if (map->stride[k] % CHUNK || map->stride[k] >= MAX_STRIDE)
            return false;
    return true;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *result, CUtensorMapDataType type, cuuint32_t rank,
                                void *address, const cuuint64_t *size, const cuuint64_t *stride,
                                const cuuint32_t *box, const cuuint32_t *step,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    struct tensor_map map = {.mark = TENSOR_MARK,
                             .address = (uint64_t)(uintptr_t)address,
                             .rank = (uint8_t)rank,
                             .type = (uint8_t)type_of(type),
                             .element = (uint8_t)ptx_type_size(type_of(type)),
                             .swizzle = span_of(swizzle)};

    (void)promotion; /* a hint to the cache */
    if (!result || (uintptr_t)result % TENSOR_MAP_ALIGNMENT || rank < 1 || rank > TENSOR_RANKS ||
        !size || (rank > 1 && !stride) || !box || !step)
        return CUDA_ERROR_INVALID_VALUE;
    if (!map.element || !is_swizzle(swizzle) || interleave != CU_TENSOR_MAP_INTERLEAVE_NONE ||
        fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
        return CUDA_ERROR_NOT_SUPPORTED;
    for (cuuint32_t k = 0; k < rank; k++) {
        if (box[k] > TENSOR_MAX_BOX || step[k] < 1 || step[k] > MAX_STEP)
            return CUDA_ERROR_INVALID_VALUE;
        map.size[k] = size[k];
        map.step[k] = k == 0 ? 1 : (uint8_t)step[k]; /* as the manual says, without interleaving */
        map.box[k] = (uint16_t)((box[k] + map.step[k] - 1) / map.step[k]);
        if (k + 1 < rank)
            map.stride[k] = stride[k];
    }
    if (!is_valid(&map))
        return CUDA_ERROR_INVALID_VALUE;
    if (map.swizzle && map.box[0] * map.element < map.swizzle)
        return CUDA_ERROR_NOT_SUPPORTED; /* no manual says how an H200 arranges these */
    memcpy(result, &map, sizeof(map));
    return CUDA_SUCCESS;
}

#endif

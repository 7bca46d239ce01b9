/* SPDX-License-Identifier: MIT */
#include "libraries/numbers.h"

#include <stdint.h>

#include "libraries/narrow.h"

size_t number_size(cudaDataType type)
{
    switch (type) {
    case CUDA_R_8I:
        return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return 2;
    case CUDA_R_32F:
    case CUDA_R_32I:
        return 4;
    case CUDA_R_64F:
    case CUDA_C_32F:
        return 8;
    default:
        return 16;
    }
}

double number_read(cudaDataType type, const void *data, size_t i)
{
    switch (type) {
    case CUDA_R_8I:
        return ((const int8_t *)data)[i];
    case CUDA_R_16F:
        return half_to_float(((const uint16_t *)data)[i]);
    case CUDA_R_16BF:
        return bfloat_to_float(((const uint16_t *)data)[i]);
    case CUDA_R_32I:
        return ((const int32_t *)data)[i];
    case CUDA_R_32F:
        return ((const float *)data)[i];
    default:
        return ((const double *)data)[i];
    }
}

void number_write(cudaDataType type, double value, void *data, size_t i)
{
    switch (type) {
    case CUDA_R_16F:
        ((uint16_t *)data)[i] = float_to_half((float)value);
        break;
    case CUDA_R_16BF:
        ((uint16_t *)data)[i] = float_to_bfloat((float)value);
        break;
    case CUDA_R_32I:
        ((uint32_t *)data)[i] = (uint32_t)(int64_t)value;
        break;
    case CUDA_R_32F:
        ((float *)data)[i] = (float)value;
        break;
    default:
        ((double *)data)[i] = value;
        break;
    }
}

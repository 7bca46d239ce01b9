/* SPDX-License-Identifier: MIT */
/* NCCL's operations on each of its types. */
#include "libraries/nccl.h"
#include "libraries/narrow.h"

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [ncclInt8] = {"int8", 1},
    [ncclUint8] = {"uint8", 1},
    [ncclInt32] = {"int32", 4},
    [ncclUint32] = {"uint32", 4},
    [ncclInt64] = {"int64", 8},
    [ncclUint64] = {"uint64", 8},
    [ncclFloat16] = {"half", 2},
    [ncclFloat32] = {"float", 4},
    [ncclFloat64] = {"double", 8},
    [ncclBfloat16] = {"bfloat16", 2},
    [10 /* Float8e4m3 */] = {"e4m3", 1},
    [11 /* Float8e5m2 */] = {"e5m2", 1},
};

size_t nccl_size(ncclDataType_t type)
{
    return (unsigned)type < sizeof(types) / sizeof(types[0]) ? types[type].size : 0;
}

const char *nccl_type_name(ncclDataType_t type)
{
    return types[type].name;
}

static float same_float(float x)
{
    return x;
}

static double same_double(double x)
{
    return x;
}

/* Sums and products of integers wrap; the average divides in the end, by the number of ranks. */
#define INTEGERS(name, type)                                                                       \
    static void reduce_##name(ncclRedOp_t op, int ranks, size_t count, const type *all, type *out) \
    {                                                                                              \
        for (size_t i = 0; i < count; i++) {                                                       \
            type value = all[i];                                                                   \
            for (int r = 1; r < ranks; r++) {                                                      \
                const type x = all[(size_t)r * count + i];                                         \
                if (op == ncclProd)                                                                \
                    value = (type)((uint64_t)value * (uint64_t)x);                                 \
                else if (op == ncclMax || op == ncclMin)                                           \
                    value = (op == ncclMax) == (x > value) ? x : value;                            \
                else                                                                               \
                    value = (type)((uint64_t)value + (uint64_t)x);                                 \
            }                                                                                      \
            out[i] = op == ncclAvg ? (type)(value / (type)ranks) : value;                          \
        }                                                                                          \
    }
INTEGERS(int8, int8_t)
INTEGERS(uint8, uint8_t)
INTEGERS(int32, int32_t)
INTEGERS(uint32, uint32_t)
INTEGERS(int64, int64_t)
INTEGERS(uint64, uint64_t)

/* Computed in `wide`. The average multiplies each by the inverse of the number of ranks first. */
#define FLOATS(name, type, wide, from, to)                                                         \
    static void reduce_##name(ncclRedOp_t op, int ranks, size_t count, const type *all, type *out) \
    {                                                                                              \
        const wide factor = op == ncclAvg ? (wide)1 / (wide)ranks : 1;                             \
        for (size_t i = 0; i < count; i++) {                                                       \
            wide value = from(all[i]) * factor;                                                    \
            for (int r = 1; r < ranks; r++) {                                                      \
                const wide x = from(all[(size_t)r * count + i]) * factor;                          \
                if (op == ncclProd)                                                                \
                    value *= x;                                                                    \
                else if (op == ncclMax || op == ncclMin)                                           \
                    value = (op == ncclMax) == (x > value) ? x : value;                            \
                else                                                                               \
                    value += x;                                                                    \
            }                                                                                      \
            out[i] = to(value);                                                                    \
        }                                                                                          \
    }
FLOATS(half, uint16_t, float, half_to_float, float_to_half)
FLOATS(bfloat16, uint16_t, float, bfloat_to_float, float_to_bfloat)
FLOATS(float, float, float, same_float, same_float)
FLOATS(double, double, double, same_double, same_double)

void nccl_reduce(ncclDataType_t type, ncclRedOp_t op, int ranks, size_t count, const void *all,
                 void *sum)
{
    switch (type) {
#define CASE(number, name)                         \
    case number:                                   \
        reduce_##name(op, ranks, count, all, sum); \
        break;
        CASE(ncclInt8, int8)
        CASE(ncclUint8, uint8)
        CASE(ncclInt32, int32)
        CASE(ncclUint32, uint32)
        CASE(ncclInt64, int64)
        CASE(ncclUint64, uint64)
        CASE(ncclFloat16, half)
        CASE(ncclBfloat16, bfloat16)
        CASE(ncclFloat32, float)
        CASE(ncclFloat64, double)
#undef CASE
    default: /* refused before */
        break;
    }
}

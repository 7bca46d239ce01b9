/* SPDX-License-Identifier: MIT */
#include "libraries/narrow.h"

#include <math.h>
#include <string.h>

static float from_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

float half_to_float(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = half & 0x7fff;

    if (rest < 0x400) /* zero, or too small for a leading 1 */
        return copysignf((float)rest * 0x1p-24f, from_bits(sign | 0x3f800000));
    return from_bits(sign | ((rest << 13) + (rest >= 0x7c00 ? 0x70000000 : 0x38000000)));
}

uint16_t float_to_half(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    bits &= 0x7fffffff;
    if (bits > 0x7f800000)
        return 0x7fff;
    if (bits >= 0x477ff000) /* 65520 and more round to infinity */
        return sign | 0x7c00;
    if (bits < 0x38800000) /* below 2^-14 */
        return sign | (uint16_t)lrintf(from_bits(bits) * 0x1p24f);
    return sign | (uint16_t)((bits - 0x38000000 + 0xfff + (bits >> 13 & 1)) >> 13);
}

uint16_t float_to_bfloat(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return value != value ? 0x7fff : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float bfloat_to_float(uint16_t bfloat)
{
    return from_bits((uint32_t)bfloat << 16);
}

/* SPDX-License-Identifier: MIT */
/* Floats of 16 bits: half and bfloat16 to float, exactly, and back to the nearest, ties to even. */
#ifndef NARROW_H
#define NARROW_H

#include <stdint.h>

float half_to_float(uint16_t half);
uint16_t float_to_half(float value);
float bfloat_to_float(uint16_t bfloat);
uint16_t float_to_bfloat(float value);

#endif

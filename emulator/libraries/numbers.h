/* SPDX-License-Identifier: MIT */
/* Real numbers as libraries have them in memory, by their cudaDataType. */
#ifndef NUMBERS_H
#define NUMBERS_H

#include <library_types.h>
#include <stdbool.h>
#include <stddef.h>

/* The bytes of a number, complex ones too. */
size_t number_size(cudaDataType type);
/* Number i of an array. */
double number_read(cudaDataType type, const void *data, size_t i);
/* The same, rounded once. Sums of integers are exact in a double and wrap around here. */
void number_write(cudaDataType type, double value, void *data, size_t i);

#endif

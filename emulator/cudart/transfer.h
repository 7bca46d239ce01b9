/* SPDX-License-Identifier: MIT */
/* Copies between two boxes of bytes, which transfer.c makes and array.c makes of arrays. */
#ifndef TRANSFER_H
#define TRANSFER_H

#include "cudart/runtime.h"

/* `rows` rows of `width` bytes in each of `slices`. */
struct box {
    size_t width, rows, slices;
};

/* One side of a copy: where its box starts, `at.x` in bytes. */
struct area {
    struct texels texels;
    struct cudaPos at;
    bool is_array; /* whose bounds have been checked */
};

/* Copy a box, and let the time pass that it takes. */
cudaError_t transfer(struct runtime *runtime, struct area to, struct area from, struct box box,
                     enum cudaMemcpyKind kind, cudaStream_t stream);

#endif

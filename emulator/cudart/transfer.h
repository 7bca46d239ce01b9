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
    cudaArray_const_t array; /* whose memory it is, and whose bounds have been checked; or NULL */
};

/* Copy a box, and let the time pass that it takes. */
cudaError_t transfer(struct runtime *runtime, struct area to, struct area from, struct box box,
                     enum cudaMemcpyKind kind, cudaStream_t stream);

/* Fill a box of memory with elements of `unit` (1, 2 or 4) bytes, the low ones of `value`. */
cudaError_t fill(struct runtime *runtime, struct area area, unsigned value, size_t unit,
                 struct box box, cudaStream_t stream);

/* array.c: a copy as programs describe it. */
cudaError_t copy_3d(struct runtime *runtime, const struct cudaMemcpy3DParms *parms,
                    cudaStream_t stream);

#endif

/* SPDX-License-Identifier: MIT */
/* Copies between two boxes of bytes. transfer.c makes them of memory, array.c of arrays. */
#ifndef TRANSFER_H
#define TRANSFER_H

#include "cudart/runtime.h"

/* A box has `slices` slices, each with `rows` rows of `width` bytes. */
struct box {
    size_t width, rows, slices;
};

/* The source or destination of a copy: where its box starts. at.x is in bytes. */
struct area {
    struct texels texels;
    struct cudaPos at;
    cudaArray_const_t array; /* whose memory it is, and whose bounds have been checked; or NULL */
};

/* Copy a box and spend the modelled time that it takes. */
cudaError_t transfer(struct runtime *runtime, struct area to, struct area from, struct box box,
                     enum cudaMemcpyKind kind, cudaStream_t stream);

/* Fill a box of memory with elements of `unit` (1, 2 or 4) bytes, the low ones of `value`. */
cudaError_t fill(struct runtime *runtime, struct area area, unsigned value, size_t unit,
                 struct box box, cudaStream_t stream);

/* array.c: a copy as programs describe it. */
cudaError_t copy_3d(struct runtime *runtime, const struct cudaMemcpy3DParms *parms,
                    cudaStream_t stream);

#endif

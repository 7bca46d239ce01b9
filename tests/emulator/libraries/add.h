/* SPDX-License-Identifier: MIT */
#ifndef ADD_H
#define ADD_H

#include <cuda_runtime.h>

/* Add `what` to `count` floats on the device, one in `step`, by a kernel in `stream`. */
void add(float *x, int count, int step, float what, cudaStream_t stream);

#endif

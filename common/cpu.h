/* SPDX-License-Identifier: MIT */
/* The CPU as a device: for a step that shows what one would use without a GPU. */
#ifndef CPU_H
#define CPU_H

#include "init_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What InitCUDA is to a GPU: `device` becomes this machine's processor, by its name. Returns
 * EXIT_MATCH, or EXIT_USAGE after one line where a CUDA device is `wanted` (-1: none is). */
int use_cpu(int wanted, struct device *device);

#ifdef __cplusplus
}
#endif
#endif

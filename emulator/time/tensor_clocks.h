/* SPDX-License-Identifier: MIT */
/* How long a product of matrices keeps a tensor core. */
#ifndef TENSOR_CLOCKS_H
#define TENSOR_CLOCKS_H

#include "gpus/gpu.h"
#include "ptx/ptx.h"

/* Clocks for which `instr` keeps the tensor core of its scheduler. */
int tensor_clocks(const struct gpu *gpu, const struct ptx_instr *instr);

#endif

/* SPDX-License-Identifier: MIT */
/* How many registers a thread of a kernel has. */
#ifndef REGISTERS_H
#define REGISTERS_H

#include <stdbool.h>

#include "gpus/gpu.h"
#include "ptx/ptx.h"

struct registers {
    int count; /* 32-bit ones, of a thread */
    bool estimated; /* not what ptxas gave code that this GPU runs */
};

/* ptxas's count, if the program holds machine code. Else an estimate from PTX: the most registers
 * alive at once, within what launch bounds, .maxnreg and the GPU allow. */
struct registers registers_of(const struct gpu *gpu, const struct ptx_function *function);

/* Threads of a block that the kernel was compiled for; 0: not said. */
int registers_launch_bounds(const struct gpu *gpu, const struct ptx_function *function);

#endif

/* SPDX-License-Identifier: MIT */
/* Functions of the driver by name. The headers of the toolkit cannot be included here, because the
 * definitions of what is not emulated do not match their declarations. */
#ifndef DRIVER_LACKING_H
#define DRIVER_LACKING_H

#include <stdbool.h>

/* Say that the program has called a function of the driver that is not emulated, once for each
 * line. Returns the code of CUDA_ERROR_NOT_SUPPORTED. */
int driver_lacks(const char *function);

/* Our function for `symbol`, a name without the _v2 of later versions, as CUDA `version` (12000
 * stands for 12.0) has it, with per-thread default streams or not; NULL if there is none. *known:
 * some version of CUDA has it. */
void *driver_function(const char *symbol, int version, bool per_thread, bool *known);

#endif

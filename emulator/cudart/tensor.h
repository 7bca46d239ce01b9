/* SPDX-License-Identifier: MIT */
/* The only function of the driver's API that a program can get from the runtime. It describes a
 * tensor for the unit that copies tensors. */
#ifndef CUDART_TENSOR_H
#define CUDART_TENSOR_H

/* The address of cuTensorMapEncodeTiled, as cudaGetDriverEntryPoint returns it; NULL if `symbol`
 * is something else or `version` (12000 stands for 12.0) is too old for it. */
void *tensor_entry_point(const char *symbol, unsigned version);

#endif

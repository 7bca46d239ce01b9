/* SPDX-License-Identifier: MIT */
/* The one function of the driver's API that a program may ask the runtime for: it describes a
 * tensor to the copy engine. */
#ifndef CUDART_TENSOR_H
#define CUDART_TENSOR_H

/* cuTensorMapEncodeTiled, as cudaGetDriverEntryPoint hands it out; NULL: it is another symbol, or
 * `version` (12000 is 12.0) had none. */
void *tensor_entry_point(const char *symbol, unsigned version);

#endif

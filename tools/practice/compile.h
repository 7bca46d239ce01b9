/* nvcc, on text that anybody may have written. */
#ifndef COMPILE_H
#define COMPILE_H

#include "verdict.h"

/* Compile the device code in `source` alone to PTX for `capability`, in the folder `scratch`.
 * Returns the PTX, to be freed, in which the source's lines are those of `shown`, an absolute path;
 * or NULL and why, in `verdict`, which is the caller's to free. */
char *compile_ptx(const char *source, const char *shown, int capability, const char *scratch,
                  struct verdict *verdict);

#endif

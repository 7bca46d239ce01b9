/* SPDX-License-Identifier: MIT */
/* nvcc, on text that anybody may have written. */
#ifndef COMPILE_H
#define COMPILE_H

#include "verdict.h"

/* How far the text is trusted. */
enum trust {
    TRUST_OWN, /* the person's own */
    TRUST_SANDBOX, /* a stranger's, in a namespace (sandbox.h) */
    TRUST_NONE, /* a stranger's, without: what it includes is looked at first */
};

/* Compile the device code in `source` alone to PTX for `capability`, in the folder `scratch`.
 * Returns the PTX, in which the source's lines are those of `shown`, an absolute path;
 * or NULL and why, in `verdict`. */
char *compile_ptx(const char *source, const char *shown, int capability, enum trust trust,
                  const char *scratch, struct verdict *verdict);

/* The toolkit's folder, with bin/nvcc in it. */
extern const char compile_toolkit[];

#endif

/* SPDX-License-Identifier: MIT */
/* Code that a program loads at run time: PTX text, or a fat binary with some. A library of the
 * runtime and a module of the driver are both a binary. */
#ifndef LOADED_H
#define LOADED_H

#include "cudart/runtime.h"

/* Load the code at `image` and set *binary. Of a file, it is `size` bytes with a NUL after them;
 * with a `size` of 0 it says itself how long it is, and of a fat binary no byte is read that is not
 * there. `caller` is the name of the program's call. Where it cannot be loaded, says why, once. */
cudaError_t loaded_make(struct runtime *runtime, struct binary **binary, const void *image,
                        size_t size, const char *caller);
/* The same from a file. */
cudaError_t loaded_make_of_file(struct runtime *runtime, struct binary **binary, const char *name,
                                const char *caller);

/* Add to `texts` the PTX, for the current device, of the code at `image`, with `size` as above. */
cudaError_t loaded_texts(struct runtime *runtime, const void *image, size_t size,
                         const char *caller, struct list *texts);
/* Do `count` of these texts make a module? If not, says why. */
cudaError_t loaded_check_texts(struct runtime *runtime, void **texts, size_t count,
                               const char *caller);
/* A whole file with a NUL after it, to be freed; NULL and why. */
char *loaded_file(const char *name, size_t *size, cudaError_t *error);

/* Is it loaded, and not yet unloaded? If not: cudaErrorInvalidResourceHandle. */
cudaError_t loaded_check(struct runtime *runtime, const struct binary *binary);
cudaError_t loaded_unload(struct runtime *runtime, struct binary *binary);

/* The function for the kernel of this name, or cudaErrorSymbolNotFound. */
cudaError_t loaded_function(struct runtime *runtime, struct binary *binary, const char *name,
                            struct function **function);
/* Its first functions, up to `most`, and in *count how many kernels it has. */
cudaError_t loaded_functions(struct runtime *runtime, struct binary *binary,
                             struct function **functions, unsigned most, unsigned *count);
/* Its variable of this name, or cudaErrorSymbolNotFound. */
cudaError_t loaded_variable(struct runtime *runtime, struct binary *binary, const char *name,
                            const struct allocation **variable);

#endif

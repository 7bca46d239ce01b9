/* SPDX-License-Identifier: MIT */
/* Libraries: code that a program loads at run time. */
#include "cudart/loaded.h"

static struct binary *binary_of(cudaLibrary_t library)
{
    return (struct binary *)library;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                                enum cudaJitOption *jit_options, void **jit_values,
                                unsigned jit_count, enum cudaLibraryOption *options, void **values,
                                unsigned count)
{
    (void)jit_options, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    return ASIDE(runtime,
                 loaded_make(runtime, (struct binary **)library, code, 0, "cudaLibraryLoadData"));
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *name,
                                    enum cudaJitOption *jit_options, void **jit_values,
                                    unsigned jit_count, enum cudaLibraryOption *options,
                                    void **values, unsigned count)
{
    (void)jit_options, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    return ASIDE(runtime, loaded_make_of_file(runtime, (struct binary **)library, name,
                                              "cudaLibraryLoadFromFile"));
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    return API(runtime, loaded_unload(runtime, binary_of(library)));
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *handle, cudaLibrary_t library, const char *name)
{
    return ASIDE(runtime, handle && name ? loaded_function(runtime, binary_of(library), name,
                                                           (struct function **)handle)
                                         : cudaErrorInvalidValue);
}

/* A variable of the library, by its own name; a managed one or not. */
static cudaError_t library_variable(struct runtime *runtime, void **address, size_t *size,
                                    cudaLibrary_t library, const char *name, bool managed)
{
    const struct allocation *allocation;

    if (!name || !(address || size))
        return cudaErrorInvalidValue;
    TRY(loaded_variable(runtime, binary_of(library), name, &allocation));
    if ((allocation->kind == MEMORY_MANAGED) != managed)
        return cudaErrorSymbolNotFound;
    if (address)
        *address = api_pointer(allocation->address);
    if (size)
        *size = allocation->size;
    return cudaSuccess;
}

cudaError_t cudaLibraryGetGlobal(void **address, size_t *size, cudaLibrary_t library,
                                 const char *name)
{
    return ASIDE(runtime, library_variable(runtime, address, size, library, name, false));
}

cudaError_t cudaLibraryGetManaged(void **address, size_t *size, cudaLibrary_t library,
                                  const char *name)
{
    return ASIDE(runtime, library_variable(runtime, address, size, library, name, true));
}

cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library)
{
    return ASIDE(runtime, count ? loaded_functions(runtime, binary_of(library), NULL, 0, count)
                                : cudaErrorInvalidValue);
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned most, cudaLibrary_t library)
{
    unsigned count;

    return ASIDE(runtime, kernels && most
                              ? loaded_functions(runtime, binary_of(library),
                                                 (struct function **)kernels, most, &count)
                              : cudaErrorInvalidValue);
}

/* SPDX-License-Identifier: MIT */
/* Libraries: PTX that a program loads while it runs. */
#include "cudart/runtime.h"

#include <stdlib.h>
#include <string.h>

/* A library is a binary with a text of its own. Once unloaded it stays, empty, to the end. */
static struct binary *find_library(const struct runtime *runtime, cudaLibrary_t library)
{
    struct binary *binary = (struct binary *)library;

    return list_has(&runtime->binaries, binary) && binary->text ? binary : NULL;
}

static cudaError_t library_load(struct runtime *runtime, cudaLibrary_t *library, const void *code)
{
    static const char header[] = ".version";

    if (!library || !code)
        return cudaErrorInvalidValue;
    if (!memchr("./ \t\r\n", *(const char *)code, 6) || !strstr(code, header)) {
        runtime_complain(runtime,
                         "cudaLibraryLoadData: of code, the emulator loads PTX text alone");
        return cudaErrorInvalidKernelImage;
    }
    struct binary *binary = calloc(1, sizeof(*binary));
    char *text = strdup(code);
    if (!binary || !text || !list_add(&runtime->binaries, binary)) {
        free(binary);
        free(text);
        return cudaErrorMemoryAllocation;
    }
    binary->text = text;
    const cudaError_t error = module_load(runtime, binary);
    if (!error)
        *library = (cudaLibrary_t)binary;
    return error;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                                enum cudaJitOption *jit_options, void **jit_values,
                                unsigned jit_count, enum cudaLibraryOption *options, void **values,
                                unsigned count)
{
    (void)jit_options, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    return API(runtime, library_load(runtime, library, code));
}

static cudaError_t library_unload(struct runtime *runtime, cudaLibrary_t library)
{
    struct binary *binary = find_library(runtime, library);

    if (!binary)
        return cudaErrorInvalidResourceHandle;
    module_forget(runtime, binary);
    checks_forget(runtime->checks);
    if (binary->program)
        machine_unload(runtime->machine, binary->program);
    free(binary->text);
    binary->program = NULL;
    binary->text = NULL;
    return cudaSuccess;
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    return API(runtime, library_unload(runtime, library));
}

/* The function of that kernel, made when it is first asked for. */
static cudaError_t library_kernel(struct runtime *runtime, cudaKernel_t *handle,
                                  cudaLibrary_t library, const char *name)
{
    struct binary *binary = find_library(runtime, library);

    if (!handle || !name)
        return cudaErrorInvalidValue;
    if (!binary)
        return cudaErrorInvalidResourceHandle;
    const cudaError_t error = module_load(runtime, binary);
    if (error)
        return error;
    const struct kernel *kernel = program_kernel(binary->program, name);
    if (!kernel)
        return cudaErrorSymbolNotFound;
    /* Its name behind it: that of the caller may go. */
    struct function *function = calloc(1, sizeof(*function) + strlen(name) + 1);
    if (!function || !list_add(&runtime->functions, function)) {
        free(function);
        return cudaErrorMemoryAllocation;
    }
    *function = (struct function){
        .binary = binary,
        .host = function,
        .name = strcpy((char *)(function + 1), name),
        .kernel = kernel,
        .dynamic_shared = -1,
        .carveout = -1,
    };
    *handle = (cudaKernel_t)function;
    return cudaSuccess;
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
    return API(runtime, library_kernel(runtime, kernel, library, name));
}

/* SPDX-License-Identifier: MIT */
/* Libraries: PTX that a program loads at run time. */
#include "cudart/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A library is a binary with a text of its own. After it is unloaded, an empty one stays until
 * the process ends. */
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

ENTRY(API, cudaLibraryUnload, (library), cudaLibrary_t library)
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

/* The function for that kernel, which is made when it is first asked for. */
static cudaError_t make_function(struct runtime *runtime, cudaKernel_t *handle,
                                 struct binary *binary, const char *name)
{
    const struct kernel *kernel = program_kernel(binary->program, name);

    if (!kernel)
        return cudaErrorSymbolNotFound;
    for (size_t i = 0; i < runtime->functions.count; i++) {
        struct function *made = runtime->functions.items[i];
        if (made->binary == binary && !strcmp(made->name, name)) {
            *handle = (cudaKernel_t)made;
            return cudaSuccess;
        }
    }
    /* A copy of the name is kept behind the struct, as the caller's may be freed. */
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

/* The library, loaded. */
static cudaError_t check_library(struct runtime *runtime, cudaLibrary_t library,
                                 struct binary **binary)
{
    *binary = find_library(runtime, library);
    return *binary ? module_load(runtime, *binary) : cudaErrorInvalidResourceHandle;
}

ENTRY(API, cudaLibraryGetKernel, (handle, library, name), cudaKernel_t *handle,
      cudaLibrary_t library, const char *name)
{
    struct binary *binary;

    if (!handle || !name)
        return cudaErrorInvalidValue;
    return check_library(runtime, library, &binary) ?: make_function(runtime, handle, binary, name);
}

/* A variable of the library, by its own name; a managed one or not. */
static cudaError_t library_variable(struct runtime *runtime, void **address, size_t *size,
                                    cudaLibrary_t library, const char *name, bool managed)
{
    struct binary *binary;

    if (!name || !(address || size))
        return cudaErrorInvalidValue;
    TRY(check_library(runtime, library, &binary));
    const struct allocation *place = program_variable(binary->program, name);
    if (!place || (place->kind == MEMORY_MANAGED) != managed)
        return cudaErrorSymbolNotFound;
    if (address)
        *address = api_pointer(place->address);
    if (size)
        *size = place->size;
    return cudaSuccess;
}

cudaError_t cudaLibraryGetGlobal(void **address, size_t *size, cudaLibrary_t library,
                                 const char *name)
{
    return API(runtime, library_variable(runtime, address, size, library, name, false));
}

cudaError_t cudaLibraryGetManaged(void **address, size_t *size, cudaLibrary_t library,
                                  const char *name)
{
    return API(runtime, library_variable(runtime, address, size, library, name, true));
}

/* The first kernels of the library, up to `most`, into `kernels`, or only how many there are. */
static cudaError_t library_kernels(struct runtime *runtime, cudaLibrary_t library,
                                   cudaKernel_t *kernels, unsigned most, unsigned *count)
{
    struct binary *binary;
    cudaError_t error = check_library(runtime, library, &binary);

    if (error)
        return error;
    const struct ptx_module *module = program_module(binary->program);
    *count = 0;
    for (int i = 0; !error && i < module->function_count; i++) {
        if (!module->functions[i].is_entry)
            continue;
        if (*count < most)
            error = make_function(runtime, &kernels[*count], binary, module->functions[i].name);
        ++*count;
    }
    return error;
}

cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library)
{
    return API(runtime,
               count ? library_kernels(runtime, library, NULL, 0, count) : cudaErrorInvalidValue);
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned most, cudaLibrary_t library)
{
    unsigned count;

    return API(runtime, kernels && most ? library_kernels(runtime, library, kernels, most, &count)
                                        : cudaErrorInvalidValue);
}

/* A whole file as text, to be freed; NULL and why. */
static char *read_text(const char *name, cudaError_t *error)
{
    FILE *file = fopen(name, "rb");
    size_t size = 0, capacity = 0;
    char *text = NULL;

    *error = file ? cudaErrorMemoryAllocation : cudaErrorFileNotFound;
    if (file && getdelim(&text, &capacity, '\0', file) >= 0)
        size = strlen(text);
    if (file)
        fclose(file);
    if (size)
        return text;
    free(text);
    return NULL;
}

static cudaError_t library_load_file(struct runtime *runtime, cudaLibrary_t *library,
                                     const char *name)
{
    cudaError_t error;

    if (!library || !name)
        return cudaErrorInvalidValue;
    char *text = read_text(name, &error);
    if (text)
        error = library_load(runtime, library, text);
    free(text);
    return error;
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *name,
                                    enum cudaJitOption *jit_options, void **jit_values,
                                    unsigned jit_count, enum cudaLibraryOption *options,
                                    void **values, unsigned count)
{
    (void)jit_options, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    return API(runtime, library_load_file(runtime, library, name));
}

/* SPDX-License-Identifier: MIT */
/* Linking at run time. What is linked is the PTX of all inputs, one text after the other, and the
 * functions that load code take them as they take one. */
#include "driver/driver.h"

#include <stdlib.h>
#include <string.h>

#include "cudart/loaded.h"

struct CUlinkState_st {
    struct list texts; /* of the inputs */
    char *image; /* all of them; NULL: not yet complete */
    unsigned option_count;
    CUjit_option *options; /* the program's: they last as long as this */
    void **values;
};

static cudaError_t create(unsigned count, CUjit_option *options, void **values, CUlinkState *state)
{
    if (!state || (count && (!options || !values)))
        return cudaErrorInvalidValue;
    *state = calloc(1, sizeof(**state));
    if (!*state)
        return cudaErrorMemoryAllocation;
    (*state)->option_count = count;
    (*state)->options = options;
    (*state)->values = values;
    return cudaSuccess;
}
FRONT(cuLinkCreate_v2, create(count, options, values, state), unsigned count, CUjit_option *options,
      void **values, CUlinkState *state)

static cudaError_t add_texts(struct runtime *runtime, CUlinkState state, const void *image,
                             size_t size, const char *caller)
{
    const size_t before = state->texts.count;

    TRY(loaded_texts(runtime, image, size, caller, &state->texts));
    const cudaError_t error = loaded_check_texts(runtime, state->texts.items + before,
                                                 state->texts.count - before, caller);
    while (error && state->texts.count > before)
        free(state->texts.items[--state->texts.count]);
    return error;
}

static bool takes(CUjitInputType type)
{
    return type == CU_JIT_INPUT_PTX || type == CU_JIT_INPUT_FATBINARY;
}

/* The functions that kernels call of the device's runtime are the emulator's own. */
static bool is_device_runtime(CUjitInputType type, const char *path)
{
    const char *slash = strrchr(path, '/');

    return type == CU_JIT_INPUT_LIBRARY && !strcmp(slash ? slash + 1 : path, "libcudadevrt.a");
}

static cudaError_t refuse(struct runtime *runtime, const char *caller)
{
    runtime_complain(runtime, "%s: only PTX text and fat binaries can be linked", caller);
    return cudaErrorNotSupported;
}

static cudaError_t add(struct runtime *runtime, CUlinkState state, CUjitInputType type,
                       const void *data, size_t size, const char *path)
{
    const char *caller = path ? "cuLinkAddFile" : "cuLinkAddData";
    cudaError_t error = cudaSuccess;

    if (!state || state->image || (!path && (!data || !size)))
        return cudaErrorInvalidValue;
    if (path && is_device_runtime(type, path))
        return cudaSuccess;
    if (!takes(type))
        return refuse(runtime, caller);
    char *bytes = path ? loaded_file(path, &size, &error) : malloc(size + 1);
    if (!bytes)
        return error ?: cudaErrorMemoryAllocation;
    if (!path) {
        memcpy(bytes, data, size);
        bytes[size] = '\0';
    }
    error = add_texts(runtime, state, bytes, size, caller);
    free(bytes);
    driver_write_logs(error ? runtime->complaint : "", state->option_count, state->options,
                      state->values);
    return error;
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size,
                          const char *name, unsigned count, CUjit_option *options, void **values)
{
    (void)name, (void)count, (void)options, (void)values; /* the compiler's */
    return DRIVER(true, ASIDE(runtime, add(runtime, state, type, data, size, NULL)));
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned count,
                          CUjit_option *options, void **values)
{
    (void)count, (void)options, (void)values;
    return DRIVER(true, ASIDE(runtime, path ? add(runtime, state, type, NULL, 0, path)
                                            : cudaErrorInvalidValue));
}

/* All texts, with PTX_SEPARATOR in between. */
static char *join(const struct list *texts)
{
    size_t size = 0;

    for (size_t i = 0; i < texts->count; i++)
        size += strlen(texts->items[i]) + 1;
    char *all = malloc(size), *end = all;
    for (size_t i = 0; all && i < texts->count; i++) {
        end = stpcpy(end, texts->items[i]);
        *end++ = i + 1 < texts->count ? PTX_SEPARATOR : '\0';
    }
    return all;
}

static cudaError_t complete(struct runtime *runtime, CUlinkState state, void **image, size_t *size)
{
    if (!state || !image || !state->texts.count)
        return cudaErrorInvalidValue;
    if (!state->image) {
        TRY(loaded_check_texts(runtime, state->texts.items, state->texts.count, "cuLinkComplete"));
        state->image = join(&state->texts);
        if (!state->image)
            return cudaErrorMemoryAllocation;
    }
    *image = state->image;
    if (size)
        *size = strlen(state->image) + 1;
    return cudaSuccess;
}
FRONT(cuLinkComplete, ASIDE(runtime, complete(runtime, state, image, size)), CUlinkState state,
      void **image, size_t *size)

static cudaError_t destroy(CUlinkState state)
{
    if (!state)
        return cudaErrorInvalidValue;
    list_clear(&state->texts);
    free(state->image);
    free(state);
    return cudaSuccess;
}
FRONT(cuLinkDestroy, destroy(state), CUlinkState state)

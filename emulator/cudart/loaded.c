/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* process_vm_readv */
#include "cudart/loaded.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cudart/fatbin.h"

/* Magic numbers as the bytes that they are in memory; text may be shorter than they. */
static const char fatbin_mark[] = "\x50\xed\x55\xba", wrapper_mark[] = "\xb1\x43\x62\x46";
enum { MARK = 4, FATBIN_HEADER = 16, MOST_BYTES = 1 << 30 };

/* Copy `size` bytes from wherever the program says that they are. Returns how many are there. */
static size_t copy_bytes(void *to, const void *from, size_t size)
{
    const struct iovec local = {to, size}, remote = {(void *)from, size};
    const ssize_t copied = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

    return copied < 0 ? 0 : (size_t)copied;
}

/* The fat binary at `image`, copied and NUL after it; NULL and why. Its header says how long it
 * is. */
static void *copy_fatbin(struct runtime *runtime, const void *image, size_t *size,
                         const char *caller, cudaError_t *error)
{
    unsigned char header[FATBIN_HEADER] = {0};
    struct fatbin fatbin;
    char why[FATBIN_ERROR_SIZE];

    const bool good = copy_bytes(header, image, sizeof(header)) == sizeof(header) &&
                      fatbin_open(&fatbin, header, SIZE_MAX, why) && fatbin.size <= MOST_BYTES;
    char *copy = good ? malloc(fatbin.size + 1) : NULL;
    *error = good && !copy ? cudaErrorMemoryAllocation : cudaErrorInvalidKernelImage;
    if (copy && copy_bytes(copy, image, fatbin.size) == fatbin.size) {
        copy[fatbin.size] = '\0';
        *size = fatbin.size;
        return copy;
    }
    free(copy);
    if (*error == cudaErrorInvalidKernelImage)
        runtime_complain(runtime, "%s: broken fat binary: not all of it is there", caller);
    return NULL;
}

/* A copy of the code, its length, and whether it is text; NULL and why. */
static void *copy_image(struct runtime *runtime, const void *image, size_t *size, bool *text,
                        const char *caller, cudaError_t *error)
{
    static const char version[] = ".version";

    if (!*size && !strncmp(image, wrapper_mark, MARK)) /* nvcc's, the pointer after two numbers */
        memcpy(&image, (const char *)image + 2 * MARK, sizeof(image));
    *text = strncmp(image, fatbin_mark, MARK) != 0;
    *error = cudaErrorInvalidKernelImage;
    if (!*text && !*size)
        return copy_fatbin(runtime, image, size, caller, error);
    if (*text && !strncmp(image, ELFMAG, SELFMAG)) {
        runtime_complain(runtime, "%s: machine code without PTX, which needs a GPU", caller);
        *error = cudaErrorNoKernelImageForDevice;
        return NULL;
    }
    if (*text && (!memchr("./ \t\r\n", *(const char *)image, 6) || !strstr(image, version))) {
        runtime_complain(runtime, "%s: this is neither PTX text nor a fat binary", caller);
        return NULL;
    }
    *size = *text ? strlen(image) : *size;
    char *copy = malloc(*size + 1);
    *error = cudaErrorMemoryAllocation;
    return copy ? memcpy(copy, image, *size + 1) : NULL;
}

cudaError_t loaded_make(struct runtime *runtime, struct binary **binary, const void *image,
                        size_t size, const char *caller)
{
    cudaError_t error;
    bool text;

    if (!binary || !image)
        return cudaErrorInvalidValue;
    void *copy = copy_image(runtime, image, &size, &text, caller, &error);
    if (!copy)
        return error;
    struct binary *made = calloc(1, sizeof(*made));
    if (!made || !list_add(&runtime->binaries, made)) {
        free(made);
        free(copy);
        return cudaErrorMemoryAllocation;
    }
    *made = (struct binary){.data = text ? NULL : copy, .size = size, .copy = copy};
    error = module_load(runtime, made);
    if (!error) {
        *binary = made;
        return cudaSuccess;
    }
    free(copy);
    *made = (struct binary){.failure = error};
    return error;
}

cudaError_t loaded_texts(struct runtime *runtime, const void *image, size_t size,
                         const char *caller, struct list *texts)
{
    cudaError_t error;
    bool text;

    void *copy = copy_image(runtime, image, &size, &text, caller, &error);
    if (!copy)
        return error;
    const struct binary binary = {.data = text ? NULL : copy, .size = size, .copy = copy};
    error = module_texts(runtime, &binary, texts);
    free(copy);
    return error;
}

cudaError_t loaded_check_texts(struct runtime *runtime, void **texts, size_t count,
                               const char *caller)
{
    char error[512];
    struct ptx_module *module =
        ptx_parse((const char *const *)texts, (int)count, error, sizeof(error));

    if (!module)
        runtime_complain(runtime, "%s: %s", caller, error);
    ptx_free(module);
    return module ? cudaSuccess : cudaErrorInvalidPtx;
}

char *loaded_file(const char *name, size_t *size, cudaError_t *error)
{
    FILE *file = fopen(name, "rb");
    char *bytes = NULL;
    size_t room = 0, read = 1;

    *error = file ? cudaErrorInvalidKernelImage : cudaErrorFileNotFound;
    for (*size = 0; file && read; *size += read) {
        if (*size + 1 >= room) {
            room = room ? 2 * room : 1 << 16;
            char *more = room <= MOST_BYTES ? realloc(bytes, room) : NULL;
            if (!more)
                break;
            bytes = more;
        }
        read = fread(bytes + *size, 1, room - *size - 1, file);
    }
    const bool whole = file && !read && !ferror(file) && *size;
    if (file)
        fclose(file);
    if (!whole) {
        free(bytes);
        return NULL;
    }
    bytes[*size] = '\0';
    return bytes;
}

cudaError_t loaded_make_of_file(struct runtime *runtime, struct binary **binary, const char *name,
                                const char *caller)
{
    cudaError_t error;
    size_t size;

    if (!binary || !name)
        return cudaErrorInvalidValue;
    char *bytes = loaded_file(name, &size, &error);
    if (bytes)
        error = loaded_make(runtime, binary, bytes, size, caller);
    free(bytes);
    return error;
}

/* What was unloaded stays, empty, until the process ends: observers still name its kernels. */
cudaError_t loaded_check(struct runtime *runtime, const struct binary *binary)
{
    return list_has(&runtime->binaries, binary) && binary->copy
               ? module_load(runtime, (struct binary *)binary)
               : cudaErrorInvalidResourceHandle;
}

cudaError_t loaded_unload(struct runtime *runtime, struct binary *binary)
{
    if (!list_has(&runtime->binaries, binary) || !binary->copy)
        return cudaErrorInvalidResourceHandle;
    module_forget(runtime, binary);
    checks_forget(runtime->checks);
    for (int i = 0; i < runtime->device_count; i++)
        if (binary->programs[i])
            machine_unload(runtime->devices[i].machine, binary->programs[i]);
    free(binary->copy);
    *binary = (struct binary){0};
    return cudaSuccess;
}

cudaError_t loaded_function(struct runtime *runtime, struct binary *binary, const char *name,
                            struct function **result)
{
    TRY(loaded_check(runtime, binary));
    const struct kernel *kernel = program_kernel(binary->programs[runtime->device->number], name);
    if (!kernel)
        return cudaErrorSymbolNotFound;
    for (size_t i = 0; i < runtime->functions.count; i++) {
        struct function *made = runtime->functions.items[i];
        if (made->binary == binary && !strcmp(made->name, name)) {
            made->kernel = made->on[runtime->device->number].kernel = kernel;
            *result = made;
            return cudaSuccess;
        }
    }
    /* A copy of the name is kept behind the struct, as the caller's may be freed. */
    struct function *function = calloc(1, sizeof(*function) + strlen(name) + 1);
    if (!function || !list_add(&runtime->functions, function)) {
        free(function);
        return cudaErrorMemoryAllocation;
    }
    *function = function_of(binary, function, strcpy((char *)(function + 1), name));
    function->kernel = function->on[runtime->device->number].kernel = kernel;
    *result = function;
    return cudaSuccess;
}

cudaError_t loaded_functions(struct runtime *runtime, struct binary *binary,
                             struct function **functions, unsigned most, unsigned *count)
{
    cudaError_t error = loaded_check(runtime, binary);

    if (error)
        return error;
    const struct ptx_module *module = program_module(binary->programs[runtime->device->number]);
    *count = 0;
    for (int i = 0; !error && i < module->function_count; i++) {
        if (!module->functions[i].is_entry)
            continue;
        if (*count < most)
            error = loaded_function(runtime, binary, module->functions[i].name, &functions[*count]);
        ++*count;
    }
    return error;
}

cudaError_t loaded_variable(struct runtime *runtime, struct binary *binary, const char *name,
                            const struct allocation **variable)
{
    TRY(loaded_check(runtime, binary));
    *variable = program_variable(binary->programs[runtime->device->number], name);
    return *variable ? cudaSuccess : cudaErrorSymbolNotFound;
}

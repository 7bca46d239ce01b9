/* SPDX-License-Identifier: MIT */
/* What the driver has for NVIDIA's own libraries alone.
 *
 * The static CUDA runtime finds the driver's functions by name, and then asks for tables of
 * functions that no header declares. It works with no driver but NVIDIA's. A program may hold such
 * a runtime, and cuBLAS, cuFFT, NCCL and their like do, beside their machine code. At its first
 * call one line says whose it is, and the program ends as one that cannot run. Loading alone does
 * nothing: a program may be linked with such a library and never use it.
 */
#define _GNU_SOURCE /* dladdr */
#include "driver/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"

enum { EXIT_CANNOT_RUN = 126, NAME_SIZE = 256 };

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The library that holds `address`; NULL: the program itself, or what is no file. */
static const char *library_of(const void *address)
{
    Dl_info info;
    const char *name = dladdr(address, &info) && info.dli_fname ? file_name(info.dli_fname) : "";

    return strstr(name, ".so") ? name : NULL;
}

/* NVRTC and its like ask as well, and do without. */
static bool is_compiler(const char *library)
{
    return !strncmp(library, "libnvrtc", 8) || !strncmp(library, "libnvJitLink", 12);
}

/* Ends the program, without the library's own clean-up: it may wait for the call that we are in. */
CUresult cuGetExportTable(const void **table, const CUuuid *number)
{
    const char *library = library_of(__builtin_return_address(0));
    char shown[NAME_SIZE];

    if (!table || !number)
        return CUDA_ERROR_INVALID_VALUE;
    *table = NULL;
    if (library && is_compiler(library))
        return CUDA_ERROR_NOT_FOUND;
    fflush(stdout);
    if (library)
        dprintf(STDERR_FILENO,
                "emu: %s needs NVIDIA's driver and cannot run on the emulator: run the program on "
                "a GPU, or do without it (a library of your own: link it with nvcc -cudart "
                "shared)\n",
                escape_text(library, strlen(library), shown, sizeof(shown)));
    else
        dprintf(STDERR_FILENO, "emu: the program has the static CUDA runtime, which needs NVIDIA's "
                               "driver: link it with nvcc -cudart shared\n");
    _exit(EXIT_CANNOT_RUN);
}

/* SPDX-License-Identifier: MIT */
/* The driver that an emulated GPU does not have.
 *
 * cuBLAS, cuFFT, NCCL and their like bring machine code and a CUDA runtime of their own, which
 * opens libcuda.so.1. The launcher loads this library under that name in front of the program. The
 * first call of any function of the driver's API prints one line that says whose call it was, and
 * the program ends as one that cannot run. Loading alone does nothing: a program may be linked with
 * such a library and never use it.
 */
#define _GNU_SOURCE /* dladdr */
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

/* End, without the library's own clean-up: it may wait for the call that we are in. */
__attribute__((noreturn)) static void refuse(const void *caller)
{
    const char *library = library_of(caller);
    char shown[NAME_SIZE];

    fflush(stdout);
    if (library)
        dprintf(STDERR_FILENO,
                "emu: %s needs NVIDIA's driver and cannot run on the emulator: run the program on "
                "a GPU, or do without it (a library of your own: link it with nvcc -cudart "
                "shared)\n",
                escape_text(library, strlen(library), shown, sizeof(shown)));
    else
        dprintf(STDERR_FILENO,
                "emu: the program, or a library linked into it, calls NVIDIA's driver, which is "
                "not emulated: run it on a GPU, or call the runtime (cudaMalloc, <<<>>>)\n");
    _exit(EXIT_CANNOT_RUN);
}

/* Used by the aliases, and promising no more than they do. */
__attribute__((used)) static void refuse_caller(void)
{
    refuse(__builtin_return_address(0));
}

/* Every function of the API, whatever it takes and returns. */
#define FUNCTION(name) \
    __attribute__((visibility("default"), alias("refuse_caller"))) void name(void);
#include "driver_functions.inc"

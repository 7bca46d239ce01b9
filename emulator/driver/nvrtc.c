/* SPDX-License-Identifier: MIT */
/* NVRTC compiles on the CPU, and the real one does it here too. But a program that asks it for a
 * GPU's machine code, and gets it, holds what nothing here can run. So the emulator stands in front
 * of three of its functions: NVRTC makes PTX instead, and the program gets that as its machine
 * code. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* As in nvrtc.h, which a toolkit may lack. */
typedef void *nvrtcProgram;
enum { OUT_OF_MEMORY = 1, INTERNAL_ERROR = 11 };

EXPORTED int nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options);
EXPORTED int nvrtcGetCUBINSize(nvrtcProgram program, size_t *size);
EXPORTED int nvrtcGetCUBIN(nvrtcProgram program, char *code);

/* The real library. */
struct nvrtc {
    int (*compile)(nvrtcProgram program, int count, const char *const *options);
    int (*code_size)(nvrtcProgram program, size_t *size);
    int (*code)(nvrtcProgram program, char *code);
    int (*ptx_size)(nvrtcProgram program, size_t *size);
    int (*ptx)(nvrtcProgram program, char *text);
};

/* False: the program has none. */
static bool find_real(struct nvrtc *real)
{
    *(void **)&real->compile = dlsym(RTLD_NEXT, "nvrtcCompileProgram");
    *(void **)&real->code_size = dlsym(RTLD_NEXT, "nvrtcGetCUBINSize");
    *(void **)&real->code = dlsym(RTLD_NEXT, "nvrtcGetCUBIN");
    *(void **)&real->ptx_size = dlsym(RTLD_NEXT, "nvrtcGetPTXSize");
    *(void **)&real->ptx = dlsym(RTLD_NEXT, "nvrtcGetPTX");
    return real->compile && real->code_size && real->code && real->ptx_size && real->ptx;
}

/* "compute_90" after what comes before "sm_90" in the option, to be freed; any other option as it
 * is. `bare`: an option before it has said what it is. */
static char *for_ptx(const char *option, bool bare)
{
    const char *equals = strchr(option, '=');
    const char *name = bare ? option : equals ? equals + 1 : option;
    const size_t before = (size_t)(name - option);
    char *text;

    const bool architecture = bare || !strncmp(option, "-arch=", before) ||
                              !strncmp(option, "--gpu-architecture=", before);
    if (!architecture || strncmp(name, "sm_", 3) != 0)
        return strdup(option);
    return asprintf(&text, "%.*scompute_%s", (int)before, option, name + 3) < 0 ? NULL : text;
}

static bool names_architecture(const char *option)
{
    return !strcmp(option, "-arch") || !strcmp(option, "--gpu-architecture");
}

int nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options)
{
    struct nvrtc real;
    int result = OUT_OF_MEMORY, made = 0;

    if (!find_real(&real))
        return INTERNAL_ERROR;
    if (count <= 0 || !options)
        return real.compile(program, count, options);
    char **changed = calloc((size_t)count, sizeof(*changed));
    for (bool good = changed; good && made < count; made += good) {
        const bool bare = made && names_architecture(options[made - 1]);
        good = (changed[made] = for_ptx(options[made], bare));
    }
    if (made == count)
        result = real.compile(program, count, (const char *const *)changed);
    while (made > 0)
        free(changed[--made]);
    free(changed);
    return result;
}

/* What was compiled to PTX has no machine code. */
int nvrtcGetCUBINSize(nvrtcProgram program, size_t *size)
{
    struct nvrtc real;

    if (!find_real(&real))
        return INTERNAL_ERROR;
    return real.code_size(program, size) ?: *size ? 0 : real.ptx_size(program, size);
}

int nvrtcGetCUBIN(nvrtcProgram program, char *code)
{
    struct nvrtc real;
    size_t size;

    if (!find_real(&real))
        return INTERNAL_ERROR;
    return real.code_size(program, &size) ?: (size ? real.code : real.ptx)(program, code);
}

/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "libraries/curand_real.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the toolkit is that this emu was built with, and where it is usually. */
static const char *const usual[] = {CURAND_FOLDER, "/usr/local/cuda/lib64", "/opt/cuda/lib64"};

static struct curand_real real;
static bool found;

/* The library in that folder, if it is not this stand-in. */
static void *open_in(const char *folder)
{
    char path[4096];

    if (snprintf(path, sizeof(path), "%s/%s", folder, CURAND_SONAME) >= (int)sizeof(path))
        return NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library && dlsym(library, "curandCreateGenerator") == (void *)curandCreateGenerator) {
        dlclose(library);
        return NULL;
    }
    return library;
}

/* In the folders where the program's libraries are looked for. */
static void *open_beside_program(void)
{
    void *program = dlopen(NULL, RTLD_LAZY), *library = NULL;
    Dl_serinfo size, *folders = NULL;

    if (program && !dlinfo(program, RTLD_DI_SERINFOSIZE, &size)) {
        folders = malloc(size.dls_size);
        if (folders) {
            *folders = size;
            if (dlinfo(program, RTLD_DI_SERINFO, folders))
                folders->dls_cnt = 0;
            for (unsigned i = 0; i < folders->dls_cnt && !library; i++)
                library = open_in(folders->dls_serpath[i].dls_name);
        }
    }
    free(folders);
    return library;
}

static void find(void)
{
    const struct {
        void *function;
        const char *name;
    } names[] = {
        {&real.create, "curandCreateGeneratorHost"},
        {&real.destroy, "curandDestroyGenerator"},
        {&real.seed, "curandSetPseudoRandomGeneratorSeed"},
        {&real.offset, "curandSetGeneratorOffset"},
        {&real.order, "curandSetGeneratorOrdering"},
        {&real.dimensions, "curandSetQuasiRandomGeneratorDimensions"},
        {&real.bits, "curandGenerate"},
        {&real.long_bits, "curandGenerateLongLong"},
        {&real.uniform, "curandGenerateUniform"},
        {&real.uniform_double, "curandGenerateUniformDouble"},
        {&real.normal, "curandGenerateNormal"},
        {&real.normal_double, "curandGenerateNormalDouble"},
        {&real.log_normal, "curandGenerateLogNormal"},
        {&real.log_normal_double, "curandGenerateLogNormalDouble"},
        {&real.poisson, "curandGeneratePoisson"},
        {&real.vectors, "curandGetDirectionVectors32"},
        {&real.vectors_64, "curandGetDirectionVectors64"},
        {&real.constants, "curandGetScrambleConstants32"},
        {&real.constants_64, "curandGetScrambleConstants64"},
    };
    void *library = open_beside_program();

    for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]) && !library; i++)
        library = open_in(usual[i]);
    found = library != NULL;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && found; i++) {
        void *function = dlsym(library, names[i].name);
        memcpy(names[i].function, &function, sizeof(function));
        found = function != NULL;
    }
}

const struct curand_real *curand_real(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find);
    return found ? &real : NULL;
}

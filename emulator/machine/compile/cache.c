/* SPDX-License-Identifier: MIT */
/* Libraries on disk. A library is code that the user's programs run, so only the user may be able
 * to write it or the folder it is in. job.c makes them. */
#include "compile.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

enum { OTHERS_WRITE = 022, OTHERS = 077 };

/* Is it the user's own, and nobody else's to change? */
static bool is_own(const struct stat *status, mode_t type, mode_t forbidden)
{
    return (status->st_mode & S_IFMT) == type && status->st_uid == geteuid() &&
           !(status->st_mode & forbidden);
}

bool cache_folder(char path[CACHE_PATH_SIZE], bool make)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct stat status;
    int length = -1;
    if (cache && *cache == '/')
        length = snprintf(path, CACHE_PATH_SIZE, "%s", cache);
    else if (home && *home == '/')
        length = snprintf(path, CACHE_PATH_SIZE, "%s/.cache", home);
    if (length < 0 || length > CACHE_PATH_SIZE - 100)
        return false;
    if (make)
        mkdir(path, 0700);
    strcat(path, "/emu");
    if (make)
        mkdir(path, 0700);
    return lstat(path, &status) == 0 && is_own(&status, S_IFDIR, OTHERS);
}

/* FNV-1a. */
static uint64_t hash(uint64_t sum, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001B3);
    return sum;
}

/* The compiler that the shell would find. */
static bool find_compiler(struct stat *status)
{
    const char *path = getenv("PATH");
    for (const char *at = path ? path : ""; *at; at += *at == ':') {
        char name[PATH_MAX];
        const size_t length = strcspn(at, ":");
        snprintf(name, sizeof name, "%.*s/cc", (int)length, at);
        if (*at == '/' && stat(name, status) == 0 && S_ISREG(status->st_mode))
            return true;
        at += length;
    }
    return false;
}

/* What the library depends on beside its text: the compiler and this CPU. */
static uint64_t hash_machine(uint64_t sum, const struct stat *compiler)
{
    const uint64_t figures[] = {(uint64_t)compiler->st_size, (uint64_t)compiler->st_mtime,
                                (uint64_t)compiler->st_ino, getauxval(AT_HWCAP),
                                getauxval(AT_HWCAP2)};
    sum = hash(sum, figures, sizeof figures);
#ifdef __x86_64__
    unsigned a, b, c, d;
    if (__get_cpuid(1, &a, &b, &c, &d)) {
        const unsigned model[] = {a, c & ~bit_OSXSAVE, d};
        sum = hash(sum, model, sizeof model);
    }
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        const unsigned features[] = {b, c & ~16u, d}; /* 16: OSPKE */
        sum = hash(sum, features, sizeof features);
    }
#endif
    return sum;
}

bool cache_path(char path[CACHE_PATH_SIZE], const char *text)
{
    struct stat compiler;
    if (!find_compiler(&compiler))
        return false;
    uint64_t sums[] = {UINT64_C(0xCBF29CE484222325), UINT64_C(0x9AE16A3B2F90404F)};
    for (int i = 0; i < 2; i++)
        sums[i] = hash_machine(
            hash(hash(sums[i], COMPILER_FLAGS, sizeof COMPILER_FLAGS), text, strlen(text)),
            &compiler);
    sprintf(path + strlen(path), "/%016" PRIx64 "%016" PRIx64 ".so", sums[0], sums[1]);
    return true;
}

void *cache_load(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && is_own(&status, S_IFREG, OTHERS_WRITE)
               ? dlopen(path, RTLD_NOW | RTLD_LOCAL)
               : NULL;
}

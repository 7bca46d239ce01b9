/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* dladdr */
#include "cudart/age.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/stat.h>

#include "cudart/runtime.h"

static bool is_later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* The file that holds `data`: a library, or the program, whose name may be of another folder. */
static const char *holder(const void *data, struct stat *status)
{
    static const char program[] = "/proc/self/exe";
    Dl_info info;

    if (dladdr(data, &info) && info.dli_fname && !stat(info.dli_fname, status))
        return info.dli_fname;
    return stat(program, status) ? NULL : "the program";
}

void age_check(const void *data, const struct ptx_module *module)
{
    struct stat built, source;
    const char *name = holder(data, &built);

    for (int i = 0; name && i < module->file_count; i++) {
        const char *file = module->files[i];
        if (file && !stat(file, &source) && S_ISREG(source.st_mode) &&
            is_later(&source.st_mtim, &built.st_mtim)) {
            runtime_say("%s is older than its source %s: compile it again", name, file);
            return;
        }
    }
}

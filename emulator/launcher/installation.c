/* SPDX-License-Identifier: MIT */
/* Finds emu's files from where emu lies, and the build of the runtime that fits the CPU. */
#include "launcher/installation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* The sets of instructions that the runtime is built for, best first; Install.cmake says which
 * instructions each has. The last is what every CPU runs, and lies in no folder of its own. */
static const char *const sets[] = {"avx512", "avx2", "baseline"};
enum { SETS = sizeof(sets) / sizeof(sets[0]), BASELINE = SETS - 1 };

static bool cpu_has(const char *set)
{
#if defined(__x86_64__)
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    if (!strcmp(set, "avx2"))
        return avx2;
    if (!strcmp(set, "avx512"))
        return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
#endif
    return !strcmp(set, sets[BASELINE]);
}

/* Put `folder`/`name` into `path`; false where there is no such file, or its path is too long. */
static bool has_file(const char *folder, const char *name, char path[static PATH_MAX])
{
    return snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX && !access(path, R_OK);
}

/* emu's own file: as /proc says, or, where that is not mounted, by the name emu was run under. */
static bool find_own(char own[static PATH_MAX])
{
    const char *name = (const char *)getauxval(AT_EXECFN); /* NOLINT(performance-no-int-to-ptr) */

    return realpath("/proc/self/exe", own) || (name && realpath(name, own));
}

/* The folder of the runtime: that of emu's file, or lib/emu next to it. */
static bool find_home(char home[static PATH_MAX], char *error)
{
    char own[PATH_MAX], path[PATH_MAX];

    if (!find_own(own)) {
        snprintf(error, FILES_ERROR_SIZE, "cannot tell where emu lies: mount /proc");
        return false;
    }
    *strrchr(own, '/') = '\0';
    snprintf(home, PATH_MAX, "%s", own);
    if (has_file(home, EMU_RUNTIME, path))
        return true;
    char *last = strrchr(own, '/');
    if (last)
        *last = '\0';
    if (snprintf(home, PATH_MAX, "%s/lib/emu", own) < PATH_MAX && has_file(home, EMU_RUNTIME, path))
        return true;
    snprintf(error, FILES_ERROR_SIZE, "%s: not there, nor beside emu: install emu whole", path);
    return false;
}

static bool find_runtime(const char *home, char path[static PATH_MAX], char *error)
{
    const char *wanted = getenv("EMU_CPU");
    char name[sizeof(EMU_RUNTIME) + 16];

    for (int i = 0; i < SETS; i++) {
        const bool plain = i == BASELINE;
        snprintf(name, sizeof(name), "%s%s%s", plain ? "" : sets[i], plain ? "" : "/", EMU_RUNTIME);
        if ((!wanted || !strcmp(wanted, sets[i])) && cpu_has(sets[i]) && has_file(home, name, path))
            return true;
    }
    snprintf(error, FILES_ERROR_SIZE,
             "EMU_CPU takes baseline, avx2 or avx512, if CPU and emu have it, not '%.100s'",
             wanted ? wanted : "");
    return false;
}

bool installation_find(struct installation *files, char *error)
{
    char home[PATH_MAX];

    if (!find_home(home, error) || !find_runtime(home, files->runtime, error))
        return false;
    snprintf(files->home, sizeof(files->home), "%s", home);
    if (has_file(home, EMU_DRIVER, files->driver) && has_file(home, "gpus", files->gpus))
        return true;
    snprintf(error, FILES_ERROR_SIZE, "%s has no %s or no gpus: install emu whole", home,
             EMU_DRIVER);
    return false;
}

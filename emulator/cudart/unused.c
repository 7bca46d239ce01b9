/* SPDX-License-Identifier: MIT */
/* A program whose own file shows no CUDA: a library may have it, even one that it opens while it
 * runs. So `emu` runs it, and here its end is watched: where no call came, one line says so. */
#define _GNU_SOURCE /* program_invocation_short_name */
#include "cudart/runtime.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void at_end(int code, void *unused)
{
    const struct runtime *runtime = runtime_now();
    const int instead = runtime->settings.error_exitcode;

    (void)unused;
    if (runtime->is_used || getpid() != runtime->settings.watched)
        return;
    runtime_say("no CUDA call came from %s: neither it nor a library that it loaded uses the "
                "shared CUDA runtime (nvcc -cudart shared; CMake: CUDA_RUNTIME_LIBRARY Shared)",
                program_invocation_short_name);
    if (!code && instead > 0) {
        fflush(NULL);
        _exit(instead);
    }
}

/* So early that it runs last. */
__attribute__((constructor)) static void watch_end(void)
{
    on_exit(at_end, NULL);
}

/* SPDX-License-Identifier: MIT */
#include "libraries/stand_in.h"

#include <dlfcn.h>
#include <stdio.h>

bool cpu_library_open(struct cpu_library *library, const char *caller)
{
    const int count = sizeof(library->files) / sizeof(library->files[0]);
    char line[200];

    for (int i = 0; !library->handle && i < count && library->files[i]; i++) {
        void *handle = dlopen(library->files[i], RTLD_NOW | RTLD_LOCAL);
        if (handle && dlsym(handle, library->probe))
            library->handle = handle;
        else if (handle)
            dlclose(handle);
    }
    if (library->handle)
        return true;
    snprintf(line, sizeof(line), "%s needs %s on the CPU: install it, as %s on Debian", caller,
             library->what, library->package);
    __cudaEmuComplain(line);
    return false;
}

void *cpu_function(const struct cpu_library *library, const char *name)
{
    return dlsym(library->handle, name);
}

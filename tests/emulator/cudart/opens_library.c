/* SPDX-License-Identifier: MIT */
/* opens_library LIBRARY: a host of plugins. opens_library CODE: without one, and ends with CODE. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "1";
    void *library = strchr(name, '/') ? dlopen(name, RTLD_NOW) : NULL;
    int (*run)(void) = NULL;

    if (!library)
        return atoi(name);
    *(void **)&run = dlsym(library, "fill_on_device");
    return !run || run();
}

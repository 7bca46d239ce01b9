/* SPDX-License-Identifier: MIT */
/* A program that has no CUDA runtime and opens the driver by itself. */
#include <dlfcn.h>
#include <stddef.h>

int main(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = NULL;

    if (driver)
        *(void **)&init = dlsym(driver, "cuInit");
    return !init || init(0);
}

/* SPDX-License-Identifier: MIT */
/* A library that opens the driver at its first use, as NVIDIA's do. */
#include <dlfcn.h>
#include <stddef.h>

int asks_driver(void);

int asks_driver(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = NULL;

    if (driver)
        *(void **)&init = dlsym(driver, "cuInit");
    return init ? 1 + init(0) : -1; /* no tail call: it is the caller that is named */
}

/* SPDX-License-Identifier: MIT */
/* A library that opens the driver at its first use, and asks it for what is not documented, as
 * NVIDIA's do. */
#include <dlfcn.h>
#include <stddef.h>

int asks_driver(void);

int asks_driver(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    int (*get_table)(const void **, const void *) = NULL;
    const void *table;

    if (driver)
        *(void **)&get_table = dlsym(driver, "cuGetExportTable");
    /* No tail call: it is the caller that is named. */
    return get_table ? 1 + get_table(&table, "which is of 16 bytes") : -1;
}

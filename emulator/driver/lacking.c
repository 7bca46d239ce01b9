/* SPDX-License-Identifier: MIT */
/* All functions of the driver, from the toolkit's headers. Those that no other file here defines
 * say when called that they are not emulated: their definitions are weak, and one that is written
 * elsewhere replaces them. */
#include "driver/lacking.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define FUNCTION(name)                                           \
    __attribute__((weak, visibility("default"))) int name(void); \
    int name(void)                                               \
    {                                                            \
        return driver_lacks(#name);                              \
    }
#include "driver_functions.inc"
#undef FUNCTION

static const struct {
    const char *name;
    int (*function)(void);
} functions[] = {
#define FUNCTION(name) {#name, name},
#include "driver_functions.inc"
#undef FUNCTION
};

/* The versions of CUDA that brought a version of a function, in any order. */
static const struct {
    const char *symbol;
    int since;
} versions[] = {
#define VERSION(symbol, since) {#symbol, since},
#include "driver_versions.inc"
#undef VERSION
};

/* How many versions of the function CUDA `version` has: the first has no number, the second is
 * _v2. */
static int count_versions(const char *symbol, int version, bool *known)
{
    int count = 0;

    *known = false;
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        if (strcmp(versions[i].symbol, symbol) != 0)
            continue;
        *known = true;
        count += versions[i].since <= version;
    }
    return count;
}

static void *find(const char *name)
{
    void *address = NULL;

    /* Like dlsym(), this returns a function as a void *, for which C has no cast. */
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        if (!strcmp(functions[i].name, name))
            memcpy(&address, &functions[i].function, sizeof(address));
    return address;
}

void *driver_function(const char *symbol, int version, bool per_thread, bool *known)
{
    const int count = count_versions(symbol, version, known);
    char name[128], number[16] = "";
    void *found = NULL;

    if (!count)
        return NULL;
    if (count > 1)
        snprintf(number, sizeof(number), "_v%d", count);
    static const char *const suffixes[] = {"_ptsz", "_ptds", ""};
    for (int i = per_thread ? 0 : 2; i < 3 && !found; i++) {
        snprintf(name, sizeof(name), "%s%s%s", symbol, number, suffixes[i]);
        found = find(name);
    }
    return found;
}

/* SPDX-License-Identifier: MIT */
/* Finds the names in the source from those that the C++ compiler mangled. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx.h"

/* Where objects are linked, nvcc puts the name of the object before that of a static function or
 * variable: __nv_static_, how long it is, _, that name, _. Returns what comes after it. */
static const char *without_object(const char *mangled)
{
    static const char prefix[] = "__nv_static_";
    const size_t length = strlen(prefix);
    if (strncmp(mangled, prefix, length) != 0 || !isdigit((unsigned char)mangled[length]))
        return mangled;
    char *after;
    const unsigned long object = strtoul(mangled + length, &after, 10);
    const size_t left = strlen(after);
    return left > 2 && object < left - 2 && after[object + 1] == '_' ? after + object + 2 : mangled;
}

void ptx_function_name(const char *mangled, char *name, size_t size)
{
    mangled = without_object(mangled);
    snprintf(name, size, "%s", mangled);
    if (strncmp(mangled, "_Z", 2) != 0)
        return;
    const char *at = mangled + 2;
    const bool nested = *at == 'N';
    if (nested)
        at++;
    at += strspn(at, "KL"); /* const members, internal linkage */
    while (isdigit((unsigned char)*at)) {
        char *text;
        const unsigned long length = strtoul(at, &text, 10);
        if (length > strlen(text))
            return;
        snprintf(name, size, "%.*s", (int)length, text);
        at = text + length;
        if (!nested)
            return;
        at += strspn(at, "L");
    }
}

void ptx_variable_name(const char *mangled, char *name, size_t size)
{
    mangled = without_object(mangled);
    const char *last = mangled;
    int length = (int)strlen(mangled);

    for (const char *at = mangled; strncmp(mangled, "_Z", 2) == 0 && *at; at++) {
        if (*at < '1' || *at > '9')
            continue;
        char *after;
        const long n = strtol(at, &after, 10);
        if (n > 0 && n <= (long)strlen(after)) {
            last = after;
            length = (int)n;
            at = after + n - 1;
        } else {
            at = after - 1;
        }
    }
    snprintf(name, size, "%.*s", length, last);
}

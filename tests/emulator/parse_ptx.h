/* SPDX-License-Identifier: MIT */
/* One PTX text, all of which must be right. */
#ifndef PARSE_PTX_H
#define PARSE_PTX_H

#include <stdio.h>

#include "ptx/ptx.h"

/* As ptx_parse(), but an error in a function is one of the whole text. */
static inline struct ptx_module *parse_ptx(const char *text, char *error, size_t size)
{
    struct ptx_module *module = ptx_parse(&text, 1, error, size);
    for (int i = 0; module && i < module->function_count; i++)
        if (module->functions[i].error) {
            snprintf(error, size, "%s", module->functions[i].error);
            ptx_free(module);
            return NULL;
        }
    return module;
}

#endif

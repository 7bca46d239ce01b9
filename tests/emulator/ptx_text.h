/* SPDX-License-Identifier: MIT */
/* Small PTX texts for tests: a kernel around a few lines. */
#ifndef PTX_TEXT_H
#define PTX_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cmocka_main.h"
#include "parse_ptx.h"

/* Its first line is line 1; six lines stand before the body. */
#define PTX_HEADER ".version 9.0\n.target sm_75\n.address_size 64\n"
#define PTX_KERNEL                                                                              \
    PTX_HEADER ".visible .entry k(.param .u64 a, .param .align 8 .b8 b[12], .param .u32 n) {\n" \
               ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<99>; .reg .b64 %d<99>;\n"       \
               ".reg .f32 %f<9>; .reg .f64 %g<9>; .shared .align 4 .b8 s[64];\n"

/* Parse a whole module; a text that does not parse fails the test with its error. */
static inline struct ptx_module *parse_module(const char *text)
{
    char error[256];
    struct ptx_module *module = parse_ptx(text, error, sizeof error);
    if (!module)
        fail_msg("%s", error);
    return module;
}

/* A kernel "k" with `body`, which starts on line 7, and its closing brace. */
static inline struct ptx_module *parse_body(const char *body)
{
    size_t size = strlen(body) + sizeof PTX_KERNEL + 8;
    char *text = malloc(size);
    assert_non_null(text);
    snprintf(text, size, "%s%s\n}\n", PTX_KERNEL, body);
    struct ptx_module *module = parse_module(text);
    free(text);
    return module;
}

/* All of a file, with a NUL. The caller frees it. */
static inline char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot open %s", path);
    char *text = NULL;
    size_t room = 0;
    assert_true(getdelim(&text, &room, '\0', file) > 0);
    fclose(file);
    return text;
}

#endif

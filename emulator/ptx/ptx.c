/* The way of a text through parser and resolver, and the end of a module. */
#include <stdio.h>
#include <stdlib.h>

#include "compilation.h"
#include "parser.h"
#include "resolver.h"

/* The module and the memory all of it lies in. The module comes first: a pointer to it is one to
 * this. */
struct owned_module {
    struct ptx_module module;
    struct arena arena;
};

struct ptx_module *ptx_parse(const char *text, char *error, size_t error_size)
{
    struct owned_module *owned = calloc(1, sizeof *owned);
    if (!owned) {
        snprintf(error, error_size, "no memory left for the PTX");
        return NULL;
    }
    struct compilation compilation = {
        .arena = &owned->arena, .error = error, .error_size = error_size};
    if (setjmp(compilation.failed)) {
        ptx_free(&owned->module);
        return NULL;
    }
    parse(&compilation, text, &owned->module);
    resolve(&compilation, &owned->module);
    return &owned->module;
}

void ptx_free(struct ptx_module *module)
{
    if (!module)
        return;
    arena_free(&((struct owned_module *)module)->arena);
    free(module);
}

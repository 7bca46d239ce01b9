/* SPDX-License-Identifier: MIT */
/* Completes a module after it is parsed: where everything is, and where paths meet. */
#ifndef RESOLVER_H
#define RESOLVER_H

#include "compilation.h"

/* Set everything that is marked in ptx.h as set by the resolver. */
void resolve(struct compilation *compilation, struct ptx_module *module);

#endif

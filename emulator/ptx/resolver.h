/* SPDX-License-Identifier: MIT */
/* What is known of a module once it is read: where things lie, and where paths meet. */
#ifndef RESOLVER_H
#define RESOLVER_H

#include "compilation.h"

/* Fill in everything ptx.h says comes from the resolver. */
void resolve(struct compilation *compilation, struct ptx_module *module);

#endif

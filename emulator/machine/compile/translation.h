/* SPDX-License-Identifier: MIT */
/* When a kernel is compiled. */
#ifndef TRANSLATION_H
#define TRANSLATION_H

#include "machine/op.h"

struct translation;

/* The kernel is about to run: take what the cache has; ENGINE_COMPILED: make it, if need be. */
void translation_begin(struct code *code, enum kernel_engine engine);
/* It has issued so many instructions more: once it has run for long, begin to compile it; once that
 * is done, take it over. Any worker may call this. */
void translation_feed(const struct code *code, uint64_t issued);
void translation_free(struct translation *translation);

#endif

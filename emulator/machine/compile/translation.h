/* SPDX-License-Identifier: MIT */
/* When a kernel is compiled. */
#ifndef TRANSLATION_H
#define TRANSLATION_H

#include "machine/op.h"

struct translation;

/* The kernel is about to run. ENGINE_COMPILED: take what the cache has, or make it. */
void translation_begin(struct code *code, enum kernel_engine engine);
/* It has issued so many instructions more: once these are many, take what the cache has; once it
 * has run for long, begin to compile it; and once that is done, take it over. Any worker may call
 * this. */
void translation_feed(const struct code *code, uint64_t issued);
void translation_free(struct translation *translation);

#endif

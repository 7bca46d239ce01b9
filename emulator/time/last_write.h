/* SPDX-License-Identifier: MIT */
/* When words of memory were writes, for those who wait for them. */
#ifndef LAST_WRITE_H
#define LAST_WRITE_H

#include <stdint.h>

struct last_writes;

struct last_writes *last_writes_new(void);
void last_writes_free(struct last_writes *writes);
/* Forget all. */
void last_writes_clear(struct last_writes *writes);
/* The word at `address`, whatever its size, was written at `clock`, be that later or not. */
void last_writes_note(struct last_writes *writes, uint64_t address, uint64_t clock);
/* When it was last written; 0: not since the beginning. */
uint64_t last_writes_at(const struct last_writes *writes, uint64_t address);

#endif

/* SPDX-License-Identifier: MIT */
/* When words of memory were written, for those who wait for them. */
#ifndef WRITTEN_H
#define WRITTEN_H

#include <stdint.h>

struct written;

struct written *written_new(void);
void written_free(struct written *written);
/* Forget all. */
void written_clear(struct written *written);
/* The word at `address`, whatever its size, was written at `clock`, be that later or not. */
void written_note(struct written *written, uint64_t address, uint64_t clock);
/* When it was last written; 0: not since the beginning. */
uint64_t written_at(const struct written *written, uint64_t address);

#endif

/* SPDX-License-Identifier: MIT */
/* The registers in an instruction. */
#ifndef MENTIONS_H
#define MENTIONS_H

#include "ptx.h"

struct mention {
    int reg;
    bool is_write;
};

/* All of an instruction's: 8 operands of 8 pairs at most, a guard. */
enum { MAX_MENTIONS = PTX_MAX_OPERANDS * 8 * 2 + 1 };
struct mentions {
    struct mention items[MAX_MENTIONS];
    int count;
};

/* The guard first, then the operands in their order. */
void find_mentions(const struct ptx_instr *instr, struct mentions *mentions);

#endif

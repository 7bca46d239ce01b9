/* SPDX-License-Identifier: MIT */
/* Basic blocks, for all who ask: where lanes meet, which registers live, what time an instruction
 * takes. */
#ifndef FLOW_H
#define FLOW_H

#include "compilation.h"

/* A run of instructions entered at its first and left behind its last. */
struct basic_block {
    int first, end; /* instructions [first, end) */
    int *successors; /* blocks */
    int successor_count;
};

struct block_list {
    int *blocks;
    int count;
};

/* The control flow of a function (flow.c). Block 0 is the entry, block number `block_count` the
 * exit, which has no instructions. */
struct flow {
    struct basic_block *blocks;
    int block_count;
    int *block_of; /* of an instruction, and of the end */
    struct block_list *predecessors; /* of a block, and of the exit */
};

struct flow control_flow(struct compilation *compilation, const struct ptx_function *function);

/* `reconverge` of every branch of `function`. */
void find_reconvergence(struct compilation *compilation, struct ptx_function *function,
                        const struct flow *flow);

/* How many instructions a branch may go to, and which they are; 0 for what is no branch. */
int jump_count(const struct ptx_instr *instr);
int jump_target(const struct ptx_instr *instr, int index);

/* `leads` of every instruction. */
void mark_leaders(struct ptx_function *function, const struct flow *flow);

#endif

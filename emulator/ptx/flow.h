/* SPDX-License-Identifier: MIT */
/* Basic blocks. They serve to find where lanes meet, which registers are live, and how long
 * instructions take. */
#ifndef FLOW_H
#define FLOW_H

#include "compilation.h"

/* A run of instructions that is entered only at its first instruction and left only after its
 * last. */
struct basic_block {
    int first, end; /* instructions [first, end) */
    int *successors; /* numbers of blocks */
    int successor_count;
};

struct block_list {
    int *blocks;
    int count;
};

/* The control flow of a function. Block 0 is the entry. Number `block_count` is the exit, which
 * has no instructions. */
struct flow {
    struct basic_block *blocks;
    int block_count;
    int *block_of; /* the block of each instruction, and of the end */
    struct block_list *predecessors; /* of each block, and of the exit */
};

struct flow control_flow(struct compilation *compilation, const struct ptx_function *function);

/* Set `reconverge` of every branch of `function`. */
void find_reconvergence(struct compilation *compilation, struct ptx_function *function,
                        const struct flow *flow);

/* How many instructions a branch may jump to (0 if `instr` is not a branch), and which they are. */
int jump_count(const struct ptx_instr *instr);
int jump_target(const struct ptx_instr *instr, int index);

/* Set `leads` of every instruction. */
void mark_leaders(struct ptx_function *function, const struct flow *flow);

#endif

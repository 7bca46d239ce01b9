/* SPDX-License-Identifier: MIT */
/* Lines of a kernel that is made up: instructions that stand for themselves, and their results. */
#ifndef KERNEL_LINES_H
#define KERNEL_LINES_H

#include "generate.h"
#include "kernels.h"

/* POOL registers of each kind always hold something defined. */
enum { POOL = 6, OWN_BYTES = 32, TABLE_WORDS = 64 };

/* A kernel under construction. */
struct kernel {
    FILE *file;
    uint64_t random;
    enum kernel_age age;
    struct kernel_slot *slots;
    int count, limit; /* of slots: steps begin below the limit */
    char line[200]; /* written last */
    char base[8]; /* the register with the address of the thread's part of the log */
    char mask[8]; /* the register with the lanes that are here, of each warp */
    int depth; /* 0: where all threads come that have not exited */
    bool in_loop;
    int names; /* given out: labels and what is declared beside them */
};

/* Write a line. */
__attribute__((format(printf, 2, 3))) void put(struct kernel *k, const char *format, ...);
/* Below `count`. */
uint32_t any(struct kernel *k, uint32_t count);
#define ANY(k, choices) ((choices)[any(k, sizeof(choices) / sizeof *(choices))])
/* Numbers at the edges of a type half of the time. */
uint64_t any_number(uint64_t *random, size_t bytes);
/* One of the registers that always hold something defined: %p0, %h0, %r0, %d0 ... */
void any_register(struct kernel *k, size_t bytes, char text[8]);
/* Keep what `line` left in `reg` in the log; and what the last line did. */
void keep(struct kernel *k, const char *reg, const char *line);
void keep_line(struct kernel *k, const char *reg);

/* An instruction of arithmetic, bits, comparison or conversion. */
void put_plain(struct kernel *k);
/* Sums in parts, linked by the carry. */
void put_carries(struct kernel *k);
/* Parts of a register, put together and taken apart; special registers. */
void put_move(struct kernel *k);
/* What only reads: the input, a table of constants. */
void put_load(struct kernel *k);
/* Loads and stores of the thread's own bytes. */
void put_own(struct kernel *k);
/* An atomic on the thread's own bytes. */
void put_atomic(struct kernel *k);
/* All threads add to words of the block, and of the grid, whatever their turns: each word has one
 * operation, and nobody looks before the end. */
void put_sum(struct kernel *k);
/* Shuffles, votes, matches and sums of the lanes that are here. A shuffle may read from any lane
 * only where all are here: elsewhere it reads from the lowest. */
void put_collective(struct kernel *k);

#endif

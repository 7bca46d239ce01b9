/* SPDX-License-Identifier: MIT */
/* Fragments: what each lane of a warp holds of a matrix that tensor cores multiply.
 *
 * PTX says where the elements of mma are. Where those of wmma are it leaves open; ptxas has one
 * layout for all GPUs since 7.5, which its machine code shows: that of the mma of which it makes
 * them. */
#ifndef FRAGMENT_H
#define FRAGMENT_H

#include "ptx/ptx.h"

enum { FRAGMENT_BLOCKS = 16, FRAGMENT_REGISTERS = 8 };

/* Which matrix of d = a b + c. */
enum fragment_matrix { FRAGMENT_A, FRAGMENT_B, FRAGMENT_C };

/* A lane holds runs of elements that are neighbours in a row or a column: one run of each block. */
struct fragment {
    int rows, columns;
    int width; /* of an element, in bits */
    int run; /* elements: a power of two */
    int blocks; /* how many there are; registers beyond them repeat the first ones */
    bool turned; /* runs go down a column */
    /* Where a block begins, and in it a lane's run: across the direction of runs, and along it. */
    uint8_t block_across[FRAGMENT_BLOCKS], block_along[FRAGMENT_BLOCKS];
    uint8_t lane_across[WARP_SIZE], lane_along[WARP_SIZE];
};

/* Of an element in its matrix. */
struct position {
    int row, column;
};

/* The shape that an instruction names: m x n x k. */
struct product_shape {
    int m, n, k;
};
struct product_shape shape_of(const struct ptx_instr *instr);

/* Fill in `fragment` for one matrix of `instr`, whose elements are of `type`. */
void fragment_init(struct fragment *fragment, const struct ptx_instr *instr,
                   enum fragment_matrix matrix, enum ptx_type type);
/* Where the element number `element` of a lane is in the matrix. Where quarters of a warp have
 * matrices of their own, those are blocks of a larger one, on its diagonal. */
static inline struct position fragment_position(const struct fragment *f, int lane, int element)
{
    const int block = element >> __builtin_ctz((unsigned)f->run);
    const int across = f->block_across[block] + f->lane_across[lane];
    const int along = f->block_along[block] + f->lane_along[lane] + (element & (f->run - 1));
    return f->turned ? (struct position){along, across} : (struct position){across, along};
}

static inline int fragment_elements(const struct fragment *fragment)
{
    return fragment->blocks * fragment->run;
}

/* How many elements a register holds: one where it is as wide as they are. */
static inline int fragment_packed(const struct fragment *fragment)
{
    return fragment->width < 32 ? 32 / fragment->width : 1;
}

#endif

/* SPDX-License-Identifier: MIT */
/* Binding: from instructions to ops. bind.c does what all families share, each family the rest. */
#ifndef BIND_H
#define BIND_H

#include "op.h"

struct binder {
    struct machine *machine;
    struct program *program;
    struct code *code;
    const struct ptx_instr *instr;
    struct op *op;
    bool failed;
    char *error;
    size_t error_size;
};

/* The operands as the instruction's form has them: a result to op->d, the q of p|q to op->d2, and
 * the sources in their order to a, b, c and e. An address, whose space op->space says, stands for
 * the source a. Constants, vectors, labels and what copies take are left to their families. */
void bind_operands(struct binder *binder);
/* Each takes operand `i`; each refuses one of the wrong kind or width. */
void bind_destination(struct binder *binder, struct slot *slot, int i, size_t bytes);
void bind_source(struct binder *binder, struct slot *slot, int i, size_t bytes);
void bind_element(struct binder *binder, struct slot *slot, const struct ptx_operand *operand,
                  size_t bytes, bool destination);
/* The elements of a vector into op->elements: registers of `bytes` or wider. */
void bind_elements(struct binder *binder, const struct ptx_operand *vector, size_t bytes,
                   bool destination);
/* The same into `slots`. */
void bind_vector(struct binder *binder, struct slot *slots, const struct ptx_operand *vector,
                 size_t bytes, bool destination);
void bind_address(struct binder *binder, int i);
/* The address of a variable, and what it is to be added to. */
uint64_t bind_symbol(struct binder *binder, int number, enum relative *relative);
/* Of a fetch or a surface: the handle into op->a, the coordinates into b, c and e. */
void bind_object(struct binder *binder, const struct ptx_operand *texel);
/* Refuse the instruction; `why` may be NULL. */
void bind_refuse(struct binder *binder, const char *why);
/* 4 or 8: how far apart lanes of this type are. */
static inline size_t lane_bytes(enum ptx_type type)
{
    return ptx_type_size(type) > 4 ? 8 : 4;
}
bool bind_code(struct binder *binder, int function);
/* Once all functions of a program are bound: find those that order blocks, or call one that does.
 */
void bind_block_order(struct program *program);

void bind_arithmetic(struct binder *binder);
void bind_bits(struct binder *binder);
void bind_video(struct binder *binder);
void bind_compare(struct binder *binder);
void bind_move(struct binder *binder);
void bind_memory(struct binder *binder);
void bind_copy(struct binder *binder);
void bind_texture(struct binder *binder);
void bind_surface(struct binder *binder);
void bind_query(struct binder *binder);
void bind_stack(struct binder *binder);
void bind_cluster(struct binder *binder);
void bind_mbarrier(struct binder *binder);
/* What ends at such a barrier: a bulk copy, or a store to another block. */
void bind_bulk(struct binder *binder);
/* What goes the other way, and what waits for that; prefetches. */
void bind_bulk_store(struct binder *binder);
/* Bind the address at operand `i` in an op of its own; NULL: refused. */
struct op *bind_other(struct binder *binder, int i, enum ptx_space space, uint8_t bytes);
/* The tensor map and coordinates at operand `i` into op->b and op->elements. */
void bind_map(struct binder *binder, int i);
void bind_collective(struct binder *binder);
void bind_mma(struct binder *binder);
void bind_wmma(struct binder *binder);
void bind_wgmma(struct binder *binder);
void bind_register_pool(struct binder *binder);
void bind_control(struct binder *binder);

/* Parts of families that have files of their own. */
void bind_float(struct binder *binder);
void bind_half(struct binder *binder);
void bind_convert(struct binder *binder);
void bind_atomic(struct binder *binder);
void bind_call(struct binder *binder);

/* The end of a function's instructions: a ret. */
void control_end(struct warp *warp, const struct op *op, uint32_t lanes);
void call_vprintf(struct warp *warp, const struct op *op, uint32_t lanes);
void call_assertfail(struct warp *warp, const struct op *op, uint32_t lanes);
void call_malloc(struct warp *warp, const struct op *op, uint32_t lanes);
void call_free(struct warp *warp, const struct op *op, uint32_t lanes);
void call_set_condition(struct warp *warp, const struct op *op, uint32_t lanes);
/* Is it a call of such a function, and can other blocks tell when it runs? */
bool call_orders_blocks(const struct op *op);
/* The function with this address, or NULL. */
const struct code *call_find_function(const struct program *program, uint64_t address);

#endif

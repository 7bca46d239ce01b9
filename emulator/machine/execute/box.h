/* SPDX-License-Identifier: MIT */
/* The boxes of tensors that bulk copies move, in either direction. */
#ifndef BOX_H
#define BOX_H

#include "machine/tensor.h"
#include "machine/warp.h"

struct box {
    const struct tensor_map *map;
    int32_t at[TENSOR_RANKS]; /* its first element, in the tensor */
};

/* The box that the lane names in op->b and op->elements. False: a fault. */
bool box_find(struct warp *warp, const struct op *op, int lane, struct box *box);

#endif

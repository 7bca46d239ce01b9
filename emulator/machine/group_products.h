/* SPDX-License-Identifier: MIT */
/* Products by four warps that are under way (execute/wgmma.c). */
#ifndef GROUP_PRODUCTS_H
#define GROUP_PRODUCTS_H

#include "warp.h"

/* The warp's block has ended; and its room is given back. */
void group_products_end(struct warp *warp);
void group_products_free(struct warp *warp);

#endif

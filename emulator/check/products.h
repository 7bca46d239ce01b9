/* SPDX-License-Identifier: MIT */
/* Products by four warps (wgmma): are their registers left alone while they are under way, and what
 * fence, group and wait they need there? */
#ifndef CHECK_PRODUCTS_H
#define CHECK_PRODUCTS_H

#include "check/report.h"

struct check_products;

/* Findings go to `reports`, as those of the sync checker. */
struct check_products *check_products_new(struct reports *reports);
void check_products_free(struct check_products *products);
/* A warp is about to execute one of the instructions of wgmma. */
void check_products_step(struct check_products *products, const struct collective_event *event);
/* A launch has ended. */
void check_products_forget(struct check_products *products);

#endif

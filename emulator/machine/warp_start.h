/* SPDX-License-Identifier: MIT */
/* The start of a warp. */
#ifndef WARP_START_H
#define WARP_START_H

#include "warp.h"

/* What stays the same in all blocks of a launch; then what a block changes. */
void warp_start_once(struct warp *warp);
void warp_start(struct warp *warp);

#endif

/* SPDX-License-Identifier: MIT */
/* Is a program older than its source? */
#ifndef AGE_H
#define AGE_H

#include "ptx/ptx.h"

/* One line on stderr where a file that `module` names (-lineinfo) has changed since the program or
 * library that `data` lies in was built: its lines, and what they do, are then others. */
void age_check(const void *data, const struct ptx_module *module);

#endif

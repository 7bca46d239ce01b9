/* SPDX-License-Identifier: MIT */
/* Where a warp keeps the values of registers. */
#ifndef REGISTER_FILE_H
#define REGISTER_FILE_H

#include "liveness.h"

/* Set `slot` of all registers, register_file_bytes and predicate_count. Registers of one size whose
 * spans are apart share a slot: a compiler's PTX writes each register once and has thousands of
 * them, whose values no cache would hold. */
void place_registers(struct compilation *compilation, struct ptx_function *function,
                     struct register_span *spans);

#endif

/* SPDX-License-Identifier: MIT */
/* Types of values, and where variables live. */
#ifndef TYPES_H
#define TYPES_H

#include <stdbool.h>
#include <stddef.h>

/* clang-format off */
/* Fundamental types. */
enum ptx_type {
    PTX_NONE,
    PTX_PRED,
    PTX_B8, PTX_B16, PTX_B32, PTX_B64, PTX_B128,
    PTX_U8, PTX_U16, PTX_U32, PTX_U64,
    PTX_S8, PTX_S16, PTX_S32, PTX_S64,
    PTX_F16, PTX_F16X2, PTX_F32, PTX_F64,
    /* of instructions alone; registers and variables are of bits */
    PTX_BF16, PTX_BF16X2, PTX_TF32, PTX_E4M3X2, PTX_E5M2X2,
    PTX_U2, PTX_U4, PTX_S2, PTX_S4, PTX_U16X2, PTX_S16X2,
    PTX_B1, PTX_E4M3, PTX_E5M2, /* elements of matrices */
};
enum { PTX_TYPE_COUNT = PTX_E5M2 + 1 };
/* clang-format on */

/* Bytes of a value of `type`; 0 for PTX_NONE and PTX_PRED. */
size_t ptx_type_size(enum ptx_type type);
bool ptx_type_is_float(enum ptx_type type);
bool ptx_type_is_signed(enum ptx_type type);
bool ptx_type_is_declared(enum ptx_type type); /* registers may be of it */
bool ptx_type_is_untyped(enum ptx_type type); /* b8 to b128 */
/* Is it two floats side by side? */
static inline bool ptx_type_is_pair(enum ptx_type type)
{
    return type == PTX_F16X2 || type == PTX_BF16X2 || type == PTX_E4M3X2 || type == PTX_E5M2X2;
}
/* As PTX writes it, without the dot: "u32". */
const char *ptx_type_name(enum ptx_type type);

enum ptx_space {
    PTX_GENERIC, /* no space written */
    PTX_REG,
    PTX_CONST,
    PTX_GLOBAL,
    PTX_LOCAL,
    PTX_PARAM,
    PTX_SHARED,
};
enum { PTX_SPACE_COUNT = PTX_SHARED + 1 };
const char *ptx_space_name(enum ptx_space space);

#endif

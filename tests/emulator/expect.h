/* SPDX-License-Identifier: MIT */
/* What a .ptx test says about itself, in its comments:
 *
 *   // grid 2 block 64         or 8x4x2; 1 and 32 unless given
 *   // shared 128              bytes of dynamic shared memory
 *   // gpu 8.0                 compute capability; the file's .target unless given
 *   // gpu 8.0 only            and what later GPUs do is something else
 *   // in u32: 0, 1, 0x10      an array in global memory; its address is an argument
 *   // texture f32: 1, 2       the same seen through a texture object, read by index; its handle is
 *                              an argument. u32, s32, f32
 *   // image 2 f32: 1, 2, 3, 4 the same in an array with rows of 2, whose texels may be gathered
 *   // surface u32: 1, 2       the same in an array, behind a surface object
 *   // value u32: 7            an argument
 *   // out u32: 0, 2, 0x20     what follows in the array that the first argument points to
 *   // out f32 ~2ulp: 1.25     within 2 units in the last place
 *   // out f32 ~1e-6: 1.25     within that relative error
 *   // out f32 +-1e-6: 1.25    within that absolute error
 *   // error launch "regex"    parse, load or launch fails with a message like this
 *
 * The kernel is the entry `test`: (out, ins and values in the order written), out only where there
 * is an `out` line. Every `out` line continues the one array where the one before ended, aligned to
 * its type; arrays are as long as what is said about them.
 *
 * Values: decimal or hexadecimal integers; for floats decimal or hexadecimal (0x1.8p3) numbers,
 * inf, nan, or 0x7fc00000 for bits. `7 x32` is 32 sevens, `0..31` counts. In `out`, nan is any NaN,
 * `_` is anything at all. A list that ends in a comma goes on in the next line.
 */
#ifndef EXPECT_H
#define EXPECT_H

#include "ptx/ptx.h"

struct value {
    enum { VALUE_BITS, VALUE_NAN, VALUE_ANYTHING } kind;
    uint64_t bits;
    double real; /* of floats: what was written, before it was rounded to the type */
};

enum closeness { CLOSE_BITS, CLOSE_ULPS, CLOSE_RELATIVE, CLOSE_ABSOLUTE };

/* One `in`, `texture`, `image`, `surface`, `value` or `out`. */
struct array {
    enum array_role { ROLE_IN, ROLE_TEXTURE, ROLE_IMAGE, ROLE_SURFACE, ROLE_VALUE, ROLE_OUT } role;
    enum ptx_type type;
    enum closeness closeness;
    double tolerance;
    uint32_t width; /* of an `image` */
    int line;
    size_t offset; /* bytes, of an `out` in the one array */
    struct value *values;
    size_t count;
};

enum stage { STAGE_NONE, STAGE_PARSE, STAGE_LOAD, STAGE_LAUNCH };
extern const char *const stage_names[];

struct expectation {
    struct dim grid, block;
    size_t shared;
    int capability; /* as in 75 */
    bool only; /* of it, not of later ones */
    struct array *arrays;
    size_t array_count;
    size_t out_bytes;
    enum stage error; /* where it has to fail */
    char pattern[256];
};

/* Read the expectation out of the PTX `text`. Returns false with one line in `error` (256 bytes)
 * that starts with a line number. */
bool expect_read(const char *text, struct expectation *expectation, char *error);
void expect_free(struct expectation *expectation);

/* Write the values of an array, as a kernel finds them in memory. */
void expect_store(const struct array *array, void *memory);

/* Compare element i of an `out` with `memory`, the array's start. */
bool expect_matches(const struct array *array, size_t i, const void *memory);

/* Is it one floating-point number, not two packed ones? */
bool expect_is_float(enum ptx_type type);

/* The number that `bits` stand for in the floating-point `type`. */
double expect_real(enum ptx_type type, uint64_t bits);

#endif

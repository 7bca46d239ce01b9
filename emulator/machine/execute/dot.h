/* SPDX-License-Identifier: MIT */
/* Sums of products as tensor cores form them.
 *
 * What they do is not in NVIDIA's manuals. These rules were found by experiments on the GPUs:
 *   Fasi, Higham, Mikaitis, Pranesh: Numerical behavior of NVIDIA tensor cores, PeerJ CS 7 (2021)
 *   Xie, Wang, Yang, Yang: MMA-Sim, arXiv:2511.10909
 *   Khattak, Mikaitis: Accurate models of NVIDIA tensor cores, arXiv:2512.07004
 *
 * Several products and the sum so far are added at once. Products are exact. All terms are aligned
 * to the largest exponent among them and cut to some bits after the binary point, the sum of these
 * is exact, and it is rounded once: towards zero to single precision, to the nearest to half
 * precision. Where ptxas makes something else of an instruction, as its machine code shows, the
 * rules are those of that code. */
#ifndef DOT_H
#define DOT_H

#include "machine/execute/float.h"
#include "machine/machine.h"

enum { DOT_MOST = 32, DOT_COLUMNS = 32 }; /* terms, sums */
enum { DOT_WIDE = 8 }; /* sums that are formed side by side */

/* A factor: significand x 2^(exponent - bits of its format), or something that is no number. */
struct factor {
    int32_t significand; /* of what is no number: -1 or 1 for an infinity, 0 for a NaN */
    int32_t exponent; /* FACTOR_SPECIAL: no number */
    bool negative; /* of a zero, too */
};
enum { FACTOR_SPECIAL = 1 << 20 }; /* so much that sums of two do not overflow */

/* The second factors of a term of several sums, the columns of a matrix. */
struct dot_term {
    _Alignas(4 * DOT_WIDE) int32_t significand[DOT_COLUMNS], exponent[DOT_COLUMNS];
    bool negative[DOT_COLUMNS];
};

/* How one element of a product is summed. */
struct dot {
    enum {
        DOT_FUSED,
        DOT_APART, /* the products as above, from zero; then an ordinary addition */
        DOT_CHAIN, /* no tensor cores: multiply-adds of single precision, then an addition */
        DOT_PAIRS, /* the same for halves: two products at a time */
    } way;
    const struct minifloat *a, *b;
    int count, together; /* terms; at once */
    int fraction; /* bits that are kept */
    bool half; /* the sum is in half precision */
    bool short_sum; /* it keeps 13 bits */
    bool as_halves; /* of which more numbers are normal than of 8-bit floats */
    bool by_pairs; /* of four neighbouring terms the first two go before all others' last two */
};

/* The rules of `gpu` for an instruction: its types, how many terms it has, whether its sums are in
 * half precision. */
struct dot dot_of(const struct gpu *gpu, const struct ptx_instr *instr, enum ptx_type a,
                  enum ptx_type b, int count, bool half);
/* Bits of a number of `format`, one of the dot's, as a factor. */
void dot_factor(const struct dot *dot, const struct minifloat *format, uint32_t bits,
                struct factor *factor);
/* The index of term number `term` in the order of the sum. */
int dot_index(const struct dot *dot, int term);
/* Add to DOT_WIDE sums `count` products each, in that order: of `a` and the columns from number
 * `column`, a multiple of DOT_WIDE, on. The sums are bits of single or half precision. */
void dot_sums(const struct dot *dot, const struct factor *a, const struct dot_term *b, int column,
              uint32_t sums[DOT_WIDE]);

#endif

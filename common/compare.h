/* SPDX-License-Identifier: MIT */
/* Compare what the device computed with what the CPU did. */
#ifndef COMPARE_H
#define COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The outcome of a comparison, ready for the report. */
struct verdict {
    bool match;
    bool unchecked; /* nothing was compared: neither a match nor a mismatch */
    char result[32], reference[32]; /* a number each; of several the first pair that differs,
                                     * or else the one with the largest error */
    double error; /* largest absolute error; 0 for integers that match, NaN if any result was */
    double tolerance; /* allowed; 0 for integers */
    char why[128]; /* where it does not match; "" if it does */
};

/* Where nothing was compared. */
struct verdict compare_nothing(void);

/* Integers: equal or not. */
struct verdict compare_integer(int64_t result, int64_t reference);

/* One float: match if |result - reference| <= tolerance, which no NaN is, and the result is
 * finite. */
struct verdict compare_float(double result, double reference, double tolerance);

/* `count` floats, each within its own tolerance (`tolerance[i]`), element by element. A NaN or an
 * infinity among the results is a mismatch. */
struct verdict compare_floats(const float *result, const double *reference, const double *tolerance,
                              size_t count);

/* A bound on the absolute error of adding n floats in any order: (n - 1) u x the sum of their
 * magnitudes, u = 2^-24 (Jeannerod, Rump: "Improved error bounds for inner products in
 * floating-point arithmetic", SIAM J. Matrix Anal. Appl. 34, 2013). Unlike gamma(n - 1) it holds
 * for every n. `n` of 0 or 1 gives 0. */
double compare_sum_tolerance(int64_t n, double sum_of_magnitudes);

enum { COMPARE_DIGEST_SIZE = 17 };

/* Sixteen hexadecimal digits that stand for `bytes` bytes at `data`: the same on two devices only
 * if every bit is. (FNV-1a, 64 bits: Fowler, Noll, Vo, RFC 9923.) */
void compare_digest(const void *data, size_t bytes, char text[COMPARE_DIGEST_SIZE]);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
#include "common.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct verdict compare_nothing(void)
{
    return (struct verdict){.unchecked = true, .error = NAN, .tolerance = NAN};
}

struct verdict compare_integer(int64_t result, int64_t reference)
{
    struct verdict verdict = {.match = result == reference};

    snprintf(verdict.result, sizeof(verdict.result), "%" PRId64, result);
    snprintf(verdict.reference, sizeof(verdict.reference), "%" PRId64, reference);
    if (!verdict.match) {
        verdict.error = fabs((double)result - (double)reference);
        snprintf(verdict.why, sizeof(verdict.why), "the result is not the reference");
    }
    return verdict;
}

/* Never `error > tolerance`, which is false for NaN. */
static bool within(double result, double reference, double tolerance)
{
    return isfinite(result) && fabs(result - reference) <= tolerance;
}

static void print_pair(struct verdict *verdict, double result, double reference)
{
    snprintf(verdict->result, sizeof(verdict->result), "%.9g", result);
    snprintf(verdict->reference, sizeof(verdict->reference), "%.9g", reference);
}

struct verdict compare_float(double result, double reference, double tolerance)
{
    struct verdict verdict = {
        .match = within(result, reference, tolerance),
        .error = fabs(result - reference),
        .tolerance = tolerance,
    };

    print_pair(&verdict, result, reference);
    if (!verdict.match)
        snprintf(verdict.why, sizeof(verdict.why), "%s",
                 isfinite(result) ? "the error is above the tolerance"
                                  : "the result is not a finite number");
    return verdict;
}

/* Which of two errors is worse: the larger, and NaN before any. */
static bool worse(double error, double than)
{
    return !isnan(than) && !(error <= than);
}

struct verdict compare_floats(const float *result, const double *reference, const double *tolerance,
                              size_t count)
{
    struct verdict verdict = {.match = true, .result = "none", .reference = "none"};
    size_t first = 0, worst = 0, wrong = 0, shown;

    for (size_t i = 0; i < count; i++) {
        const double error = fabs(result[i] - reference[i]);

        if (i == 0 || worse(error, verdict.error)) {
            verdict.error = error;
            worst = i;
        }
        if (!within(result[i], reference[i], tolerance[i])) {
            if (wrong++ == 0)
                first = i;
        }
    }
    if (count == 0)
        return verdict;
    verdict.match = wrong == 0;
    shown = wrong ? first : worst;
    verdict.tolerance = tolerance[shown];
    print_pair(&verdict, result[shown], reference[shown]);
    if (wrong)
        snprintf(verdict.why, sizeof(verdict.why), "%zu of %zu elements differ, the first is [%zu]",
                 wrong, count, first);
    return verdict;
}

double compare_sum_tolerance(int64_t n, double sum_of_magnitudes)
{
    return n < 2 ? 0 : (double)(n - 1) * 0x1p-24 * sum_of_magnitudes;
}

void compare_digest(const void *data, size_t bytes, char text[COMPARE_DIGEST_SIZE])
{
    const unsigned char *byte = data;
    uint64_t hash = 0xcbf29ce484222325;

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ byte[i]) * 0x100000001b3;
    snprintf(text, COMPARE_DIGEST_SIZE, "%016" PRIx64, hash);
}

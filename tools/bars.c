/* SPDX-License-Identifier: MIT */
#include "bars.h"

#include <math.h>

#include "results.h"
#include "text.h"

enum { LINEAR_SPAN = 20 };
static const double shortest_part = 1.0 / 12; /* of the longest, on a log scale */

static double size_of(const json_t *result)
{
    return result_number(result, "report.n");
}

static bool same_size(const json_t *a, const json_t *b)
{
    return size_of(a) == size_of(b) || (isnan(size_of(a)) && isnan(size_of(b)));
}

static bool one_size(const json_t *const *results, int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            if (!isnan(result_time(results[i])) && !isnan(result_time(results[k])) &&
                result_same_problem(results[i], results[k]) && !same_size(results[i], results[k]))
                return false;
    return true;
}

/* Where the rates are that every timed result has, or NULL. */
static const char *rates_of(const json_t *const *results, int count)
{
    static const char *const rates[] = {"report.gbs", "report.gflops"};

    for (size_t k = 0; k < sizeof(rates) / sizeof(rates[0]); k++) {
        bool all = true;

        for (int i = 0; i < count; i++)
            all =
                all && (isnan(result_time(results[i])) || result_number(results[i], rates[k]) > 0);
        if (all)
            return rates[k];
    }
    return NULL;
}

/* What the bar of a result shows; NaN: nothing. */
static double shown(const json_t *result, const char *rates)
{
    const double time = result_time(result);

    return rates && !isnan(time) ? result_number(result, rates) : time;
}

/* The scale of a result: of all that solve its problem, or of those of its size. */
struct scale {
    double shortest, longest;
    int count;
};

static struct scale scale_of(const json_t *const *results, int count, const json_t *result,
                             const char *rates)
{
    struct scale scale = {INFINITY, 0, 0};

    for (int i = 0; i < count; i++) {
        const double value = shown(results[i], rates);

        if (isnan(value) || !result_same_problem(results[i], result) ||
            (!rates && !same_size(results[i], result)))
            continue;
        scale.shortest = fmin(scale.shortest, value);
        scale.longest = fmax(scale.longest, value);
        scale.count++;
    }
    return scale;
}

/* Has any scale of the problem of a result a span that needs logarithms? */
static bool is_logarithmic(const json_t *const *results, int count, const json_t *result,
                           const char *rates)
{
    for (int i = 0; i < count; i++) {
        const struct scale scale = scale_of(results, count, results[i], rates);

        if (result_same_problem(results[i], result) && scale.longest > LINEAR_SPAN * scale.shortest)
            return true;
    }
    return false;
}

struct bars bars_of(const json_t *const *results, int count)
{
    const char *rates = one_size(results, count) ? NULL : rates_of(results, count);
    struct bars bars = {.parts = allocate((size_t)count * sizeof(*bars.parts)),
                        .logarithmic = allocate((size_t)count * sizeof(*bars.logarithmic)),
                        .rates = rates != NULL};
    int timed = 0, drawn = 0, logarithmic = 0;

    for (int i = 0; i < count; i++) {
        timed += !isnan(result_time(results[i]));
        bars.logarithmic[i] = is_logarithmic(results, count, results[i], rates);
    }
    for (int i = 0; i < count; i++) {
        const struct scale scale = scale_of(results, count, results[i], rates);
        const double value = shown(results[i], rates);
        const double span = log(scale.longest / scale.shortest);

        if (isnan(value) || (scale.count < 2 && timed > 1))
            bars.parts[i] = NAN;
        else if (bars.logarithmic[i] && span > 0)
            bars.parts[i] =
                shortest_part + (1 - shortest_part) * log(value / scale.shortest) / span;
        else
            bars.parts[i] = value / scale.longest;
        drawn += !isnan(bars.parts[i]);
        logarithmic += !isnan(bars.parts[i]) && bars.logarithmic[i];
    }
    bars.all_logarithmic = drawn > 0 && logarithmic == drawn;
    return bars;
}

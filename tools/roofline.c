/* SPDX-License-Identifier: MIT */
#include "roofline.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "results.h"
#include "words.h"

/* What counts as work: float operations where every step has them, else instructions of threads. */
struct chart {
    const json_t *const *results;
    int step_count, run_count;
    bool flops;
};

static const json_t *result_at(const struct chart *chart, int run, int step)
{
    return chart->results[run * chart->step_count + step];
}

static double work_of(const struct chart *chart, const json_t *result)
{
    return chart->flops ? result_number(result, "report.flops")
                        : result_counter(result, "thread_instructions");
}

/* Bytes that the step moves to and from global memory: counted, or what it says it has to. */
static double bytes_of(const json_t *result)
{
    const double moved = result_counter(result, "global_bytes_moved");

    return moved > 0 ? moved : result_number(result, "report.bytes");
}

/* The peak that the steps' shares are of; NaN: not known. */
static double peak_by_share(const struct chart *chart, int run, const char *rate, const char *unit)
{
    for (int step = 0; step < chart->step_count; step++) {
        const json_t *result = result_at(chart, run, step);

        if (result && !strcmp(result_text(result, "report.limit_unit"), unit) &&
            result_number(result, "report.share") > 0)
            return result_number(result, rate) / result_number(result, "report.share");
    }
    return NAN;
}

/* The peak at `path` of the run's device, or what follows from a share of it; NaN: not known. */
static double peak_of(const struct chart *chart, int run, const char *path, const char *rate,
                      const char *unit)
{
    for (int step = 0; step < chart->step_count; step++)
        if (result_at(chart, run, step) && result_number(result_at(chart, run, step), path) > 0)
            return result_number(result_at(chart, run, step), path);
    return peak_by_share(chart, run, rate, unit);
}

static double memory_roof(const struct chart *chart, int run)
{
    return peak_of(chart, run, "report.device.peak_gbs", "report.gbs", "GB/s");
}

/* A fused multiply-add is two operations and one instruction. */
static double work_roof(const struct chart *chart, int run)
{
    const double peak =
        peak_of(chart, run, "report.device.peak_gflops", "report.gflops", "GFLOP/s");

    return chart->flops ? peak : peak / 2;
}

/* That of tensor cores, where shares are of it; NaN elsewhere. */
static double tensor_roof(const struct chart *chart, int run)
{
    const double peak = peak_by_share(chart, run, "report.gflops", "GFLOP/s");

    return chart->flops && peak > 1.5 * work_roof(chart, run) ? peak : NAN;
}

static bool all_have_flops(const struct chart *chart)
{
    for (int i = 0; i < chart->step_count * chart->run_count; i++)
        if (chart->results[i] && !isnan(result_time(chart->results[i])) &&
            !(result_number(chart->results[i], "report.flops") > 0))
            return false;
    return true;
}

static json_t *number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* The point of a step: work a byte, and work a nanosecond. Nothing where one is not known. */
static void add_point(const struct chart *chart, int run, int step, json_t *points)
{
    const json_t *result = result_at(chart, run, step);
    const double x = work_of(chart, result) / bytes_of(result);
    const double y = work_of(chart, result) / result_time(result) * 1e-9;

    if (isfinite(x) && isfinite(y) && x > 0 && y > 0)
        json_array_append_new(points,
                              json_pack("{s:s, s:i, s:f, s:f}", "step", result_text(result, "step"),
                                        "run", run, "x", x, "y", y));
}

/* What is not known is null. */
static json_t *roof_of(const struct chart *chart, int run)
{
    return json_pack("{s:o, s:o, s:o}", "memory", number_or_null(memory_roof(chart, run)), "work",
                     number_or_null(work_roof(chart, run)), "tensor",
                     number_or_null(tensor_roof(chart, run)));
}

json_t *roofline_chart(const json_t *const *results, int step_count, int run_count,
                       enum language language)
{
    struct chart chart = {.results = results, .step_count = step_count, .run_count = run_count};
    json_t *points = json_array(), *roofs = json_array();

    chart.flops = all_have_flops(&chart);
    for (int run = 0; run < run_count; run++) {
        json_array_append_new(roofs, roof_of(&chart, run));
        for (int step = 0; step < step_count; step++)
            add_point(&chart, run, step, points);
    }
    return json_pack(
        "{s:o, s:o, s:s, s:s, s:s}", "points", points, "roofs", roofs, "name",
        phrase_text(language, SAY_ROOFLINE), "right",
        phrase_text(language, chart.flops ? SAY_OPERATIONS_PER_BYTE : SAY_INSTRUCTIONS_PER_BYTE),
        "up", phrase_text(language, chart.flops ? SAY_GFLOPS : SAY_INSTRUCTIONS_PER_SECOND));
}

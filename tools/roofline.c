/* SPDX-License-Identifier: MIT */
#include "roofline.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "results.h"
#include "text.h"
#include "words.h"

enum { WIDTH = 720, HEIGHT = 400, LEFT = 64, RIGHT = 28, TOP = 14, BOTTOM = 48 };
enum { LETTER = 7, LINE = 12, MARK = 5, MAX_POINTS = 512 };

/* What counts as work: float operations where every step has them, else instructions of threads. */
struct chart {
    const json_t *const *results;
    int step_count, run_count;
    bool flops;
    double left, right, bottom, top; /* exponents of ten */
};

struct box {
    double x, y, width, height; /* from the upper left corner */
    double side; /* of a label: below 0 to the left of its point, above 0 to the right */
};

/* A step in one of the runs, and where it is drawn. */
struct point {
    const json_t *result;
    int run;
    double x, y;
};

/* --- Points ----------------------------------------------------------------------------------- */

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

/* Work a byte, and work a nanosecond; false where one is not known. */
static bool point_of(const struct chart *chart, const json_t *result, double *x, double *y)
{
    if (!result)
        return false;
    *x = work_of(chart, result) / bytes_of(result);
    *y = work_of(chart, result) / result_time(result) * 1e-9;
    return isfinite(*x) && isfinite(*y) && *x > 0 && *y > 0;
}

/* --- Roofs ------------------------------------------------------------------------------------ */

/* The peak at `path` of the run's device, or what follows from a share of it; NaN: not known. */
static double peak_of(const struct chart *chart, int run, const char *path, const char *rate,
                      const char *unit)
{
    for (int step = 0; step < chart->step_count; step++) {
        const json_t *result = result_at(chart, run, step);

        if (!result)
            continue;
        if (result_number(result, path) > 0)
            return result_number(result, path);
        if (!strcmp(result_text(result, "report.limit_unit"), unit) &&
            result_number(result, "report.share") > 0)
            return result_number(result, rate) / result_number(result, "report.share");
    }
    return NAN;
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

/* --- The chart -------------------------------------------------------------------------------- */

static bool all_have_flops(const struct chart *chart)
{
    for (int i = 0; i < chart->step_count * chart->run_count; i++)
        if (chart->results[i] && !isnan(result_time(chart->results[i])) &&
            !(result_number(chart->results[i], "report.flops") > 0))
            return false;
    return true;
}

static void widen(double *low, double *high, double value)
{
    if (!isfinite(value) || value <= 0)
        return;
    *low = fmin(*low, value);
    *high = fmax(*high, value);
}

/* Room for all points, and for the corner of each roof. False where there is no point. */
static bool set_ranges(struct chart *chart)
{
    double low_x = INFINITY, high_x = 0, low_y = INFINITY, high_y = 0, x, y;
    int points = 0;

    for (int run = 0; run < chart->run_count; run++) {
        const double memory = memory_roof(chart, run), work = work_roof(chart, run);

        for (int step = 0; step < chart->step_count; step++)
            if (point_of(chart, result_at(chart, run, step), &x, &y)) {
                widen(&low_x, &high_x, x);
                widen(&low_y, &high_y, y);
                points++;
            }
        widen(&low_x, &high_x, work / memory);
        widen(&low_y, &high_y, work);
    }
    chart->left = floor(log10(low_x) - 0.2);
    chart->right = ceil(log10(high_x) + 0.2);
    chart->bottom = floor(log10(low_y) - 0.1);
    chart->top = ceil(log10(high_y) + 0.1);
    return points > 0;
}

static double place_x(const struct chart *chart, double x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (log10(x) - chart->left) / (chart->right - chart->left);
}

static double place_y(const struct chart *chart, double y)
{
    return HEIGHT - BOTTOM -
           (HEIGHT - TOP - BOTTOM) * (log10(y) - chart->bottom) / (chart->top - chart->bottom);
}

/* What the axes are, in a language, of which the page's style shows one. */
static void print_names(const struct chart *chart, enum language language, FILE *file)
{
    const char *lang = language == LANGUAGE_CHINESE ? "zh-CN" : "en";

    html_print(
        file, "<text lang=\"%s\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", lang,
        (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8,
        phrase_text(language, chart->flops ? SAY_OPERATIONS_PER_BYTE : SAY_INSTRUCTIONS_PER_BYTE));
    html_print(file,
               "<text lang=\"%s\" transform=\"rotate(-90)\" x=\"%d\" y=\"14\" "
               "text-anchor=\"middle\">%s</text>\n",
               lang, -(TOP + HEIGHT - BOTTOM) / 2,
               phrase_text(language, chart->flops ? SAY_GFLOPS : SAY_INSTRUCTIONS_PER_SECOND));
}

static void print_axes(const struct chart *chart, FILE *file)
{
    for (int i = (int)chart->left; i <= (int)chart->right; i++) {
        const double x = place_x(chart, pow(10, i));

        fprintf(file,
                "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>"
                "<text class=\"dim\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
                x, TOP, x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 16, pow(10, i));
    }
    for (int i = (int)chart->bottom; i <= (int)chart->top; i++) {
        const double y = place_y(chart, pow(10, i));

        fprintf(file,
                "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>"
                "<text class=\"dim\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                LEFT, y, WIDTH - RIGHT, y, LEFT - 6, y + 4, pow(10, i));
    }
    for (int i = 0; i < LANGUAGE_COUNT; i++)
        print_names(chart, (enum language)i, file);
}

/* The slanted roof of the memory up to the flat one of arithmetic, where they are known. */
static void print_roof(const struct chart *chart, int run, FILE *file)
{
    const double memory = memory_roof(chart, run), work = work_roof(chart, run);
    const double left = pow(10, chart->left), right = pow(10, chart->right);
    const double floor_y = pow(10, chart->bottom);
    double corner;

    if (isnan(memory) && isnan(work))
        return;
    fprintf(file, "<polyline class=\"roof l%d\" points=\"", run);
    corner = isnan(work) ? right : isnan(memory) ? left : work / memory;
    if (!isnan(memory)) {
        const double from = fmax(left, floor_y / memory);

        fprintf(file, "%.1f,%.1f ", place_x(chart, from), place_y(chart, memory * from));
        corner = fmin(corner, pow(10, chart->top) / memory);
        fprintf(file, "%.1f,%.1f ", place_x(chart, corner), place_y(chart, memory * corner));
    } else {
        fprintf(file, "%.1f,%.1f ", place_x(chart, left), place_y(chart, work));
    }
    if (!isnan(work))
        fprintf(file, "%.1f,%.1f", place_x(chart, right), place_y(chart, work));
    fputs("\"/>\n", file);
}

/* A shape of its own for each run, so that colour is not needed. */
static void print_mark(double x, double y, int run, FILE *file)
{
    switch (run % 4) {
    case 0:
        fprintf(file, "<circle class=\"p%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"/>", run, x, y);
        return;
    case 1:
        fprintf(file, "<rect class=\"p%d\" x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"8\"/>", run,
                x - 4, y - 4);
        return;
    default:
        fprintf(file, "<polygon class=\"p%d\" points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f%s\"/>", run, x,
                y - 5.5, x + 5.5, y + 4, x - 5.5, y + 4, "");
    }
}

static bool overlap(const struct box *a, const struct box *b)
{
    return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
           b->y < a->y + a->height;
}

/* Within the chart, and clear of labels and marks? */
static bool is_free(const struct box *box, const struct box *taken, int count)
{
    if (box->x < LEFT || box->x + box->width > WIDTH - 2 || box->y < TOP ||
        box->y + box->height > HEIGHT - BOTTOM)
        return false;
    for (int i = 0; i < count; i++)
        if (overlap(box, &taken[i]))
            return false;
    return true;
}

/* The nearest free place for the label of a point, around it in circles. False: there is none. */
static bool place_label(const struct point *point, double width, const struct box *taken, int count,
                        struct box *box)
{
    static const double directions[][2] = {{1, 0},     {-1, 0},     {0.7, -0.7}, {-0.7, -0.7},
                                           {0.7, 0.7}, {-0.7, 0.7}, {0, -1},     {0, 1}};

    for (int distance = MARK + 3; distance < 90; distance += 6)
        for (size_t i = 0; i < sizeof(directions) / sizeof(directions[0]); i++) {
            const double x = point->x + directions[i][0] * distance;
            const double y = point->y + directions[i][1] * distance;

            *box = (struct box){x - width * (1 - directions[i][0]) / 2, y - LINE / 2.0, width, LINE,
                                directions[i][0]};
            if (is_free(box, taken, count))
                return true;
        }
    return false;
}

/* "v3" of v3_coalesced. */
static char *short_name(const char *step)
{
    const size_t length = strcspn(step, "_");

    return !strncmp(step, "library_", 8) ? copy_text(step + 8)
                                         : text_format("%.*s", (int)length, step);
}

/* The points of the chart; their number. */
static int find_points(const struct chart *chart, struct point points[MAX_POINTS])
{
    int count = 0;

    for (int i = 0; i < chart->step_count * chart->run_count && count < MAX_POINTS; i++) {
        double x, y;

        if (point_of(chart, chart->results[i], &x, &y))
            points[count++] = (struct point){chart->results[i], i / chart->step_count,
                                             place_x(chart, x), place_y(chart, y)};
    }
    return count;
}

/* A label keeps its end that is nearer to the point, however wide its letters are. */
static void print_label_start(const struct point *point, const struct box *box, FILE *file)
{
    const double x = box->side > 0   ? box->x + 1
                     : box->side < 0 ? box->x + box->width - 1
                                     : box->x + box->width / 2;

    fprintf(file, "<text class=\"p%d\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", point->run, x,
            box->y + LINE - 2,
            box->side > 0   ? "start"
            : box->side < 0 ? "end"
                            : "middle");
}

/* A mark with its label, which takes its place; a line between the two where they are apart. */
static void print_point(const struct point *point, struct box *taken, int *count, FILE *file)
{
    char *name = short_name(result_text(point->result, "step"));
    const double width = LETTER * text_width(name) + 2;
    struct box box;

    html_print(file, "<g><title>%s</title>", result_text(point->result, "step"));
    print_mark(point->x, point->y, point->run, file);
    if (place_label(point, width, taken, *count, &box)) {
        const double near_x = fmin(fmax(point->x, box.x), box.x + width);
        const double near_y = fmin(fmax(point->y, box.y), box.y + LINE);

        if (hypot(near_x - point->x, near_y - point->y) > 2 * MARK + 2)
            fprintf(file, "<line class=\"lead\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
                    point->x, point->y, near_x, near_y);
        print_label_start(point, &box, file);
        html_print(file, "%s</text>", name);
        taken[(*count)++] = box;
    }
    fputs("</g>\n", file);
    free(name);
}

static void print_points(const struct chart *chart, FILE *file)
{
    struct point points[MAX_POINTS];
    struct box taken[2 * MAX_POINTS];
    const int count = find_points(chart, points);
    int taken_count = 0;

    for (int i = 0; i < count; i++)
        taken[taken_count++] =
            (struct box){points[i].x - MARK, points[i].y - MARK, 2 * MARK, 2 * MARK, 0};
    for (int i = 0; i < count; i++)
        print_point(&points[i], taken, &taken_count, file);
}

void roofline_print(const json_t *const *results, int step_count, int run_count, FILE *file)
{
    struct chart chart = {.results = results, .step_count = step_count, .run_count = run_count};

    chart.flops = all_have_flops(&chart);
    if (!set_ranges(&chart))
        return;
    fprintf(file,
            "<figure>\n<div class=\"wide\" tabindex=\"0\"><svg class=\"roofline\" viewBox=\"0 0 %d "
            "%d\" role=\"img\" "
            "aria-label=\"roofline\">\n",
            WIDTH, HEIGHT);
    print_axes(&chart, file);
    for (int run = 0; run < run_count; run++)
        print_roof(&chart, run, file);
    print_points(&chart, file);
    html_print(file,
               "</svg></div>\n<figcaption><span lang=\"en\">%s</span>"
               "<span lang=\"zh-CN\">%s</span></figcaption>\n</figure>\n",
               phrase_text(LANGUAGE_ENGLISH, SAY_ROOFLINE),
               phrase_text(LANGUAGE_CHINESE, SAY_ROOFLINE));
}

/* SPDX-License-Identifier: MIT */
#include "ladder_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results.h"
#include "text.h"

char *ladder_percent(double share)
{
    char *number =
        share < 0.1 ? text_format("%.2g", 100 * share) : text_format("%.1f", 100 * share);
    char *text = isnan(share) ? copy_text("-") : text_format("%s %%", number);

    free(number);
    return text;
}

char *ladder_rate(const json_t *result)
{
    const bool arithmetic = !strcmp(result_text(result, "report.limit_unit"), "GFLOP/s");
    double rate = result_number(result, arithmetic ? "report.gflops" : "report.gbs");
    const char *unit = arithmetic ? "GFLOP/s" : "GB/s";
    char *number, *text;

    if (isnan(rate)) {
        rate = result_number(result, "report.gflops");
        unit = "GFLOP/s";
    }
    if (isnan(rate))
        return copy_text("-");
    number = text_number(rate);
    text = text_format("%s %s", number, unit);
    free(number);
    return text;
}

char *ladder_time(const json_t *result)
{
    if (!result)
        return copy_text("-");
    return result_outcome(result) == OUTCOME_MATCH ? text_time(result_time(result))
                                                   : copy_text(result_text(result, "outcome"));
}

char *ladder_device(const json_t *result, enum language language)
{
    const char *name = result_text(result, "report.device.name");

    if (!*name)
        return NULL;
    if (!*result_text(result, "report.device.driver")) /* one's own program names none */
        return copy_text(name);
    return say(language, SAY_DEVICE, name, result_text(result, "report.device.driver"),
               result_text(result, "report.device.toolkit"));
}

const char *ladder_article(const json_t *result, const char *key)
{
    const char *figure = result_text(result, key);

    return *figure ? figure : phrase_text(LANGUAGE_ENGLISH, SAY_VARIANT_NOT_IN_IT);
}

bool ladder_has_figure(const json_t *result, const char *key)
{
    const char *figure = result_text(result, key);

    return *figure && strcmp(figure, phrase_text(LANGUAGE_ENGLISH, SAY_VARIANT_NO_FIGURE)) != 0;
}

void ladder_print_parts(char *text, FILE *file, const struct style *style)
{
    int column = 0;

    for (char *part = strtok(text, ","); part; part = strtok(NULL, ",")) {
        const int width = text_width(part) + 1; /* a comma may follow */

        if (column > 0) {
            fputc(',', file);
            if (!style->markdown && style->width > 0 && column + width > style->width) {
                fputc('\n', file);
                part += *part == ' ';
                column = 0;
            }
        }
        fputs(part, file);
        column += width;
    }
    fputc('\n', file);
}

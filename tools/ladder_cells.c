/* SPDX-License-Identifier: MIT */
#include "ladder_cells.h"

#include <math.h>
#include <string.h>

#include "results.h"
#include "text.h"

char *ladder_percent(double share)
{
    return isnan(share) ? copy_text("-")
                        : text_format(share < 0.1 ? "%.2g %%" : "%.1f %%", 100 * share);
}

char *ladder_share(const json_t *result)
{
    const double share = result_number(result, "report.share");

    return text_format("%s%s", ladder_percent(share), share > 1 ? " (!)" : "");
}

char *ladder_whole(const json_t *result)
{
    return text_time(result_number(result, "report.total_ms") * 1e-3);
}

char *ladder_rate(const json_t *result)
{
    const double gbs = result_number(result, "report.gbs");
    const double gflops = result_number(result, "report.gflops");
    const bool arithmetic = !strcmp(result_text(result, "report.limit_unit"), "GFLOP/s");

    if (!arithmetic && !isnan(gbs))
        return text_format("%s GB/s", text_number(gbs));
    return isnan(gflops) ? copy_text("-") : text_format("%s GFLOP/s", text_number(gflops));
}

char *ladder_time(const json_t *result)
{
    if (!result)
        return copy_text("-");
    return result_is_good(result) ? text_time(result_time(result))
                                  : copy_text(result_text(result, "outcome"));
}

char *ladder_device(const json_t *result, enum language language)
{
    const char *name = text_in(language, result_text(result, "report.device.name"));

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

/* The bytes of the first part of `text`: up to its comma, if it has one. */
static size_t part_length(const char *text)
{
    static const char comma[] = "，";
    const char *latin = strstr(text, ", "), *chinese = strstr(text, comma);

    if (chinese && (!latin || chinese < latin))
        return (size_t)(chinese - text) + strlen(comma);
    return latin ? (size_t)(latin - text) + 1 : strlen(text);
}

void ladder_print_parts(const char *text, FILE *file, const struct style *style)
{
    int column = 0;

    for (size_t length; *text; text += length) {
        length = part_length(text);
        const int width = text_width(text_format("%.*s", (int)length, text));
        if (column > 0 && !style->markdown && style->width > 0 && column + width > style->width) {
            fputc('\n', file);
            length -= *text == ' ';
            text += *text == ' ';
            column = 0;
        }
        fwrite(text, 1, length, file);
        column += width;
    }
    fputc('\n', file);
}

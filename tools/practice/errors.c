/* SPDX-License-Identifier: MIT */
/* A compiler's errors on a screen from which the first must not scroll away. */
#include "practice.h"

#include <ctype.h>
#include <string.h>

#include "text.h"

/* What else is on the screen: two lines in front, two behind, and the one that it ends with. */
enum { OTHER_LINES = 5 };

/* "x.cu(7): error: ...", "x.cu:7:3: fatal error: ...", "x.cu:7: undefined reference to ..." */
static bool begins_error(const char *line)
{
    static const char *const marks[] = {": error", ": fatal error", ": catastrophic error",
                                        ": undefined reference to "};

    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        const char *at = strstr(line, marks[i]);
        if (at && at > line && (at[-1] == ')' || isdigit((unsigned char)at[-1])))
            return true;
    }
    return false;
}

static int count_errors(char **lines)
{
    int count = 0;

    for (; *lines; lines++)
        count += begins_error(*lines);
    return count;
}

/* The lines that `lines` takes on the screen, up to `end`. */
static int rows_of(char **lines, char **end, const struct style *style)
{
    int rows = 0;

    for (; lines < end; lines++) {
        const int width = text_width(*lines);
        rows += style->width > 0 && width > 0 ? (width - 1) / style->width + 1 : 1;
    }
    return rows;
}

/* Behind the error that begins at `line`: the next one, a warning, or the line that counts them. */
static char **end_of_error(char **line)
{
    for (line++; *line && !begins_error(*line) && !strstr(*line, ": warning") &&
                 !strstr(*line, " detected in the compilation of ");
         line++)
        ;
    return line;
}

/* `text` and the lines up to `end`, as many as have room in `*rows`. Returns whether all had. */
static bool add_lines(char **text, char **lines, char **end, int *rows, const struct style *style)
{
    for (; lines < end; lines++) {
        const int taken = rows_of(lines, lines + 1, style);
        if (taken > *rows)
            return false;
        *rows -= taken;
        *text = text_format("%s%s\n", *text, *lines);
    }
    return true;
}

char *errors_shown(const struct practice *practice, const char *text)
{
    const struct style *style = &practice->style;
    char **const lines = text_lines(text), **line = lines, **end = lines;
    char *shown = copy_text("");
    int rows = style->rows - OTHER_LINES, told = 0;
    bool whole = true;

    while (*end)
        end++;
    if (!practice->watched || style->rows <= 0 || rows_of(lines, end, style) <= rows ||
        !count_errors(lines))
        return copy_text(text);
    rows--; /* for the last line */
    for (; *line && whole; line = end) {
        end = end_of_error(line);
        if (!begins_error(*line))
            continue;
        whole = rows_of(line, end, style) <= rows;
        if (!whole && told)
            break;
        add_lines(&shown, line, end, &rows, style);
        told++;
    }
    const int more = count_errors(lines) - told;
    return text_format("%s%s\n", shown,
                       text_in(style->language, more == 1  ? "and 1 more error"
                                                : more > 1 ? text_format("and %d more errors", more)
                                                           : "and what belongs to it"));
}

/* SPDX-License-Identifier: MIT */
/* What a kernel has left in its arrays, and a picture of what is wrong there. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "text.h"

enum { MOST_AROUND = 3, LABEL = 10, SCREEN = 78 };

static const void *host(uint64_t address)
{
    return (const void *)address; /* NOLINT(performance-no-int-to-ptr) */
}

static const struct array *must_find(const struct run *run, buffer address, size_t count,
                                     size_t size)
{
    const struct array *array = run_array((struct run *)run, address);

    if (!array || array->address != address || array->element != size || array->size < count * size)
        run_broken(run, "compares what is no array of %zu elements of %zu bytes", count, size);
    return array;
}

/* "out[5]", or "out[45], row 1, column 5,". */
static char *element(const struct array *array, size_t index)
{
    return array->row ? text_format("%s[%zu], row %zu, column %zu,", array->name, index,
                                    index / array->row, index % array->row)
                      : text_format("%s[%zu]", array->name, index);
}

/* Ends with "out[5] is WHAT", who wrote it, and `more`. */
__attribute__((noreturn)) static void wrong(const struct run *run, const struct array *array,
                                            size_t index, const char *what, const char *more)
{
    run_stop(run, VERDICT_RESULT,
             text_format("%s %s: %s\n%s", element(array, index), what,
                         run_writer(run, &array->writers[index]), more));
}

void trial_rows(struct trial *trial, buffer address, size_t row)
{
    run_array((struct run *)trial, address)->row = row;
}

/* --- Comparisons ------------------------------------------------------------------------------ */

enum kind { INTS, LONGS, FLOATS };

struct comparison {
    const struct array *array;
    enum kind kind;
    const void *found, *expected;
    size_t count;
    double tolerance; /* of floats */
};

static int64_t whole(enum kind kind, const void *values, size_t i)
{
    return kind == INTS ? ((const int *)values)[i] : ((const int64_t *)values)[i];
}

static bool is_wrong(const struct comparison *all, size_t i)
{
    if (all->kind != FLOATS)
        return whole(all->kind, all->found, i) != whole(all->kind, all->expected, i);
    return !(fabs((double)((const float *)all->found)[i] -
                  (double)((const float *)all->expected)[i]) <= all->tolerance); /* NaN too */
}

static bool is_missing(const struct comparison *all, size_t i)
{
    return all->array->poisoned && !all->array->writers[i].instr;
}

static char *value_text(enum kind kind, const void *values, size_t i)
{
    return kind == FLOATS ? text_format("%.9g", (double)((const float *)values)[i])
                          : text_format("%" PRId64, whole(kind, values, i));
}

/* What a row of the picture has below element i. */
enum line { INDEX, DUE, FOUND, LINES };

static char *cell(const struct comparison *all, enum line line, size_t i)
{
    const size_t row = all->array->row;

    if (line == INDEX)
        return text_format("%zu", row ? i % row : i);
    if (line == FOUND && is_missing(all, i))
        return copy_text("-");
    return value_text(all->kind, line == DUE ? all->expected : all->found, i);
}

/* The columns that elements from `first` to `last` take, two blanks before each. */
static int widest(const struct comparison *all, size_t first, size_t last)
{
    size_t width = 0;

    for (size_t i = first; i <= last; i++) {
        for (int line = INDEX; line < LINES; line++) {
            const size_t length = strlen(cell(all, (enum line)line, i));
            width = length > width ? length : width;
        }
    }
    return (int)width + 2;
}

/* What should be around element `index`, and what is. */
static char *draw(const struct comparison *all, size_t index)
{
    const char *const labels[] = {all->array->row ? "column" : "index", "expected", "found"};
    const size_t begin = all->array->row ? index / all->array->row * all->array->row : 0;
    const size_t end = all->array->row && begin + all->array->row < all->count
                           ? begin + all->array->row
                           : all->count;
    size_t first = index, last = index;
    char *text;
    FILE *file = text_open(&text);

    for (size_t around = 1; around <= MOST_AROUND; around++) {
        const size_t from = index - begin > around ? index - around : begin;
        const size_t to = index + around < end ? index + around : end - 1;
        if (LABEL + widest(all, from, to) * (int)(to - from + 1) > SCREEN)
            break;
        first = from, last = to;
    }
    const int width = widest(all, first, last);
    for (int line = INDEX; line < LINES; line++) {
        fprintf(file, "  %-*s", LABEL - 2, labels[line]);
        for (size_t i = first; i <= last; i++)
            fprintf(file, "%*s", width, cell(all, (enum line)line, i));
        fputc('\n', file);
    }
    fprintf(file, "%*s\n", LABEL + width * (int)(index - first + 1), "^");
    fclose(file);
    return text;
}

/* Ends with the first element that is wrong, if there is one. */
static void compare(const struct run *run, const struct comparison *all)
{
    size_t i = 0;

    while (i < all->count && !is_wrong(all, i))
        i++;
    if (i == all->count)
        return;
    char *due = value_text(all->kind, all->expected, i), *picture = draw(all, i);
    if (is_missing(all, i))
        run_stop(run, VERDICT_RESULT,
                 text_format("%s was never written; it should be %s\n%s", element(all->array, i),
                             due, picture));
    wrong(run, all->array, i,
          text_format("is %s, not %s", value_text(all->kind, all->found, i), due), picture);
}

static void expect(struct trial *trial, buffer address, enum kind kind, const void *expected,
                   size_t count, double tolerance)
{
    static const size_t sizes[] = {sizeof(int), sizeof(int64_t), sizeof(float)};
    const struct run *run = (const struct run *)trial;

    compare(run, &(struct comparison){must_find(run, address, count, sizes[kind]), kind,
                                      host(address), expected, count, tolerance});
}

void expect_ints(struct trial *trial, buffer address, const int *expected, size_t count)
{
    expect(trial, address, INTS, expected, count, 0);
}

void expect_longs(struct trial *trial, buffer address, const int64_t *expected, size_t count)
{
    expect(trial, address, LONGS, expected, count, 0);
}

void expect_floats(struct trial *trial, buffer address, const float *expected, size_t count,
                   double tolerance)
{
    expect(trial, address, FLOATS, expected, count, tolerance);
}

void trial_read(struct trial *trial, buffer address, void *to, size_t count, size_t size)
{
    const struct array *array = must_find((struct run *)trial, address, count, size);

    memcpy(to, host(array->address), count * size);
}

void trial_wrong(struct trial *trial, buffer address, size_t index, const char *format, ...)
{
    const struct run *run = (struct run *)trial;
    const struct array *array = run_array((struct run *)run, address);
    char text[ERROR_SIZE];
    va_list arguments;

    if (!array || index >= array->size / array->element)
        run_broken(run, "blames an element that is not there");
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    wrong(run, array, index, text, "");
}

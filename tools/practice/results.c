/* SPDX-License-Identifier: MIT */
/* What a kernel has left in its arrays, and a picture of what is wrong there. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "inputs.h"
#include "run.h"
#include "text.h"

enum { MOST_AROUND = 3, LABEL = 10, SCREEN = 78 };

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

struct comparison {
    const struct array *array;
    enum element kind;
    const void *found, *expected;
    size_t count;
};

static bool is_missing(const struct comparison *all, size_t i)
{
    return all->array->poisoned && !all->array->writers[i].instr;
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
    return element_text(all->kind, line == DUE ? all->expected : all->found, i);
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

void trial_expect(struct trial *trial, buffer address, enum element kind, const void *expected,
                  size_t count, double tolerance)
{
    const struct run *run = (const struct run *)trial;
    const struct comparison all = {must_find(run, address, count, element_sizes[kind]), kind,
                                   memory_host(run->machine, address), expected, count};
    size_t i = 0;

    while (i < count && !element_differs(kind, all.found, expected, i, tolerance))
        i++;
    if (i == count)
        return;
    const char *due = element_text(kind, expected, i), *found = element_text(kind, all.found, i);
    if (is_missing(&all, i))
        run_stop(run, VERDICT_RESULT,
                 text_format("%s was never written; it should be %s\n%s", element(all.array, i),
                             due, draw(&all, i)));
    wrong(run, all.array, i, text_format("is %s, not %s", found, due), draw(&all, i));
}

void trial_read(struct trial *trial, buffer address, void *to, size_t count, size_t size)
{
    const struct run *run = (const struct run *)trial;
    const struct array *array = must_find(run, address, count, size);

    memcpy(to, memory_host(run->machine, array->address), count * size);
}

void trial_wrong(struct trial *trial, buffer address, size_t index, const char *format, ...)
{
    const struct run *run = (struct run *)trial;
    const struct array *array = run_array((struct run *)run, address);
    va_list arguments;

    if (!array || index >= array->size / array->element)
        run_broken(run, "blames an element that is not there");
    va_start(arguments, format);
    wrong(run, array, index, text_vformat(format, arguments), "");
}

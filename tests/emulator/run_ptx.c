/* SPDX-License-Identifier: MIT */
/* run_ptx FILE: run one .ptx test and compare, see expect.h.
 *
 * Exit codes: 0 as expected, 1 not so, 2 the test itself cannot be used, 77 no device for it.
 */
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

enum { MATCH, MISMATCH, UNUSABLE, MAX_REPORTS = 16 };

static const char *path;

static char *read_file(void)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;

    if (!file)
        return NULL;
    if (getdelim(&text, &room, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

static void report(const struct array *array, size_t i, const void *memory)
{
    const size_t size = ptx_type_size(array->type);
    const int digits = 2 * (int)size;
    const struct value *value = &array->values[i];
    const uint64_t mask = ~UINT64_C(0) >> (64 - 8 * size);
    uint64_t got = 0;

    memcpy(&got, (const uint8_t *)memory + i * size, size);
    fprintf(stderr, "%s:%d: element %zu: expected ", path, array->line, i);
    if (value->kind == VALUE_NAN)
        fputs("nan", stderr);
    else
        fprintf(stderr, "0x%0*" PRIx64, digits, value->bits & mask);
    fprintf(stderr, ", got 0x%0*" PRIx64, digits, got);
    if (expect_is_float(array->type))
        fprintf(stderr, " (%.9g, %.9g)", value->real, expect_real(array->type, got));
    fputc('\n', stderr);
}

/* Compare what the kernel left with what was expected, and print the first differences. */
static int compare(const struct expectation *expectation, const uint8_t *out)
{
    int differences = 0;

    for (size_t i = 0; i < expectation->array_count; i++) {
        const struct array *array = &expectation->arrays[i];
        const uint8_t *memory = out + array->offset;

        for (size_t j = 0; array->role == ROLE_OUT && j < array->count; j++)
            if (!expect_matches(array, j, memory) && differences++ < MAX_REPORTS)
                report(array, j, memory);
    }
    if (differences > MAX_REPORTS)
        fprintf(stderr, "%s: %d differences in all\n", path, differences);
    return differences ? MISMATCH : MATCH;
}

/* Something failed and said why: as it should? */
static int judge_error(const struct expectation *expectation, const struct outcome *outcome)
{
    regex_t regex;
    int unlike;

    if (expectation->error != outcome->failed) {
        fprintf(stderr, "%s: %s fails, expected %s to: %s\n", path, stage_names[outcome->failed],
                stage_names[expectation->error], outcome->message);
        return MISMATCH;
    }
    if (regcomp(&regex, expectation->pattern, REG_EXTENDED | REG_NOSUB) != 0) {
        fprintf(stderr, "%s: bad regular expression \"%s\"\n", path, expectation->pattern);
        return UNUSABLE;
    }
    unlike = regexec(&regex, outcome->message, 0, NULL, 0);
    regfree(&regex);
    if (unlike)
        fprintf(stderr, "%s: expected an error like \"%s\", got: %s\n", path, expectation->pattern,
                outcome->message);
    return unlike ? MISMATCH : MATCH;
}

static int judge(const struct expectation *expectation, const struct outcome *outcome)
{
    if (outcome->failed)
        return judge_error(expectation, outcome);
    if (expectation->error) {
        fprintf(stderr, "%s: nothing fails, expected %s to, like \"%s\"\n", path,
                stage_names[expectation->error], expectation->pattern);
        return MISMATCH;
    }
    return compare(expectation, outcome->out);
}

static int run_every_way(const char *text, const struct expectation *expectation)
{
    for (int way = 0; device_ways[way]; way++) {
        struct outcome outcome;
        int result = device_run(text, expectation, way, &outcome);

        if (result == 0)
            result = judge(expectation, &outcome);
        free(outcome.out);
        if (result != MATCH) {
            fprintf(stderr, "%s: when run %s\n", path, device_ways[way]);
            return result;
        }
    }
    return MATCH;
}

int main(int argc, char **argv)
{
    struct expectation expectation;
    char error[256];
    char *text;
    int result = UNUSABLE;

    if (argc != 2) {
        fprintf(stderr, "usage: %s FILE\n", argv[0]);
        return UNUSABLE;
    }
    path = argv[1];
    text = read_file();
    if (!text) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return UNUSABLE;
    }
    if (expect_read(text, &expectation, error))
        result = run_every_way(text, &expectation);
    else
        fprintf(stderr, "%s: %s\n", path, error);
    expect_free(&expectation);
    free(text);
    return result;
}

/* SPDX-License-Identifier: MIT */
#include "results.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "profile/names.h"
#include "text.h"
#include "words.h"

static const char *const outcome_names[OUTCOME_COUNT] = {
    [OUTCOME_MATCH] = "match",     [OUTCOME_MISMATCH] = "mismatch", [OUTCOME_CRASH] = "crash",
    [OUTCOME_TIMEOUT] = "timeout", [OUTCOME_FAILED] = "failed",     [OUTCOME_GARBLED] = "garbled",
    [OUTCOME_REFUSED] = "refused", [OUTCOME_SKIPPED] = "skipped",   [OUTCOME_WRONG] = "wrong",
    [OUTCOME_SAMPLED] = "sampled",
};

const struct ratio result_ratios[RATIO_COUNT] = {
    [RATIO_LANES] = {ACTIVE_LANES_NAME, {"thread_instructions"}, {"warp_instructions"}},
    [RATIO_SECTORS_LOAD] = {SECTORS_LOAD_NAME, {"global_load_sectors"}, {"global_loads"}},
    [RATIO_SECTORS_STORE] = {SECTORS_STORE_NAME, {"global_store_sectors"}, {"global_stores"}},
    [RATIO_WAVEFRONTS] = {WAVEFRONTS_NAME,
                          {"shared_wavefronts"},
                          {"shared_loads", "shared_stores", "shared_atomics"}},
};

const char *outcome_name(enum outcome outcome)
{
    return outcome_names[outcome];
}

bool outcome_is_good(enum outcome outcome)
{
    return outcome == OUTCOME_MATCH || outcome == OUTCOME_SAMPLED;
}

bool outcome_is_failure(enum outcome outcome)
{
    return !outcome_is_good(outcome) && outcome != OUTCOME_REFUSED && outcome != OUTCOME_SKIPPED &&
           outcome != OUTCOME_WRONG;
}

static json_t *number_or_null(int64_t number)
{
    return number < 0 ? json_null() : json_integer(number);
}

json_t *results_new(const char *on, int64_t n, int64_t runs)
{
    return json_pack("{s:i, s:s, s:o, s:o, s:[]}", "format", RESULTS_FORMAT, "on", on, "n",
                     number_or_null(n), "runs", number_or_null(runs), "steps");
}

/* Each step needs a name of its own for the comparison; the rest may be missing. */
static bool are_results(const json_t *results)
{
    const json_t *steps = json_object_get(results, "steps"), *step;
    size_t i;

    const json_int_t format = json_integer_value(json_object_get(results, "format"));

    if (format < RESULTS_OLDEST || format > RESULTS_FORMAT || !json_is_array(steps))
        return false;
    json_array_foreach(steps, i, step)
        if (!json_is_string(json_object_get(step, "chapter")) ||
            !json_is_string(json_object_get(step, "step")))
            return false;
    return true;
}

json_t *results_read(const char *path)
{
    json_error_t error;
    json_t *results = json_load_file(path, 0, &error);

    if (results && are_results(results))
        return results;
    complain("%s is not a file that --json wrote%s%s", path, results ? "" : ": ",
             results ? "" : error.text);
    return NULL;
}

bool results_replace_file(const char *path, const char *text)
{
    struct stat status; /* a link, a pipe and a device stay what they are */
    const bool replace = lstat(path, &status) != 0 || S_ISREG(status.st_mode);
    char *temporary = text_format("%s.%ld.tmp", path, (long)getpid());
    bool ok = file_write(replace ? temporary : path, text);

    if (ok && replace)
        ok = rename(temporary, path) == 0;
    if (!ok) {
        complain("cannot write %s: %s", path, strerror(errno));
        if (replace)
            unlink(temporary);
    }
    return ok;
}

bool results_write(const json_t *results, const char *path)
{
    char *json = json_dumps(results, JSON_INDENT(1) | JSON_REAL_PRECISION(15));

    return results_replace_file(path, text_format("%s\n", json ? json : ""));
}

json_t *results_find(const json_t *results, const char *chapter, const char *step)
{
    json_t *result;
    size_t i;

    json_array_foreach(json_object_get(results, "steps"), i, result)
        if (!strcmp(result_text(result, "chapter"), chapter) &&
            !strcmp(result_text(result, "step"), step))
            return result;
    return NULL;
}

static const json_t *at(const json_t *value, const char *path)
{
    char key[64];

    while (value && *path) {
        const size_t length = strcspn(path, ".");

        snprintf(key, sizeof(key), "%.*s", (int)length, path);
        value = json_object_get(value, key);
        path += length + (path[length] == '.');
    }
    return value;
}

double result_number(const json_t *result, const char *path)
{
    const json_t *value = at(result, path);
    char *end;
    double number;

    if (json_is_number(value))
        return json_number_value(value);
    if (!json_is_string(value))
        return NAN;
    number = strtod(json_string_value(value), &end);
    return *end || end == json_string_value(value) ? NAN : number;
}

const char *result_text(const json_t *result, const char *path)
{
    const char *text = json_string_value(at(result, path));

    return text ? text : "";
}

enum outcome result_outcome(const json_t *result)
{
    for (int i = 0; i < OUTCOME_COUNT; i++)
        if (!strcmp(result_text(result, "outcome"), outcome_names[i]))
            return (enum outcome)i;
    return OUTCOME_GARBLED;
}

bool result_is_good(const json_t *result)
{
    return outcome_is_good(result_outcome(result));
}

double result_time(const json_t *result)
{
    const double ms = result_number(result, "report.ms.median");

    return result_is_good(result) && ms > 0 ? ms * 1e-3 : NAN;
}

bool result_modelled(const json_t *result)
{
    return json_is_true(at(result, "report.device.modelled"));
}

const char *result_problem(const json_t *result)
{
    return result_text(result, "report.problem");
}

bool result_same_problem(const json_t *a, const json_t *b)
{
    return !strcmp(result_problem(a), result_problem(b));
}

double result_counter(const json_t *result, const char *key)
{
    const json_t *kernels = json_object_get(result, "kernels"), *kernel;
    const double runs = result_number(result, "report.runs");
    double sum = 0;
    size_t i;

    if (json_array_size(kernels) == 0)
        return NAN;
    json_array_foreach(kernels, i, kernel)
        sum += json_number_value(json_object_get(kernel, key));
    return runs > 1 ? sum / runs : sum;
}

double result_sum(const json_t *result, const char *const keys[3])
{
    double sum = 0;

    for (int i = 0; i < 3 && keys[i]; i++)
        sum += result_counter(result, keys[i]);
    return sum;
}

bool result_moves_lines(const json_t *result)
{
    return result_counter(result, "global_transactions") == result_counter(result, "global_lines");
}

const json_t *result_main_kernel(const json_t *result)
{
    const json_t *kernels = json_object_get(result, "kernels"), *kernel, *main = NULL;
    size_t i;

    json_array_foreach(kernels, i, kernel)
        if (!main || result_number(kernel, "modelled_ms") > result_number(main, "modelled_ms"))
            main = kernel;
    return main;
}

const char *result_bound(const json_t *result)
{
    return result_text(result_main_kernel(result), "bound_by");
}

char *result_advice(const json_t *result, enum language language)
{
    const json_t *kernel = result_main_kernel(result);
    const char *bound = word_for_limit(language, result_bound(result));
    const char *name = result_text(kernel, "name"), *needs = result_text(kernel, "tenth.needs");

    if (!*bound || !(result_number(kernel, "modelled_ms") > 0))
        return NULL;
    return *needs ? text_format("to try next: %s is bound by %s: %s; 10 %% less time needs %s",
                                name, bound, result_text(kernel, "try_next"), needs)
                  : text_format("to try next: %s is bound by %s: %s", name, bound,
                                result_text(kernel, "try_next"));
}

double result_occupancy(const json_t *result)
{
    return *result_bound(result) ? result_number(result_main_kernel(result), "occupancy")
                                 : (double)NAN;
}

const char *counter_name(const char *key)
{
    static const struct {
        const char *key, *name;
    } counters[] = {
#define X(id, key, name, metric) {key, name},
        PROFILE_COUNTERS(X)
#undef X
    };

    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
        if (!strcmp(counters[i].key, key))
            return counters[i].name + strspn(counters[i].name, " ");
    return key;
}

double result_shared_requests(const json_t *result)
{
    static const char *const keys[3] = {"shared_loads", "shared_stores", "shared_atomics"};

    return result_sum(result, keys);
}

double result_ratio(const json_t *result, const struct ratio *ratio)
{
    const double under = result_sum(result, ratio->under);

    return under > 0 ? result_sum(result, ratio->over) / under : NAN;
}

/* SPDX-License-Identifier: MIT */
/* trace_records EMU GPU all|some PROGRAM [ARGUMENT...]: what a trace holds, against the profile of
 * the same run, and record by record against the rules of the GPU. With `all` the first kernel is
 * in the sample as a whole, and its records add up to the totals.
 */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "../../cmocka_main.h"
#include "../../temporary.h"
#include "gpus/passes.h"

enum { MOST_ARGUMENTS = 32 };

extern char **environ;

static char **command; /* EMU GPU all|some PROGRAM ... */
static struct gpu gpu;
static json_t *page, *events, *profile;

static char *read_all(const char *path)
{
    enum { MOST = 8 << 20 };
    FILE *file = fopen(path, "r");
    char *text = calloc(MOST, 1);

    assert_non_null(file);
    assert_non_null(text);
    assert_in_range(fread(text, 1, MOST - 1, file), 1, MOST - 2);
    fclose(file);
    return text;
}

static void run(const char *trace, const char *file)
{
    char option[TEMPORARY_PATH + 16], profiles[TEMPORARY_PATH + 16];
    char *arguments[MOST_ARGUMENTS] = {command[0], "--gpu", command[1], option, profiles};
    int count = 5, status;
    pid_t child;

    snprintf(option, sizeof(option), "--trace=%s", trace);
    snprintf(profiles, sizeof(profiles), "--profile=json:%s", file);
    for (int i = 3; command[i] && count + 1 < MOST_ARGUMENTS; i++)
        arguments[count++] = command[i];
    assert_int_equal(posix_spawn(&child, command[0], NULL, NULL, arguments, environ), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* The JSON inside the page, which HTML can take for nothing else. */
static json_t *data_of(char *text)
{
    static const char begin[] = "<script id=\"data\" type=\"application/json\">";
    json_error_t error;
    char *data = strstr(text, begin);

    assert_non_null(data);
    data += strlen(begin);
    char *end = strstr(data, "</script>");
    assert_non_null(end);
    *end = '\0';
    assert_null(strpbrk(data, "<>&"));
    json_t *value = json_loads(data, 0, &error);
    if (!value)
        fail_msg("%s at %d", error.text, error.position);
    return value;
}

static int trace_all(void **state)
{
    char folder[TEMPORARY_PATH], html[TEMPORARY_PATH + 16], json[TEMPORARY_PATH + 16],
        file[TEMPORARY_PATH + 16], error[GPU_ERROR_SIZE];

    (void)state;
    if (!gpu_read(EMU_GPUS, command[1], &gpu, error) || !mkdtemp(temporary_name(folder)))
        return -1;
    snprintf(html, sizeof(html), "%s/a.html", folder);
    snprintf(json, sizeof(json), "%s/a.json", folder);
    snprintf(file, sizeof(file), "%s/profile", folder);
    run(json, file);
    run(html, file);
    char *text = read_all(html);
    page = data_of(text);
    free(text);
    events = json_load_file(json, 0, NULL);
    profile = json_load_file(file, 0, NULL);
    unlink(html);
    unlink(json);
    unlink(file);
    rmdir(folder);
    return page && events && profile ? 0 : -1;
}

static int forget_all(void **state)
{
    (void)state;
    json_decref(page);
    json_decref(events);
    json_decref(profile);
    return 0;
}

static uint64_t get(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (!json_is_integer(value))
        fail_msg("no number %s", key);
    return (uint64_t)json_integer_value(value);
}

static bool is_same_shape(const json_t *a, const json_t *b)
{
    static const char *const keys[] = {"function", "grid", "block", "shared_bytes"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (!json_equal(json_object_get(a, keys[i]), json_object_get(b, keys[i])))
            return false;
    return true;
}

/* The sum of a counter over the profile's kernels of one shape: all ranges together. */
static uint64_t profiled(const json_t *kernel, const char *key)
{
    uint64_t sum = 0;
    json_t *other;
    size_t i;

    json_array_foreach(json_object_get(profile, "kernels"), i, other)
        if (is_same_shape(kernel, other))
            sum += get(other, key);
    return sum;
}

static uint64_t of_lines(const json_t *kernel, size_t column)
{
    uint64_t sum = 0;
    json_t *line;
    size_t i;

    json_array_foreach(json_object_get(kernel, "lines"), i, line)
        sum += (uint64_t)json_integer_value(json_array_get(json_array_get(line, 2), column));
    return sum;
}

/* Totals are the profile's, and lines add up to them; a counter that is 0 is not there. */
TEST(test_totals)
{
    json_t *kernel, *counter;
    size_t i, c;

    assert_true(json_array_size(json_object_get(page, "kernels")) > 0);
    json_array_foreach(json_object_get(page, "kernels"), i, kernel) {
        const json_t *totals = json_object_get(kernel, "totals");
        size_t column = 0;
        json_array_foreach(json_object_get(page, "counters"), c, counter) {
            const char *key = json_string_value(counter);
            const uint64_t sum = profiled(kernel, key);
            if (!sum) {
                assert_null(json_object_get(totals, key));
                continue;
            }
            assert_int_equal(get(totals, key), sum);
            assert_int_equal(of_lines(kernel, column), sum);
            column++;
        }
        assert_int_equal(column, json_object_size(totals));
    }
}

/* Values by lane: {from, step} or a list of those of `lanes`. */
static void spread(const json_t *values, uint32_t lanes, uint64_t *by_lane)
{
    size_t i = 0;

    for (int lane = 0, first = __builtin_ctz(lanes); lane < WARP_SIZE; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        if (json_is_array(values))
            by_lane[lane] = (uint64_t)json_integer_value(json_array_get(values, i++));
        else
            by_lane[lane] = get(values, "from") +
                            (uint64_t)json_integer_value(json_object_get(values, "step")) *
                                (uint64_t)(lane - first);
    }
    if (json_is_array(values))
        assert_int_equal(i, json_array_size(values));
}

static void check_global(const json_t *record, uint32_t lanes, const uint64_t *at, uint32_t bytes)
{
    const struct traffic traffic = coalesce(gpu.coalescing, lanes, at, bytes);
    const json_t *pieces = json_object_get(record, "pieces");
    uint64_t moved = 0;

    assert_int_equal(get(record, "sectors"), traffic.sectors);
    assert_int_equal(get(record, "transactions"), traffic.transactions);
    assert_int_equal(get(record, "moved"), traffic.moved);
    if (gpu.coalescing == COALESCE_SECTORS) {
        assert_null(pieces);
        return;
    }
    assert_int_equal(json_array_size(pieces), traffic.transactions);
    for (size_t i = 0; i < json_array_size(pieces); i++)
        moved += (uint64_t)json_integer_value(json_array_get(json_array_get(pieces, i), 1));
    assert_int_equal(moved, traffic.moved);
}

static void check_shared(const json_t *record, uint32_t lanes, const uint64_t *at, uint32_t bytes)
{
    const bool load = !strcmp(json_string_value(json_object_get(record, "what")), "load");
    const struct wavefronts wavefronts =
        bank_wavefronts(gpu.banks, gpu.bank_lanes, load, lanes, at, bytes);
    const json_t *passes = json_object_get(record, "passes");
    json_int_t highest = 0;

    assert_int_equal(get(record, "wavefronts"), wavefronts.total);
    assert_int_equal(get(record, "ideal"), wavefronts.ideal);
    if (bytes > BANK_BYTES * PASS_WORDS)
        return; /* a bulk copy's, one after the other */
    for (size_t i = 0; i < json_array_size(passes); i++)
        if (json_integer_value(json_array_get(passes, i)) > highest)
            highest = json_integer_value(json_array_get(passes, i));
    assert_int_equal(highest + 1, wavefronts.total);
}

static void check_record(const json_t *record)
{
    const char *what = json_string_value(json_object_get(record, "what"));
    const char *space = json_string_value(json_object_get(record, "space"));
    uint64_t at[WARP_SIZE] = {0};

    assert_non_null(what);
    if (!strcmp(what, "barrier"))
        return;
    const uint32_t active = (uint32_t)get(record, "active"), live = (uint32_t)get(record, "live");
    const uint32_t lanes = (uint32_t)get(record, space ? "lanes" : "taken");
    assert_int_equal(active & ~live, 0);
    assert_int_equal(lanes & ~active, 0);
    if (!space || !strcmp(space, "texture"))
        return;
    const uint32_t bytes = (uint32_t)get(record, "bytes");
    spread(json_object_get(record, "at"), lanes, at);
    if (!strcmp(space, "global"))
        check_global(record, lanes, at, bytes);
    else if (!strcmp(space, "shared"))
        check_shared(record, lanes, at, bytes);
    else if (!strcmp(space, "local"))
        assert_int_equal(get(record, "sectors"), local_sectors(lanes, at, bytes));
    else
        assert_int_equal(get(record, "passes"), distinct_addresses(lanes, at));
}

TEST(test_records)
{
    json_t *kernel, *record;
    size_t i, k;

    json_array_foreach(json_object_get(page, "kernels"), i, kernel) {
        const json_t *records = json_object_get(kernel, "records");
        assert_int_equal(json_array_size(records),
                         get(json_object_get(kernel, "sampled"), "records"));
        /* There is room for the first kernels' at least. */
        assert_true(json_array_size(records) > 0 || i > 3);
        json_array_foreach(records, k, record)
            check_record(record);
    }
}

/* Where nothing was left out, the records of one launch are its totals. */
TEST(test_whole_sample)
{
    static const char *const keys[] = {
        "global_sectors", "shared_wavefronts",  "shared_wavefronts_ideal", "constant_passes",
        "branches",       "divergent_branches", "global_bytes_moved",      "barriers"};
    enum { KEYS = sizeof(keys) / sizeof(keys[0]) };
    const json_t *kernel = json_array_get(json_object_get(page, "kernels"), 0);
    uint64_t sums[KEYS] = {0};
    json_t *record;
    size_t i;

    if (strcmp(command[2], "all") != 0)
        skip();
    json_array_foreach(json_object_get(kernel, "records"), i, record) {
        const char *what = json_string_value(json_object_get(record, "what"));
        const char *space = json_string_value(json_object_get(record, "space"));
        if (!strcmp(what, "branch")) {
            const uint64_t taken = get(record, "taken");
            sums[4]++;
            sums[5] += taken && taken != get(record, "active");
        } else if (!strcmp(what, "barrier")) {
            sums[7] += json_array_size(json_object_get(record, "arrivals"));
        } else if (!strcmp(space, "global")) {
            sums[0] += get(record, "sectors");
            sums[6] += get(record, "moved");
        } else if (!strcmp(space, "shared")) {
            sums[1] += get(record, "wavefronts");
            sums[2] += get(record, "ideal");
        } else {
            sums[3] += get(record, "passes");
        }
    }
    for (int k = 0; k < KEYS; k++) {
        const uint64_t total = get(json_object_get(kernel, "totals"), keys[k]);
        assert_true(total > 0);
        assert_int_equal(sums[k] * get(kernel, "launches"), total);
    }
}

/* Blocks in their places, one behind the other. */
TEST(test_times)
{
    json_t *kernel, *block, *span;
    size_t i, k;

    json_array_foreach(json_object_get(page, "kernels"), i, kernel) {
        const json_t *times = json_object_get(kernel, "times");
        const uint64_t clocks = get(times, "clocks");
        assert_true(json_array_size(json_object_get(times, "blocks")) > 0);
        json_array_foreach(json_object_get(times, "blocks"), k, block) {
            assert_true(json_integer_value(json_array_get(block, 3)) <
                        json_integer_value(json_array_get(block, 4)));
            assert_true((uint64_t)json_integer_value(json_array_get(block, 4)) <= clocks);
        }
        json_array_foreach(json_object_get(times, "spans"), k, span)
            assert_true(json_integer_value(json_array_get(span, 4)) <
                        json_integer_value(json_array_get(span, 5)));
    }
}

/* The Trace Event Format: what each kind of event must have; and of one thread, spans that do not
 * overlap, in processes that have names. */
TEST(test_events)
{
    const json_t *list = json_object_get(events, "traceEvents");
    json_t *event, *names = json_object(), *ends = json_object();
    size_t i, complete = 0;
    char key[64];

    assert_true(json_is_array(list));
    assert_string_equal(json_string_value(json_object_get(events, "displayTimeUnit")), "ns");
    json_array_foreach(list, i, event) {
        const char *phase = json_string_value(json_object_get(event, "ph"));
        const uint64_t process = get(event, "pid"), thread = get(event, "tid");
        assert_non_null(json_string_value(json_object_get(event, "name")));
        assert_true(json_is_object(json_object_get(event, "args")));
        snprintf(key, sizeof(key), "%d", (int)process);
        if (!strcmp(phase, "M")) {
            assert_true(json_is_string(json_object_get(json_object_get(event, "args"), "name")));
            json_object_set_new(names, key, json_true());
            continue;
        }
        assert_string_equal(phase, "X");
        assert_non_null(json_object_get(names, key));
        assert_true(json_is_string(json_object_get(event, "cat")));
        const double start = json_number_value(json_object_get(event, "ts"));
        const double length = json_number_value(json_object_get(event, "dur"));
        snprintf(key, sizeof(key), "%d/%d", (int)process, (int)thread);
        const double before = json_number_value(json_object_get(ends, key));
        assert_true(length > 0);
        assert_true(start >= before - 1e-3);
        json_object_set_new(ends, key, json_real(start + length));
        complete++;
    }
    assert_true(complete > 2);
    json_decref(names);
    json_decref(ends);
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fputs("usage: trace_records EMU GPU all|some PROGRAM [ARGUMENT...]\n", stderr);
        return 2;
    }
    command = argv + 1;
    return cmocka_run_group_tests(tests, trace_all, forget_all);
}

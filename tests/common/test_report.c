/* SPDX-License-Identifier: MIT */
/* report.c: what is printed, for people and for programs, and the exit code. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"

/* A report to make in a child. */
struct request {
    struct options options;
    struct device device;
    struct run run;
    const char *problem;
    int64_t n;
    struct work work;
    struct verdict verdict;
    bool own, full_disk, unbuffered;
};

static const struct step step = {"sumsq", "v9_test", "one \"quoted\" title", 75};

static float three_ms[] = {2, 1, 4}, one_ms[] = {2};

/* 1 Mi ints in 2 ms, in three runs of 32 x 256 threads, on a device of 4 GB/s. */
static struct request usual(void)
{
    return (struct request){
        .options = options_default(1),
        .device = {.name = "a GPU",
                   .major = 9,
                   .driver = 13010,
                   .runtime = 12080,
                   .peak_bytes = 4e9,
                   .peak_flops = 1e12},
        .run = {.blocks = 32, .threads = 256, .ms = three_ms, .done = 3},
        .n = 1048576,
        .work = {.bytes = 4194304},
        .verdict = compare_integer(29900000, 29900000),
    };
}

static void open_stdout(const struct request *request)
{
    if (request->full_disk)
        assert_non_null(freopen("/dev/full", "w", stdout));
    if (request->unbuffered)
        setvbuf(stdout, NULL, _IONBF, 0);
}

static int reports(void *data)
{
    struct request *request = data;
    json_t *own = request->own ? json_pack("{s:s,s:f}", "chunks", "12", "verdict", 0.25) : NULL;
    struct session session;
    struct measurement measurement;

    open_stdout(request);
    session = (struct session){step, request->options, request->device};
    measurement = (struct measurement){.problem = request->problem,
                                       .n = request->n,
                                       .run = request->run,
                                       .work = request->work,
                                       .verdict = request->verdict,
                                       .own = own};
    const int code = report(&session, &measurement);
    json_decref(own);
    return code;
}

static int reports_device(void *data)
{
    const struct request *request = data;

    open_stdout(request);
    return report_device(step, &request->device);
}

/* The object that a report with --json prints on its one line. */
static json_t *read_json(struct request request, int code)
{
    struct outcome outcome;
    json_error_t error;
    json_t *object;

    request.options.json = true;
    outcome = run_child(reports, &request);
    assert_int_equal(outcome.code, code);
    assert_string_equal(outcome.err, "");
    assert_one_line(outcome.out, "{");
    object = json_loads(outcome.out, 0, &error);
    assert_non_null(object);
    return object;
}

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));

    return value ? value : "(no string)";
}

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    assert_true(json_is_number(value));
    return json_number_value(value);
}

static void assert_null_field(const json_t *object, const char *key)
{
    if (!json_is_null(json_object_get(object, key)))
        fail_msg("%s is not null", key);
}

TEST(test_json)
{
    struct request request = usual();
    json_t *object, *device, *ms, *grid;

    request.run.cycles = INT64_C(1) << 60;
    object = read_json(request, EXIT_MATCH);
    device = json_object_get(object, "device");
    ms = json_object_get(object, "ms");
    grid = json_object_get(object, "grid");

    assert_string_equal(text(object, "chapter"), "sumsq");
    assert_string_equal(text(object, "step"), "v9_test");
    assert_string_equal(text(object, "title"), "one \"quoted\" title");
    assert_string_equal(text(device, "name"), "a GPU");
    assert_true(json_is_false(json_object_get(device, "modelled")));
    assert_string_equal(text(device, "compute"), "9.0");
    assert_string_equal(text(device, "driver"), "13.1");
    assert_string_equal(text(device, "toolkit"), "12.8");
    assert_true(number(object, "n") == 1048576);
    assert_int_equal(json_array_size(grid), 3);
    assert_int_equal(json_integer_value(json_array_get(grid, 0)), 32);
    assert_int_equal(json_integer_value(json_array_get(grid, 2)), 1);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(object, "block"), 0)), 256);
    assert_true(number(object, "shared_bytes") == 0);
    assert_true(number(object, "runs") == 3);
    assert_true(number(ms, "min") == 1);
    assert_true(number(ms, "median") == 2);
    assert_true(number(ms, "max") == 4);
    assert_string_equal(text(object, "cycles"), "1152921504606846976");
    assert_null_field(object, "span_cycles");
    assert_true(number(object, "bytes") == 4194304);
    assert_null_field(object, "flops");
    assert_true(number(object, "gbs") == 2.09715);
    assert_null_field(object, "gflops");
    assert_true(number(object, "share") == 0.524288);
    assert_string_equal(text(object, "limit"), "device memory");
    assert_string_equal(text(object, "limit_unit"), "GB/s");
    assert_string_equal(text(object, "result"), "29900000");
    assert_string_equal(text(object, "reference"), "29900000");
    assert_true(number(object, "error") == 0);
    assert_true(number(object, "tolerance") == 0);
    assert_string_equal(text(object, "verdict"), "match");
    assert_null_field(object, "why");
    json_decref(object);
}

TEST(test_whole_numbers)
{
    json_t *most = report_whole(UINT64_C(1) << 53), *more = report_whole((UINT64_C(1) << 53) + 1);

    assert_int_equal(json_integer_value(most), INT64_C(9007199254740992));
    assert_string_equal(json_string_value(more), "9007199254740993");
    json_decref(most);
    json_decref(more);
}

TEST(test_nan_is_null)
{
    struct request request = usual();
    json_t *object;

    request.verdict = compare_float(NAN, 1, 0.5);
    request.run.done = 0;
    object = read_json(request, EXIT_MISMATCH);
    assert_null_field(object, "error");
    assert_null_field(json_object_get(object, "ms"), "median");
    assert_null_field(object, "gbs");
    assert_null_field(object, "share");
    assert_null_field(object, "limit");
    assert_null_field(object, "limit_unit");
    assert_string_equal(text(object, "verdict"), "mismatch");
    assert_true(strlen(text(object, "why")) > 10);
    json_decref(object);
}

/* Figures are printed with the digits they have, and no more. */
TEST(test_floats_are_compact)
{
    struct request request = usual();
    struct outcome outcome;

    three_ms[0] = 0.1f;
    three_ms[1] = three_ms[2] = 0.3f;
    request.options.json = true;
    outcome = run_child(reports, &request);
    three_ms[0] = 2;
    three_ms[1] = 1;
    three_ms[2] = 4;
    assert_contains(outcome.out, "\"ms\":{\"min\":0.1,\"median\":0.3,\"max\":0.3}");
}

/* Which limit is nearer, and a share that cannot be. */
TEST(test_limit)
{
    struct request request = usual();
    json_t *object;

    request.work.flops = 1.5e9; /* 750 GFLOP/s of 1000, against 2.1 GB/s of 4 */
    object = read_json(request, EXIT_MATCH);
    assert_string_equal(text(object, "limit"), "arithmetic");
    assert_string_equal(text(object, "limit_unit"), "GFLOP/s");
    assert_true(number(object, "share") == 0.75);
    assert_true(number(object, "gflops") == 750);
    json_decref(object);

    request.work.flops = 0;
    request.device.peak_bytes = 1.5e9;
    object = read_json(request, EXIT_MATCH);
    assert_contains(text(object, "limit"), "above 100 %"); /* and not only far above */
    json_decref(object);

    request.device.peak_bytes = 1e9;
    object = read_json(request, EXIT_MATCH);
    assert_string_equal(text(object, "limit"),
                        "device memory; above 100 %: a cache, or a measuring error");
    assert_true(number(object, "share") > 2);
    json_decref(object);

    request.device.peak_bytes = 0;
    object = read_json(request, EXIT_MATCH);
    assert_null_field(object, "share");
    assert_null_field(object, "limit");
    assert_null_field(object, "limit_unit");
    json_decref(object);
}

/* What is nothing, or takes no time, has no rate. */
TEST(test_nothing)
{
    static float no_ms[] = {0};
    struct request request = usual();
    struct outcome outcome;
    json_t *object;

    request.work.bytes = 0;
    object = read_json(request, EXIT_MATCH);
    assert_null_field(object, "bytes");
    assert_null_field(object, "gbs");
    json_decref(object);

    request = usual();
    request.run.ms = no_ms;
    request.run.done = 1;
    outcome = run_child(reports, &request);
    assert_null(strstr(outcome.out, "GB/s"));

    request.run.done = 0;
    outcome = run_child(reports, &request);
    assert_null(strstr(outcome.out, "  time"));
}

/* A chapter's fields join, but do not replace: "verdict" stays ours. */
TEST(test_own)
{
    struct request request = usual();
    json_t *object;

    request.own = true;
    object = read_json(request, EXIT_MATCH);
    assert_string_equal(text(object, "chunks"), "12");
    assert_string_equal(text(object, "verdict"), "match");
    json_decref(object);
    assert_contains(run_child(reports, &request).out, "  chunks  12\n  verdict 0.25\n");
}

TEST(test_overrun_is_a_mismatch)
{
    struct request request = usual();
    struct outcome outcome;
    json_t *object;
    char overrun[] = "output 1 of 1 (4 bytes) was overrun: byte 4 was written";

    request.run.overrun = overrun;
    object = read_json(request, EXIT_MISMATCH);
    assert_string_equal(text(object, "verdict"), "mismatch");
    assert_string_equal(text(object, "why"), overrun);
    json_decref(object);
    outcome = run_child(reports, &request);
    assert_int_equal(outcome.code, EXIT_MISMATCH);
    assert_contains(outcome.out, overrun);
}

TEST(test_text)
{
    struct request request = usual();

    request.run.cycles = 1234;
    assert_string_equal(run_child(reports, &request).out,
                        "sumsq v9_test: one \"quoted\" title\n"
                        "  device  a GPU, compute 9.0, driver 13.1, toolkit 12.8\n"
                        "  launch  n = 1048576, 32 blocks of 256 threads\n"
                        "  time    2 ms (median of 3 runs, 1 to 4)\n"
                        "  memory  2.097 GB/s\n"
                        "  share   52.4 % of the peak of device memory\n"
                        "  cycles  1234, the longest block's\n"
                        "  result  29900000, reference 29900000: match\n");
}

/* A launch in two dimensions, chosen for a reason, and a time with copies. */
TEST(test_launch_and_total)
{
    struct request request = usual();
    struct outcome outcome;
    json_t *object;

    request.run.blocks_y = 4;
    request.run.threads_y = 2;
    request.run.total_ms = 6.5;
    strcpy(request.run.reason, "it fits");
    request.problem = "one number";
    outcome = run_child(reports, &request);
    assert_contains(outcome.out, "n = 1048576, 32 x 4 blocks of 256 x 2 threads\n"
                                 "  because it fits\n");
    assert_contains(outcome.out, "  total   6.5 ms with allocation and copies\n");
    object = read_json(request, EXIT_MATCH);
    assert_string_equal(text(object, "reason"), "it fits");
    assert_string_equal(text(object, "problem"), "one number");
    assert_true(number(object, "total_ms") == 6.5);
    json_decref(object);
    request.run.total_ms = 0.5;
    object = read_json(request, EXIT_MATCH);
    assert_true(number(object, "total_ms") == 0.5);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(object, "grid"), 1)), 4);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(object, "block"), 1)), 2);
    json_decref(object);
    object = read_json(usual(), EXIT_MATCH);
    assert_null_field(object, "reason");
    assert_null_field(object, "total_ms");
    json_decref(object);
}

TEST(test_text_of_a_mismatch)
{
    struct request request = usual();
    struct outcome outcome;

    request.verdict = compare_float(1.5, 1, 0.25);
    request.device.modelled = true;
    request.run = (struct run){.blocks = 1, .threads = 1, .ms = one_ms, .done = 1};
    outcome = run_child(reports, &request);
    assert_int_equal(outcome.code, EXIT_MISMATCH);
    assert_contains(outcome.out, "  launch  n = 1048576, 1 block of 1 thread\n");
    assert_contains(outcome.out, "  time    2 ms (1 run, modelled)\n");
    assert_contains(outcome.out,
                    "  result  1.5, reference 1, error 0.5 of 0.25 allowed: MISMATCH\n");
    assert_contains(outcome.out, "  why     the error is above the tolerance\n");
}

/* A CPU has a name and a time, and nothing that only a device has. */
TEST(test_cpu)
{
    struct request request = usual();
    struct outcome outcome;
    json_t *object, *device;

    request.device = (struct device){.name = "a CPU", .cpu = true};
    request.run = (struct run){.ms = one_ms, .done = 1};
    object = read_json(request, EXIT_MATCH);
    device = json_object_get(object, "device");
    assert_string_equal(text(device, "name"), "a CPU");
    assert_true(json_is_null(json_object_get(device, "compute")));
    assert_true(json_is_null(json_object_get(device, "driver")));
    assert_true(json_is_null(json_object_get(device, "toolkit")));
    assert_true(json_is_null(json_object_get(object, "grid")));
    assert_true(json_is_null(json_object_get(object, "block")));
    json_decref(object);
    outcome = run_child(reports, &request);
    assert_contains(outcome.out,
                    "  cpu     a CPU\n  size    n = 1048576\n  time    2 ms (1 run)\n");
}

/* A verdict that nobody could read is none. */
TEST(test_full_disk)
{
    struct request request = usual();
    struct outcome outcome;

    request.full_disk = true;
    outcome = run_child(reports, &request);
    assert_int_equal(outcome.code, EXIT_MISMATCH);
    assert_one_line(outcome.err, "could not be written");
    outcome = run_child(reports_device, &request);
    assert_int_equal(outcome.code, EXIT_MISMATCH);
    request.unbuffered = true; /* long over when the end is near: nothing is left to be flushed */
    outcome = run_child(reports, &request);
    assert_int_equal(outcome.code, EXIT_MISMATCH);
    assert_one_line(outcome.err, "could not be written");
}

/* A library launches what it likes: its shape is not known. */
TEST(test_library)
{
    struct request request = usual();
    struct outcome outcome;
    json_t *object;

    request.run.blocks = request.run.threads = 0;
    object = read_json(request, EXIT_MATCH);
    assert_null_field(object, "grid");
    assert_null_field(object, "block");
    assert_string_equal(text(json_object_get(object, "device"), "compute"), "9.0");
    json_decref(object);
    outcome = run_child(reports, &request);
    assert_contains(outcome.out, "  size    n = 1048576\n");
    assert_null(strstr(outcome.out, "0 blocks"));
}

TEST(test_device)
{
    struct request request = usual();
    const struct outcome outcome = run_child(reports_device, &request);
    json_t *object = json_loads(outcome.out, 0, NULL);

    assert_int_equal(outcome.code, EXIT_MATCH);
    assert_one_line(outcome.out, "{");
    assert_string_equal(text(object, "step"), "v9_test");
    assert_string_equal(text(json_object_get(object, "device"), "name"), "a GPU");
    assert_string_equal(text(object, "verdict"), "match");
    json_decref(object);
}

TEST_MAIN()

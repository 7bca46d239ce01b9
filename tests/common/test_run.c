/* SPDX-License-Identifier: MIT */
/* run.c: how often a launch is made, what surrounds it, and what its times become. */
#include <math.h>
#include <string.h>

#include "unit.h"

static const struct device gpu = {.name = "a GPU"};
static const struct device emulated = {.name = "emulated", .modelled = true};

static struct run new_run(const struct device *device, int64_t runs)
{
    struct options options = options_default(1);

    options.runs = runs;
    return run_new(&options, device);
}

TEST_WITH(test_counts, setup_fake, NULL)
{
    static const struct {
        const struct device *device;
        int64_t runs;
        int launches, timed;
    } cases[] = {
        {&gpu, OPTIONS_RUNS_UNSET, 24, 21},    {&gpu, 1, 4, 1},      {&gpu, 5, 8, 5},
        {&emulated, OPTIONS_RUNS_UNSET, 1, 1}, {&emulated, 3, 3, 3},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct run run = new_run(cases[i].device, cases[i].runs);
        int launches = 0;

        assert_null(run.flush); /* nobody asked for --cold */
        TIMED(&run)
            launches++;
        assert_int_equal(launches, cases[i].launches);
        assert_int_equal(run.done, cases[i].timed);
        run_free(&run);
    }
    assert_int_equal(fake.live, 0);
}

/* Nothing of CUDA is called for a CPU, which has three runs unless told otherwise. */
TEST_WITH(test_cpu, setup_fake, NULL)
{
    static const struct device cpu = {.name = "a CPU", .cpu = true};
    struct run run = new_run(&cpu, OPTIONS_RUNS_UNSET);

    assert_int_equal(run.runs, 3);
    assert_int_equal(run.warmups, 0);
    assert_int_equal(fake.logged, 0);
    run_free(&run);
    run = new_run(&cpu, 7);
    assert_int_equal(run.runs, 7);
    run_free(&run);
}

/* Poison before the first event, nothing but the launch between the events, guards after. */
TEST_WITH(test_order, setup_fake, NULL)
{
    struct run run = new_run(&emulated, 2);
    char *output = device_output(char, &run, 4);

    fake.logged = 0;
    memset(fake.log, 0, sizeof(fake.log));
    TIMED(&run)
        fake_note('k');
    assert_string_equal(fake.log, "DSDRkLRYCDSDRkLRYC");
    device_free(&run, output);
    run_free(&run);
}

/* --cold overwrites twice the L2 cache before each run. */
TEST_WITH(test_cold, setup_fake, NULL)
{
    struct options options = options_default(1);
    struct run run;

    options.cold = true;
    run = run_new(&options, &emulated);
    assert_true(run.flush_bytes == (size_t)2 << 20);
    fake.logged = 0;
    memset(fake.log, 0, sizeof(fake.log));
    TIMED(&run)
        fake_note('k');
    assert_string_equal(fake.log, "SRkLRY");
    run_free(&run);
    assert_int_equal(fake.live, 0);
}

TEST_WITH(test_poisoned_every_time, setup_fake, NULL)
{
    struct run run = new_run(&gpu, 3);
    int *output = device_output(int, &run, 2);

    TIMED(&run) {
        assert_int_equal(output[0], -1);
        assert_int_equal(output[1], -1);
        output[0] += 5;
        output[1] = 6;
    }
    device_free(&run, output);
    run_free(&run);
}

TEST_WITH(test_overrun_in_one_run, setup_fake, NULL)
{
    struct run run = new_run(&gpu, 3);
    char *output = device_output(char, &run, 4);
    int launches = 0;

    TIMED(&run) {
        if (++launches == 2) /* a warm-up counts too */
            output[4] = 0;
    }
    assert_non_null(run.overrun);
    assert_contains(run.overrun, "output 1 of 1 (4 bytes) was overrun: byte 4");
    device_free(&run, output);
    run_free(&run);
}

/* The same measurement may be made again. */
TEST_WITH(test_twice, setup_fake, NULL)
{
    struct run run = new_run(&emulated, 2);
    int launches = 0;

    for (int i = 0; i < 2; i++) {
        TIMED(&run)
            launches++;
        assert_int_equal(run.done, 2);
    }
    assert_int_equal(launches, 4);
    run_free(&run);
}

static int launch_fails(void *data)
{
    struct run run = new_run(&gpu, 1);

    fake.fails = *(const char *)data;
    fake.error = cudaErrorIllegalAddress;
    TIMED(&run)
        ;
    return 0;
}

TEST_WITH(test_errors, setup_fake, NULL)
{
    static const struct {
        char call;
        const char *message;
    } cases[] = {
        {'L', "the launch at "},
        {'Y', "the kernel at "},
        {'R', "cudaEventRecord"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char call = cases[i].call;
        const struct outcome outcome = run_child(launch_fails, &call);

        assert_int_equal(outcome.code, EXIT_CUDA);
        assert_one_line(outcome.err, cases[i].message);
        assert_contains(outcome.err, "cudaErrorIllegalAddress");
        if (call != 'R') /* the user's line, not ours */
            assert_contains(outcome.err, "test_run.c:");
    }
}

static void assert_times(const float *ms, int runs, double min, double median, double max)
{
    struct run run = new_run(&emulated, runs);
    struct run_times times;

    fake.ms = ms;
    fake.elapsed = 0;
    TIMED(&run)
        ;
    times = run_times(&run);
    assert_true(times.min == min);
    assert_true(times.median == median);
    assert_true(times.max == max);
    assert_true(run.ms[0] == ms[0]); /* in the order they were taken */
    run_free(&run);
}

TEST_WITH(test_times, setup_fake, NULL)
{
    const float ms[] = {5, 1, 4, 2, 100};

    assert_times(ms, 1, 5, 5, 5);
    assert_times(ms, 2, 1, 3, 5);
    assert_times(ms, 3, 1, 4, 5);
    assert_times(ms, 4, 1, 3, 5);
    assert_times(ms, 5, 1, 4, 100);
}

/* The times of warm-ups are not among them. */
TEST_WITH(test_warmups_are_not_timed, setup_fake, NULL)
{
    const float ms[] = {50, 60, 70, 1, 2, 3};
    struct run run = new_run(&gpu, 3);

    fake.ms = ms;
    TIMED(&run)
        ;
    assert_true(run_times(&run).max == 3);
    run_free(&run);
}

TEST_WITH(test_no_times, setup_fake, NULL)
{
    struct run run = new_run(&gpu, 3);
    const struct run_times times = run_times(&run);

    assert_true(isnan(times.min) && isnan(times.median) && isnan(times.max));
    run_free(&run);
}

/* A device side that counts its calls, and notes what each was told. */
struct side {
    int calls, launches;
    struct {
        int runs, warmups;
        bool poison, guard;
    } told[1 + RUN_WHOLE_RUNS]; /* in each call */
};

static void count_side(struct run *run, void *context)
{
    struct side *side = context;

    assert_in_range(side->calls, 0, RUN_WHOLE_RUNS);
    side->told[side->calls].runs = run->runs;
    side->told[side->calls].warmups = run->warmups;
    side->told[side->calls].poison = run->poison;
    side->told[side->calls].guard = run->guard;
    side->calls++;
    TIMED(run)
        side->launches++;
}

/* On a GPU the whole is timed with one bare launch in it, several times; the kernel's times stay.
 * The call with poison and guard comes last: its results are the ones that are compared. */
TEST_WITH(test_whole, setup_fake, NULL)
{
    /* The kernel and the whole, five times; then 3 warm-ups, 2 runs. */
    static const float ms[] = {7, 10, 7, 50, 7, 20, 7, 40, 7, 30, 9, 9, 9, 1, 3};
    struct run run = new_run(&gpu, 2);
    struct side side = {0};

    fake.ms = ms;
    run_whole(&run, count_side, &side);
    assert_int_equal(side.calls, 1 + RUN_WHOLE_RUNS);
    assert_int_equal(side.launches, 3 + 2 + RUN_WHOLE_RUNS);
    for (int i = 0; i < RUN_WHOLE_RUNS; i++) {
        assert_int_equal(side.told[i].runs, 1);
        assert_int_equal(side.told[i].warmups, 0);
        assert_false(side.told[i].poison);
        assert_false(side.told[i].guard);
    }
    assert_int_equal(side.told[RUN_WHOLE_RUNS].runs, 2);
    assert_int_equal(side.told[RUN_WHOLE_RUNS].warmups, 3);
    assert_true(side.told[RUN_WHOLE_RUNS].poison);
    assert_true(side.told[RUN_WHOLE_RUNS].guard);
    assert_true(run.total_ms == 30);
    assert_int_equal(run.done, 2);
    assert_true(run_times(&run).median == 2);
    assert_true(run.poison && run.guard);
    run_free(&run);
    assert_int_equal(fake.live, 0);
}

/* A modelled device's only run is timed as it is. */
TEST_WITH(test_whole_of_one_run, setup_fake, NULL)
{
    static const float ms[] = {2, 5};
    struct run run = new_run(&emulated, OPTIONS_RUNS_UNSET);
    struct side side = {0};

    fake.ms = ms;
    fake.logged = 0;
    memset(fake.log, 0, sizeof(fake.log));
    run_whole(&run, count_side, &side);
    assert_string_equal(fake.log, "EERRLRYRYXX"); /* its events around those of the launch */
    assert_int_equal(side.calls, 1);
    assert_true(run.total_ms == 5);
    assert_true(run_times(&run).median == 2);
    run_free(&run);
}

/* Its times do not vary: more calls would say the same. */
TEST_WITH(test_whole_of_two_modelled_runs, setup_fake, NULL)
{
    static const float ms[] = {7, 10, 2, 4};
    struct run run = new_run(&emulated, 2);
    struct side side = {0};

    fake.ms = ms;
    run_whole(&run, count_side, &side);
    assert_int_equal(side.calls, 2);
    assert_int_equal(side.launches, 1 + 2);
    assert_true(run.total_ms == 10);
    assert_true(run_times(&run).median == 3);
    run_free(&run);
}

TEST_MAIN()

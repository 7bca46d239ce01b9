/* Steps whose lesson is a counter, under `emu --profile=json`. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

enum { BLOCKS = 32, WARPS = 8, PATH_SIZE = 4096 }; /* of a launch, of a block */

extern char **environ;

/* Run a step under the emulator, to a match. Returns what the profile wrote, to be freed. */
static char *profile_text(const char *step, const char *n, const char *workers)
{
    char file[] = "/tmp/counters.XXXXXX";
    char program[PATH_SIZE], profile[64];
    const int descriptor = mkstemp(file);
    pid_t child;
    int status;

    assert_true(descriptor >= 0);
    close(descriptor);
    snprintf(program, sizeof(program), "%s/%s", SUMSQ, step);
    snprintf(profile, sizeof(profile), "--profile=json:%s", file);
    char *arguments[] = {EMU,      profile, "--workers", (char *)workers, program, "--n", (char *)n,
                         "--runs", "1",     NULL};
    assert_int_equal(posix_spawn(&child, EMU, NULL, NULL, arguments, environ), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);

    char *text = NULL;
    size_t room = 0;
    FILE *in = fopen(file, "r");
    assert_non_null(in);
    assert_true(getdelim(&text, &room, '\0', in) > 0);
    fclose(in);
    unlink(file);
    return text;
}

/* The profile of a step, to be released with json_decref, and in it the step's kernel, in the one
 * shape and number of times that the step launches it. */
static json_t *profile_of(const char *step, const char *n, const json_t **kernel)
{
    char *text = profile_text(step, n, "0");
    json_error_t error;
    json_t *profile = json_loads(text, 0, &error);

    assert_non_null(profile);
    free(text);
    const json_t *kernels = json_object_get(profile, "kernels");
    assert_int_equal(json_array_size(kernels), 1);
    *kernel = json_array_get(kernels, 0);
    assert_string_equal(json_string_value(json_object_get(*kernel, "name")), "sum_of_squares");
    assert_int_equal(json_integer_value(json_object_get(*kernel, "launches")), 1);
    return profile;
}

static double number(const json_t *kernel, const char *key)
{
    const json_t *value = json_object_get(kernel, key);

    assert_true(json_is_number(value));
    return json_number_value(value);
}

/* 256 threads, each with 256 numbers of its own, 1 KiB apart: a load of a warp touches 32 sectors. */
static void test_v2_scatters(void **state)
{
    const json_t *kernel;
    json_t *profile = profile_of("v2_threads", "65536", &kernel);

    (void)state;
    assert_float_equal(number(kernel, "sectors_per_load"), 32, 0);
    assert_float_equal(number(kernel, "global_loads"), 65536 / 32, 0);
    json_decref(profile);
}

/* Neighbours read neighbours: 128 bytes, 4 sectors. Stores: 256 sums, and one clock. */
static void test_v3_coalesces(void **state)
{
    const json_t *kernel;
    json_t *profile = profile_of("v3_coalesced", "65536", &kernel);

    (void)state;
    assert_float_equal(number(kernel, "sectors_per_load"), 4, 0);
    assert_float_equal(number(kernel, "global_loads"), 65536 / 32, 0);
    assert_float_equal(number(kernel, "global_store_sectors"), 256 * 4 / 32 + 1, 0);
    json_decref(profile);
}

/* What the trees ask of shared memory, by block. A warp that takes part in a round loads twice and
 * stores once, after 8 stores by 8 warps and before one load of the result.
 *
 * v6: all 8 warps take part for offsets 1 to 16, with 16, 8, 4, 2, 1 lanes; then 4, 2, 1 warps.
 * v7: 4, 2, 1 warps for offsets 128, 64, 32, then one warp for 16 to 1. */
enum {
    V6_TURNS = 5 * 8 + 4 + 2 + 1,
    V7_TURNS = 4 + 2 + 1 + 5,
};

static void expect_tree(const json_t *kernel, int turns)
{
    assert_float_equal(number(kernel, "shared_loads"), BLOCKS * (2 * turns + 1), 0);
    assert_float_equal(number(kernel, "shared_stores"), BLOCKS * (turns + WARPS), 0);
    assert_float_equal(number(kernel, "shared_bank_conflicts"), 0, 0);
    assert_float_equal(number(kernel, "wavefronts_per_shared_request"), 1, 0);
}

/* Neither tree has a bank conflict. What v7 saves is requests, and lanes that stand idle. */
static void test_trees(void **state)
{
    const json_t *v6, *v7;
    json_t *v6_profile = profile_of("v6_tree", "8192", &v6);
    json_t *v7_profile = profile_of("v7_conflict_free", "8192", &v7);

    (void)state;
    expect_tree(v6, V6_TURNS);
    expect_tree(v7, V7_TURNS);
    /* A round divides every warp of which some lanes take part; thread 0's two ifs divide warp 0. */
    assert_float_equal(number(v6, "divergent_branches"), BLOCKS * (V6_TURNS + 2), 0);
    assert_float_equal(number(v7, "divergent_branches"), BLOCKS * (5 + 2), 0);
    assert_true(number(v6, "lanes_per_instruction") + 2 < number(v7, "lanes_per_instruction"));
    assert_float_equal(number(v6, "global_sectors"), number(v7, "global_sectors"), 0);
    json_decref(v6_profile);
    json_decref(v7_profile);
}

static void test_any_number_of_workers(void **state)
{
    char *one = profile_text("v7_conflict_free", "100003", "1");
    char *three = profile_text("v7_conflict_free", "100003", "3");

    (void)state;
    assert_string_equal(one, three);
    free(one);
    free(three);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_v2_scatters),
        cmocka_unit_test(test_v3_coalesces),
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_any_number_of_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

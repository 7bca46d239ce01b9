/* SPDX-License-Identifier: MIT */
/* The first programs, where what they show is a counter. */
#include <stdlib.h>

#include "../cmocka_main.h"
#include "step_profile.h"

/* What the one launch of `step` counts. */
struct counted {
    double warps; /* that have work */
    double loads, load_sectors, store_sectors, shared, divergent;
};

static void expect_counts(const char *step, const char *kernel_name, const char *n,
                          struct counted wanted)
{
    const json_t *kernel;
    json_t *profile = step_profile(START, step, kernel_name, n, &kernel);

    assert_float_equal(step_counter(kernel, "global_loads"), wanted.loads, 0);
    assert_float_equal(step_counter(kernel, "global_load_sectors"), wanted.load_sectors, 0);
    assert_float_equal(step_counter(kernel, "global_stores"), wanted.warps, 0);
    assert_float_equal(step_counter(kernel, "global_store_sectors"), wanted.store_sectors, 0);
    assert_float_equal(step_counter(kernel, "shared_loads") + step_counter(kernel, "shared_stores"),
                       wanted.shared, 0);
    assert_float_equal(step_counter(kernel, "shared_bank_conflicts"), 0, 0);
    assert_float_equal(step_counter(kernel, "divergent_branches"), wanted.divergent, 0);
    json_decref(profile);
}

/* 33 threads are two warps; the second has one lane. */
TEST(test_hello)
{
    expect_counts("a1_hello", "hello", "33", (struct counted){.warps = 2, .store_sectors = 5});
}

/* 1000 elements: 31 whole warps, and one whose guard divides it, as 8 lanes of it have work. */
TEST(test_vector_add)
{
    const struct counted wanted = {
        .warps = 32, .loads = 64, .load_sectors = 250, .store_sectors = 125, .divergent = 1};

    expect_counts("a2_vector_add", "vector_add", "1000", wanted);
    expect_counts("a3_grid_stride", "vector_add", "1000", wanted);
}

/* 50 rows of 64 columns, two warps a row. Lanes read neighbours, 4 sectors, and write 200 bytes
 * apart, 32. */
TEST(test_matrix)
{
    expect_counts(
        "a4_matrix_2d", "transpose", "64",
        (struct counted){.warps = 100, .loads = 100, .load_sectors = 400, .store_sectors = 3200});
}

/* The branch on the lane's number divides each warp once, and nothing else does. */
TEST(test_warp)
{
    expect_counts(
        "a5_warp", "bits", "1024",
        (struct counted){
            .warps = 32, .loads = 32, .load_sectors = 128, .store_sectors = 128, .divergent = 32});
}

/* Into shared memory and out of it, once for each warp. */
TEST(test_shared)
{
    expect_counts(
        "a6_shared", "reverse", "1024",
        (struct counted){
            .warps = 32, .loads = 32, .load_sectors = 128, .store_sectors = 128, .shared = 64});
}

TEST_MAIN()

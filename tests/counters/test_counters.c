/* SPDX-License-Identifier: MIT */
/* Steps whose lesson is a counter, under `emu --profile=json`. */
#include <stdlib.h>

#include "../cmocka_main.h"
#include "step_profile.h"

enum { BLOCKS = 32, WARPS = 8 }; /* of a launch, of a block */

static json_t *profile_of(const char *step, const char *n, const json_t **kernel)
{
    return step_profile(SUMSQ, step, "sum_of_squares", n, kernel);
}

/* 256 threads, each with 256 numbers of its own, 1 KiB apart: a warp's load touches 32 sectors. */
TEST(test_v2_scatters)
{
    const json_t *kernel;
    json_t *profile = profile_of("v2_threads", "65536", &kernel);

    assert_float_equal(step_counter(kernel, "sectors_per_load"), 32, 0);
    assert_float_equal(step_counter(kernel, "global_loads"), 65536 / 32, 0);
    json_decref(profile);
}

/* Neighbours read neighbours: 128 bytes, 4 sectors. Stores: 256 sums, and one clock. */
TEST(test_v3_coalesces)
{
    const json_t *kernel;
    json_t *profile = profile_of("v3_coalesced", "65536", &kernel);

    assert_float_equal(step_counter(kernel, "sectors_per_load"), 4, 0);
    assert_float_equal(step_counter(kernel, "global_loads"), 65536 / 32, 0);
    assert_float_equal(step_counter(kernel, "global_store_sectors"), 256 * 4 / 32 + 1, 0);
    json_decref(profile);
}

/* What the trees ask of shared memory, by block. A warp that takes part in a round loads twice and
 * stores once, after 8 stores by 8 warps and before one load of the result.
 *
 * v6: all 8 warps take part for offsets 1 to 16, with 16, 8, 4, 2, 1 lanes; then 4, 2, 1 warps.
 * v7a: 4, 2, 1 warps for offsets 128, 64, 32, then one warp for 16 to 1. */
enum {
    V6_TURNS = 5 * 8 + 4 + 2 + 1,
    V7_TURNS = 4 + 2 + 1 + 5,
};

static void expect_tree(const json_t *kernel, int turns)
{
    assert_float_equal(step_counter(kernel, "shared_loads"), BLOCKS * (2 * turns + 1), 0);
    assert_float_equal(step_counter(kernel, "shared_stores"), BLOCKS * (turns + WARPS), 0);
    assert_float_equal(step_counter(kernel, "shared_bank_conflicts"), 0, 0);
    assert_float_equal(step_counter(kernel, "wavefronts_per_shared_request"), 1, 0);
}

/* Neither tree has a bank conflict. What v7a saves is requests, and idle lanes. */
TEST(test_trees)
{
    const json_t *v6, *v7;
    json_t *v6_profile = profile_of("v6_tree", "8192", &v6);
    json_t *v7_profile = profile_of("v7a_halved", "8192", &v7);

    expect_tree(v6, V6_TURNS);
    expect_tree(v7, V7_TURNS);
    /* A round divides every warp of which some lanes work; thread 0's two ifs divide warp 0. */
    assert_float_equal(step_counter(v6, "divergent_branches"), BLOCKS * (V6_TURNS + 2), 0);
    assert_float_equal(step_counter(v7, "divergent_branches"), BLOCKS * (5 + 2), 0);
    assert_true(step_counter(v6, "active_lanes") + 2 < step_counter(v7, "active_lanes"));
    assert_float_equal(step_counter(v6, "global_sectors"), step_counter(v7, "global_sectors"), 0);
    json_decref(v6_profile);
    json_decref(v7_profile);
}

/* 65536 numbers are 8 tiles of 2048 quads, and v8 takes one block more for what fills none. Its
 * blocks have 16 warps, and a warp's load takes 512 bytes: a quarter of v7's requests. */
enum { V8_BLOCKS = 65536 / 8192 + 1, V8_WARPS = 16 };

/* The tree of v8a: 8, 4, 2, 1 warps for offsets 256 to 32, then one warp for 16 to 1, and a barrier
 * behind each round. v8b has a tree in every warp, and one over their sums. v8c adds one atomic per
 * block, and two stores in all. */
enum { V8A_TURNS = 8 + 4 + 2 + 1 + 5, V8A_ROUNDS = 9 };

TEST(test_v8_one_idea_each)
{
    const json_t *a, *b, *c;
    json_t *a_profile = profile_of("v8a_wide_loads", "65536", &a);
    json_t *b_profile = profile_of("v8b_shuffle", "65536", &b);
    json_t *c_profile = profile_of("v8c_one_launch", "65536", &c);

    assert_float_equal(step_counter(a, "global_loads"), 65536 / 4 / 32, 0);
    assert_float_equal(step_counter(a, "sectors_per_load"), 16, 0);
    assert_float_equal(step_counter(a, "shared_loads"), V8_BLOCKS * (2 * V8A_TURNS + 1), 0);
    assert_float_equal(step_counter(a, "shared_stores"), V8_BLOCKS * (V8_WARPS + V8A_TURNS), 0);
    assert_float_equal(step_counter(a, "barriers"), V8_BLOCKS * V8_WARPS * (1 + V8A_ROUNDS), 0);
    assert_float_equal(step_counter(a, "global_stores"), V8_BLOCKS, 0);

    assert_float_equal(step_counter(b, "global_loads"), step_counter(a, "global_loads"), 0);
    assert_float_equal(step_counter(b, "shared_loads"), V8_BLOCKS, 0);
    assert_float_equal(step_counter(b, "shared_stores"), V8_BLOCKS * V8_WARPS, 0);
    assert_float_equal(step_counter(b, "barriers"), V8_BLOCKS * V8_WARPS, 0);
    assert_float_equal(step_counter(b, "global_stores"), V8_BLOCKS, 0);

    assert_float_equal(step_counter(c, "shared_loads"), step_counter(b, "shared_loads"), 0);
    assert_float_equal(step_counter(c, "barriers"), step_counter(b, "barriers"), 0);
    assert_float_equal(step_counter(c, "global_atomics"), V8_BLOCKS, 0);
    assert_float_equal(step_counter(c, "global_stores"), 2, 0);
    json_decref(a_profile);
    json_decref(b_profile);
    json_decref(c_profile);
}

TEST(test_any_number_of_workers)
{
    char *one = step_profile_text(SUMSQ, "v7a_halved", "100003", "1");
    char *three = step_profile_text(SUMSQ, "v7a_halved", "100003", "3");

    assert_string_equal(one, three);
    free(one);
    free(three);
}

TEST_MAIN()

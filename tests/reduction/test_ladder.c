/* SPDX-License-Identifier: MIT */
/* What each step of the reduction changes, as counters: 65536 numbers, 256 threads a block. */
#include "../cmocka_main.h"
#include "step_profile.h"

#define N "65536"

enum {
    ELEMENTS = 65536,
    WARPS = 8, /* of a block */
    BLOCKS = ELEMENTS / 256, /* r0 to r3 */
    HALF_BLOCKS = BLOCKS / 2, /* r4 to r6 */
    ROUNDS = 8, /* of a tree over 256 */
    TILE = 4096, /* quads of a block of r8b, r9a, r9b */
};

static json_t *profile_of(const char *step, const json_t **kernel)
{
    return step_profile(REDUCTION, step, "reduction", N, kernel);
}

/* A counter of a step. */
static double counter_of(const char *step, const char *key)
{
    const json_t *kernel;
    json_t *profile = profile_of(step, &kernel);
    const double value = step_counter(kernel, key);

    json_decref(profile);
    return value;
}

/* r0: a warp's 32 floats lie in 4 sectors. Of these its working lanes touch 4, 4, 4, 2, 1 in the
 * rounds with offsets 1 to 16; then 4, 2, 1 warps touch one each. A round loads twice and stores
 * once; the sum is one more of both. r1 loads the input once, and stores the sum. */
TEST(test_r1_leaves_global_memory)
{
    const int rounds = WARPS * (4 + 4 + 4 + 2 + 1) + (4 + 2 + 1);

    assert_float_equal(counter_of("r0_global_memory", "global_load_sectors"),
                       BLOCKS * (2 * rounds + 1), 0);
    assert_float_equal(counter_of("r0_global_memory", "global_store_sectors"),
                       BLOCKS * (rounds + 1), 0);
    assert_float_equal(counter_of("r1_shared_memory", "global_load_sectors"), BLOCKS * WARPS * 4,
                       0);
    assert_float_equal(counter_of("r1_shared_memory", "global_store_sectors"), BLOCKS, 0);
}

/* Turns of a warp in the tree: in r1 all 8 warps take part in five rounds, then 4, 2, 1; in r2 4,
 * 2, 1, then one in five rounds. A turn loads from shared memory twice and stores once. Only a warp
 * part of which works diverges, and thread 0's `if` in the end. */
TEST(test_r2_packs_the_lanes)
{
    const json_t *r1, *r2;
    json_t *r1_profile = profile_of("r1_shared_memory", &r1);
    json_t *r2_profile = profile_of("r2_strided_index", &r2);

    assert_float_equal(step_counter(r1, "shared_loads"), BLOCKS * (2 * (5 * WARPS + 7) + 1), 0);
    assert_float_equal(step_counter(r2, "shared_loads"), BLOCKS * (2 * (7 + 5) + 1), 0);
    assert_float_equal(step_counter(r1, "divergent_branches"), BLOCKS * (5 * WARPS + 7 + 1), 0);
    assert_float_equal(step_counter(r2, "divergent_branches"), BLOCKS * (5 + 1), 0);
    assert_true(step_counter(r1, "active_lanes") + 5 < step_counter(r2, "active_lanes"));
    json_decref(r1_profile);
    json_decref(r2_profile);
}

/* r2: with stride 2^k, 32 lanes stand in 32 / 2^k banks. A turn with all lanes at work is two-way
 * in the first round (4 warps), four-way in the second (2 warps), eight-way in the third; then 16,
 * 8, 4, 2 lanes whose words are 16, 32, 64, 128 apart and share 2, 1, 1, 1 banks: eight-way, eight,
 * four, two. Three requests a turn. */
TEST(test_r3_ends_the_conflicts)
{
    const int extra = 4 * 1 + 2 * 3 + 7 + 7 + 7 + 3 + 1;

    assert_float_equal(counter_of("r1_shared_memory", "shared_bank_conflicts"), 0, 0);
    assert_float_equal(counter_of("r2_strided_index", "shared_bank_conflicts"), BLOCKS * 3 * extra,
                       0);
    assert_float_equal(counter_of("r3_sequential", "shared_bank_conflicts"), 0, 0);
    assert_float_equal(counter_of("r2_strided_index", "shared_loads"),
                       counter_of("r3_sequential", "shared_loads"), 0);
}

/* Half the threads, and as many numbers: about half of the instructions, in all three ways. */
TEST(test_r4_halves_the_instructions)
{
    const double r3 = counter_of("r3_sequential", "warp_instructions");
    static const char *const steps[] = {"r4a_fewer_blocks", "r4b_fewer_threads",
                                        "r4c_adjacent_blocks"};

    for (int i = 0; i < 3; i++) {
        const double r4 = counter_of(steps[i], "warp_instructions");

        assert_true(r4 / ELEMENTS < 0.6 * r3 / ELEMENTS);
        assert_true(r4 > 0.4 * r3);
    }
}

/* A barrier after the load and one a round; in r5e two of the rounds have one, and 6 rounds of one
 * warp have two of a warp each. */
TEST(test_r5e_drops_barriers)
{
    assert_float_equal(counter_of("r4c_adjacent_blocks", "barriers"),
                       HALF_BLOCKS * WARPS * (1 + ROUNDS), 0);
    assert_float_equal(counter_of("r5e_syncwarp", "barriers"), HALF_BLOCKS * WARPS * (1 + 2), 0);
    assert_float_equal(counter_of("r5e_syncwarp", "warp_barriers"), HALF_BLOCKS * 6 * 2, 0);
}

/* Written out, the same work takes fewer instructions: no counter, no comparison, no address. */
TEST(test_r6_drops_instructions)
{
    assert_true(counter_of("r6a_unrolled", "warp_instructions") <
                0.8 * counter_of("r5e_syncwarp", "warp_instructions"));
    assert_float_equal(counter_of("r6a_unrolled", "shared_loads"),
                       counter_of("r5e_syncwarp", "shared_loads"), 0);
}

/* Through shared memory go the sums of the warps alone: a store a warp, a load a block. */
TEST(test_r8_shares_warp_sums)
{
    const json_t *r8;
    json_t *profile = profile_of("r8_shuffle", &r8);
    const double blocks = json_integer_value(json_array_get(json_object_get(r8, "grid"), 0));

    assert_float_equal(step_counter(r8, "shared_stores"), blocks * WARPS, 0);
    assert_float_equal(step_counter(r8, "shared_loads"), blocks, 0);
    assert_float_equal(step_counter(r8, "warp_barriers"), 0, 0);
    json_decref(profile);
}

/* 16 bytes a lane: a quarter of the requests, the same sectors; and in r9a and r9b no more of
 * either but for the words of the blocks, one each, and what looks for them. A block that starts
 * counts itself. */
TEST(test_r8b_loads_wide)
{
    static const char *const one_launch[] = {"r9a_one_launch", "r9b_overlap"};
    const json_t *r8b;
    json_t *r8b_profile = profile_of("r8b_wide_loads", &r8b);

    assert_float_equal(step_counter(r8b, "sectors_per_load"), 16, 0);
    assert_float_equal(step_counter(r8b, "global_loads"), ELEMENTS / 4 / 32, 0);
    assert_float_equal(step_counter(r8b, "global_load_sectors"),
                       counter_of("r8_shuffle", "global_load_sectors"), 0);
    for (int i = 0; i < 2; i++) {
        const json_t *r9;
        json_t *profile = profile_of(one_launch[i], &r9);

        assert_float_equal(step_counter(r9, "sectors_per_load"), 16, 0.1);
        assert_in_range((unsigned)step_counter(r9, "global_loads"), ELEMENTS / 4 / 32,
                        ELEMENTS / 4 / 32 + 8);
        assert_float_equal(step_counter(r9, "global_atomics"), ELEMENTS / 4 / TILE, 0);
        json_decref(profile);
    }
    json_decref(r8b_profile);
}

/* One thread of a block stores the sum, whatever the step. */
TEST(test_a_store_a_block)
{
    static const char *const steps[] = {
        "r1_shared_memory",  "r2_strided_index",    "r3_sequential", "r4a_fewer_blocks",
        "r4b_fewer_threads", "r4c_adjacent_blocks", "r5e_syncwarp",  "r6a_unrolled",
        "r6b_template",      "r7_block_count",      "r8_shuffle",    "r8b_wide_loads"};

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        const json_t *kernel;
        json_t *profile = profile_of(steps[i], &kernel);
        const double blocks =
            json_integer_value(json_array_get(json_object_get(kernel, "grid"), 0));

        assert_float_equal(step_counter(kernel, "global_stores"), blocks, 0);
        json_decref(profile);
    }
}

TEST_MAIN()

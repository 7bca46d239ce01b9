/* SPDX-License-Identifier: MIT */
/* What each step of the matrix product changes, as counters. n = 200 stands for the article's 1000:
 * its rows, of 800 bytes, are whole 32-byte sectors and 32 bytes more than whole lines of 128, as
 * are those of 4000 bytes. n = 201 stands for 1001. */
#include <stdio.h>

#include "../cmocka_main.h"
#include "step_profile.h"

enum { N = 200, ODD = 201, SECTOR = 32, LINE = 128, PITCH = 1024 /* of rows of either n */ };

/* A counter of a step, which runs once at each size. */
static double counter_of(const char *step, int n, const char *key)
{
    static json_t *kernels;
    char size[16], name[64];
    const json_t *kernel;

    if (!kernels)
        kernels = json_object();
    snprintf(size, sizeof(size), "%d", n);
    snprintf(name, sizeof(name), "%s %d", step, n);
    if (!json_object_get(kernels, name)) {
        json_t *profile = step_profile(MATMUL, step, "matmul", size, &kernel);
        json_object_set_new(kernels, name, json_deep_copy(kernel));
        json_decref(profile);
    }
    return step_counter(json_object_get(kernels, name), key);
}

static void expect(const char *step, int n, const char *key, double value)
{
    assert_float_equal(counter_of(step, n, key), value, 0);
}

/* Requests of warps that walk along a row of n floats. */
static int requests_a_row(int n)
{
    return (n + 31) / 32;
}

/* Pieces of `unit` bytes that those requests touch in all n rows that start `pitch` bytes apart. */
static double pieces_a_matrix(int n, int pitch, int unit)
{
    double pieces = 0;

    for (int row = 0; row < n; row++)
        for (int first = 0; first < n; first += 32) {
            const int lanes = n - first < 32 ? n - first : 32;
            const int begin = row * pitch + 4 * first, end = begin + 4 * lanes - 1;

            pieces += end / unit - begin / unit + 1;
        }
    return pieces;
}

/* m1 reads a number of A and one of B for every product. m3 reads A once, B for every row of C. */
TEST(test_m3_reads_a_once)
{
    const double warps = N * N / 32.0;

    expect("m1_naive", N, "global_loads", 2 * N * warps);
    expect("m2_kahan", N, "global_loads", 2 * N * warps);
    expect("m3_row_shared", N, "global_loads", (N + 1.0) * N * requests_a_row(N));
}

/* Kahan's formula: four operations where there was one, and in PTX a negation and a move that
 * machine code does without. */
TEST(test_m2_adds_operations)
{
    const double more = (counter_of("m2_kahan", N, "warp_instructions") -
                         counter_of("m1_naive", N, "warp_instructions")) /
                        (N * N / 32.0);

    assert_true(more >= 3 * N && more <= 5 * N + 2);
}

/* A load of a warp touches two lines where a row does not start with one. At n = 200 rows are whole
 * sectors all the same, at n = 201 they are not. B is read n times, A once, and C written. */
TEST(test_m4_aligns_rows)
{
    expect("m3_row_shared", N, "global_lines", (N + 2.0) * pieces_a_matrix(N, 4 * N, LINE));
    expect("m4_pitched", N, "global_lines", (N + 2.0) * pieces_a_matrix(N, PITCH, LINE));
    expect("m3_row_shared", N, "global_sectors", (N + 2.0) * pieces_a_matrix(N, PITCH, SECTOR));
    expect("m4_pitched", N, "global_sectors", (N + 2.0) * pieces_a_matrix(N, PITCH, SECTOR));
    expect("m3_row_shared", ODD, "global_sectors",
           (ODD + 2.0) * pieces_a_matrix(ODD, 4 * ODD, SECTOR));
    expect("m4_pitched", ODD, "global_sectors", (ODD + 2.0) * pieces_a_matrix(ODD, PITCH, SECTOR));
}

/* 2 n^3 / 16 numbers instead of n^3: an eighth, and a little for the edges. */
TEST(test_m5_divides_traffic)
{
    const double before = counter_of("m4_pitched", N, "global_load_sectors");
    const double after = counter_of("m5_tiled", N, "global_load_sectors");

    assert_true(before > 7.5 * after && before < 8.5 * after);
    expect("m5_tiled", N, "shared_bank_conflicts", 0);
}

/* Without guards no branch divides a warp, and there is less to do. m7's tiles are 16 wide on this
 * device, so it loads what m6 loads. */
TEST(test_m6_asks_nothing)
{
    assert_true(counter_of("m5_tiled", N, "divergent_branches") > 0);
    expect("m6_padded", N, "divergent_branches", 0);
    assert_true(counter_of("m6_padded", N, "warp_instructions") <
                counter_of("m5_tiled", N, "warp_instructions"));
    expect("m7_dynamic_tile", N, "global_load_sectors",
           counter_of("m6_padded", N, "global_load_sectors"));
    expect("m7_dynamic_tile", N, "divergent_branches", 0);
}

/* n = 200 takes 4 x 4 blocks of 4 warps, and 13 tiles of 16 values of k. */
enum { WARPS = 4 * 4 * 4, TILES = 13, DEPTH = 16 };

/* m6: 13 x 13 blocks of 8 warps, 13 tiles, 16 products of two loads each. m8a: for each k the
 * factors of 8 rows and 4 columns. */
TEST(test_m8a_loads_less)
{
    expect("m6_padded", N, "shared_loads", 13 * 13 * 8 * TILES * 16 * 2);
    expect("m8a_register_tile", N, "shared_loads", WARPS * TILES * DEPTH * 12);
    expect("m8a_register_tile", N, "shared_bank_conflicts", 0);
    assert_true(1.4 * counter_of("m8a_register_tile", N, "warp_instructions") <
                counter_of("m7_dynamic_tile", N, "warp_instructions"));
}

/* The same numbers in a quarter of the loads, of both memories. */
TEST(test_m8b_loads_wide)
{
    static const char *const loads[] = {"global_loads", "shared_loads"};

    for (int i = 0; i < 2; i++)
        expect("m8b_wide_loads", N, loads[i], counter_of("m8a_register_tile", N, loads[i]) / 4);
    expect("m8b_wide_loads", N, "global_load_sectors",
           counter_of("m8a_register_tile", N, "global_load_sectors"));
    expect("m8b_wide_loads", N, "shared_bank_conflicts", 0);
}

/* One barrier per pair of tiles instead of two, and one after the first pair, which is loaded
 * before there is anything to multiply. */
TEST(test_m8c_waits_once)
{
    expect("m8b_wide_loads", N, "barriers", WARPS * 2 * TILES);
    expect("m8c_double_buffer", N, "barriers", WARPS * (TILES + 1));
}

/* m8d changes an order, and so no count of loads; m9a and m9b keep the loads and drop three
 * operations of four, which m9b pays back once in 48 products. */
TEST(test_m9_computes_less)
{
    static const char *const same[] = {"shared_loads", "global_loads", "barriers"};
    double order, plain, chunked;

    for (int i = 0; i < 3; i++) {
        expect("m8d_instruction_order", N, same[i], counter_of("m8c_double_buffer", N, same[i]));
        expect("m9a_plain", N, same[i], counter_of("m8c_double_buffer", N, same[i]));
        expect("m9b_chunked", N, same[i], counter_of("m8c_double_buffer", N, same[i]));
    }
    order = counter_of("m8d_instruction_order", N, "warp_instructions");
    plain = counter_of("m9a_plain", N, "warp_instructions");
    chunked = counter_of("m9b_chunked", N, "warp_instructions");
    assert_true(3 * plain < order);
    assert_true(plain < chunked && chunked < 1.3 * plain);
}

TEST_MAIN()

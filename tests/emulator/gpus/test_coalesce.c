/* SPDX-License-Identifier: MIT */
/* What requests to global and shared memory cost, against numbers worked out by hand. */
#include <stdlib.h>

#include "../../cmocka_main.h"
#include "gpus/coalesce.h"

enum { ALL = -1 }; /* as uint32_t: every lane */

/* Lane k: start + k * stride. Lanes outside `lanes` get what must not count. */
static void spread(uint64_t *addresses, uint32_t lanes, uint64_t start, int64_t stride)
{
    for (int lane = 0; lane < WARP_SIZE; lane++)
        addresses[lane] = lanes >> lane & 1 ? start + lane * stride : 0xDEAD0000u + lane * 4096;
}

static void expect_sectors(uint32_t lanes, uint64_t start, int64_t stride, uint32_t bytes,
                           uint32_t sectors, uint32_t lines)
{
    uint64_t addresses[WARP_SIZE];

    spread(addresses, lanes, start, stride);
    const struct traffic traffic = coalesce(COALESCE_SECTORS, lanes, addresses, bytes);
    assert_int_equal(traffic.sectors, sectors);
    assert_int_equal(traffic.lines, lines);
    assert_int_equal(traffic.transactions, lines);
    assert_int_equal(traffic.moved, sectors * 32);
}

TEST(test_strides)
{
    expect_sectors(ALL, 4096, 4, 4, 4, 1); /* 128 bytes */
    expect_sectors(ALL, 4096, 8, 4, 8, 2); /* stride 2: every other word of 256 bytes */
    expect_sectors(ALL, 4096, 16, 4, 16, 4);
    expect_sectors(ALL, 4096, 64, 4, 32, 16); /* stride 16: two sectors a line */
    expect_sectors(ALL, 4096, 68, 4, 32, 17); /* stride 17: the last word is at 2108 */
    expect_sectors(ALL, 4096, 128, 4, 32, 32);
    expect_sectors(ALL, 4096, 132, 4, 32, 32); /* stride 33: the last word at 4092, in line 31 */
    expect_sectors(ALL, 4096, 16384, 4, 32, 32); /* a slice each */
}

TEST(test_widths)
{
    expect_sectors(ALL, 4096, 1, 1, 1, 1);
    expect_sectors(ALL, 4096, 2, 2, 2, 1);
    expect_sectors(ALL, 4096, 8, 8, 8, 2);
    expect_sectors(ALL, 4096, 16, 16, 16, 4);
    expect_sectors(ALL, 4096, 32, 32, 32, 8);
    expect_sectors(ALL, 4096, 12, 4, 12, 3); /* one float of a 12-byte struct: 384 bytes */
}

TEST(test_same_and_backward)
{
    expect_sectors(ALL, 4100, 0, 4, 1, 1);
    expect_sectors(ALL, 4096 + 124, -4, 4, 4, 1); /* lane 0 reads the last word */
    expect_sectors(ALL, 40960, -128, 4, 32, 32);
}

TEST(test_misaligned_runs)
{
    expect_sectors(ALL, 4100, 4, 4, 5, 2); /* 4100 to 4227 */
    expect_sectors(ALL, 4096 + 32, 4, 4, 4, 2); /* on a sector, across a line */
    expect_sectors(ALL, 4096 + 8, 8, 8, 9, 3);
}

TEST(test_some_lanes)
{
    expect_sectors(0x00000001, 4096, 4, 4, 1, 1);
    expect_sectors(0x80000000, 4096, 4, 4, 1, 1);
    expect_sectors(0x0000FFFF, 4096, 4, 4, 2, 1);
    expect_sectors(0xFFFFFFFE, 4096, 4, 4, 4, 1); /* lane 0 idle */
    expect_sectors(0xFF0000FF, 4096, 4, 4, 2, 1); /* a hole of two sectors */
    expect_sectors(0x00000101, 4096, 4, 4, 2, 1);
    expect_sectors(0x55555555, 4096, 4, 4, 4, 1);
}

/* Scattered and repeated, so that the order cannot help. */
TEST(test_scattered)
{
    uint64_t addresses[WARP_SIZE];

    for (uint64_t lane = 0; lane < WARP_SIZE; lane++)
        addresses[lane] = 4096 + lane * 5 % 8 * 32; /* 8 sectors, each 4 times */
    const struct traffic traffic = coalesce(COALESCE_SECTORS, ALL, addresses, 4);
    assert_int_equal(traffic.sectors, 8);
    assert_int_equal(traffic.lines, 2);
}

static void expect_half_warps(uint32_t lanes, uint64_t start, int64_t stride, uint32_t bytes,
                              uint32_t transactions, uint32_t moved)
{
    uint64_t addresses[WARP_SIZE];

    spread(addresses, lanes, start, stride);
    const struct traffic traffic = coalesce(COALESCE_HALF_WARP, lanes, addresses, bytes);
    assert_int_equal(traffic.transactions, transactions);
    assert_int_equal(traffic.single, transactions == WARP_SIZE ? transactions : 0);
    assert_int_equal(traffic.moved, moved);
}

TEST(test_half_warps)
{
    expect_half_warps(ALL, 4096, 4, 4, 2, 128); /* 64 bytes a half-warp */
    expect_half_warps(ALL, 4096, 8, 8, 2, 256);
    expect_half_warps(ALL, 4096, 16, 16, 4, 512); /* two of 128 bytes each */
    expect_half_warps(0xFFFEFFFE, 4096, 4, 4, 2, 128); /* a lane of each idle */
    expect_half_warps(0x00008000, 4096, 4, 4, 1, 64);
    expect_half_warps(0x0000FFFF, 4096, 4, 4, 1, 64);
    expect_half_warps(ALL, 4100, 4, 4, 32, 32 * 32); /* off by a word: a transaction a lane */
    expect_half_warps(ALL, 4096 + 32, 4, 4, 32, 32 * 32); /* by half a segment */
    expect_half_warps(ALL, 4096 + 64, 8, 8, 32, 32 * 32); /* aligned for words, not for doubles */
    expect_half_warps(ALL, 4096, 0, 4, 32, 32 * 32); /* one address for all */
    expect_half_warps(ALL, 4096, 8, 4, 32, 32 * 32); /* stride 2 */
    expect_half_warps(ALL, 4096, 1, 1, 32, 32 * 32); /* bytes never coalesce */
    expect_half_warps(ALL, 4096 + 124, -4, 4, 32, 32 * 32); /* out of order */
}

static void expect_segments(uint32_t lanes, uint64_t start, int64_t stride, uint32_t bytes,
                            uint32_t transactions, uint32_t moved)
{
    uint64_t addresses[WARP_SIZE];

    spread(addresses, lanes, start, stride);
    const struct traffic traffic = coalesce(COALESCE_SEGMENTS, lanes, addresses, bytes);
    assert_int_equal(traffic.transactions, transactions);
    assert_int_equal(traffic.moved, moved);
}

TEST(test_segments)
{
    expect_segments(ALL, 4096, 4, 4, 2, 128); /* half of 128 bytes a half-warp */
    expect_segments(ALL, 4096, 8, 8, 2, 256);
    expect_segments(ALL, 4096, 16, 16, 4, 512);
    expect_segments(0x0000FFFF, 4096, 4, 4, 1, 64);
    expect_segments(0x000000FF, 4096, 4, 4, 1, 32); /* a quarter */
    expect_segments(0x0000FF00, 4096, 4, 4, 1, 32);
    expect_segments(0x00000FF0, 4096, 4, 4, 1, 64); /* across the middle of 64 bytes */
    expect_segments(0x0000FFFF, 4100, 4, 4, 1, 128); /* across the middle of 128 */
    expect_segments(0xFFFF0000, 4100, 4, 4, 2, 64 + 32); /* across the end: one word there */
    expect_segments(ALL, 4096 + 124, -4, 4, 2, 128); /* any order */
    expect_segments(ALL, 4096, 0, 4, 2, 64); /* one address for all */
    expect_segments(ALL, 4096, 8, 4, 2, 256); /* stride 2: 128 bytes a half-warp */
    expect_segments(ALL, 4096, 16, 4, 4, 512);
    expect_segments(ALL, 4096, 128, 4, 32, 32 * 32);
    expect_segments(ALL, 4096, 1, 1, 2, 64); /* bytes: 32 each half-warp, one segment twice */
    expect_segments(ALL, 4096, 2, 2, 2, 64);
    expect_segments(ALL, 4096 + 16, 2, 2, 3,
                    64 + 32 + 32); /* the second reaches into the next 64 */
    expect_segments(ALL, 4096, 12, 4, 4, 128 + 64 + 64 + 128); /* a float of 12 bytes */
}

/* One half-warp in order, the other not: each is judged by itself. */
TEST(test_half_warps_apart)
{
    uint64_t addresses[WARP_SIZE];

    spread(addresses, ALL, 4096, 4);
    addresses[16] += 4;
    addresses[17] -= 4; /* lanes 16 and 17 change places */
    const struct traffic traffic = coalesce(COALESCE_HALF_WARP, ALL, addresses, 4);
    assert_int_equal(traffic.transactions, 1 + 16);
    assert_int_equal(traffic.moved, 64 + 16 * 32);
}

static void expect_banks(int lanes_together, bool load, uint32_t lanes, uint64_t start,
                         int64_t stride, uint32_t bytes, uint32_t total, uint32_t ideal)
{
    uint64_t offsets[WARP_SIZE];

    spread(offsets, lanes, start, stride);
    const struct wavefronts wavefronts =
        bank_wavefronts(lanes_together, lanes_together, load, lanes, offsets, bytes);
    assert_int_equal(wavefronts.total, total);
    assert_int_equal(wavefronts.ideal, ideal);
}

TEST(test_bank_strides)
{
    static const struct {
        int64_t stride;
        uint32_t passes;
    } rows[] = {{1, 1}, {2, 2}, {3, 1}, {4, 4}, {8, 8}, {16, 16}, {17, 1}, {32, 32}, {33, 1}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        expect_banks(32, true, ALL, 0, rows[i].stride * 4, 4, rows[i].passes, 1);
        expect_banks(32, false, ALL, 64, rows[i].stride * 4, 4, rows[i].passes, 1);
    }
}

TEST(test_bank_sharing)
{
    expect_banks(32, true, ALL, 40, 0, 4, 1, 1); /* broadcast */
    expect_banks(32, true, ALL, 0, 1, 1, 1, 1); /* 32 bytes: 8 words, 4 lanes each */
    expect_banks(32, true, ALL, 0, 2, 2, 1, 1);
    expect_banks(32, true, 0x0000FFFF, 0, 128, 4, 16, 1);
    expect_banks(32, true, 0x00010001, 0, 128, 4, 2, 1);
    expect_banks(32, true, 0x00000010, 0, 128, 4, 1, 1);
}

TEST(test_wide_banks)
{
    expect_banks(32, true, ALL, 0, 8, 8, 2, 2); /* a half-warp each */
    expect_banks(32, true, ALL, 0, 16, 16, 4, 4); /* a quarter-warp each */
    expect_banks(32, false, ALL, 0, 16, 16, 4, 4);
    expect_banks(32, true, ALL, 0, 16, 8, 4, 2); /* stride 2: 16 lanes on 16 banks, twice */
    expect_banks(32, true, ALL, 0, 32, 16, 8, 4);
    expect_banks(32, true, ALL, 0, 24, 8, 2, 2); /* odd stride of doubles */
    expect_banks(32, true, 0x0000FFFF, 0, 8, 8, 1, 1);
    expect_banks(32, true, 0x000000FF, 0, 16, 16, 1, 1);
}

/* Loads whose neighbours agree go twice as many lanes at a time; stores do not. */
TEST(test_wide_sharing)
{
    uint64_t offsets[WARP_SIZE];

    expect_banks(32, true, ALL, 16, 0, 8, 1, 1);
    expect_banks(32, true, ALL, 16, 0, 16, 2, 2);
    expect_banks(32, false, ALL, 16, 0, 16, 4, 4);
    for (uint64_t lane = 0; lane < WARP_SIZE; lane++)
        offsets[lane] = lane / 2 * 8; /* 16 doubles, two lanes each */
    assert_int_equal(bank_wavefronts(32, 32, true, ALL, offsets, 8).total, 1);
    for (uint64_t lane = 0; lane < WARP_SIZE; lane++)
        offsets[lane] = lane / 4 * 16; /* k and k ^ 2 agree, k ^ 1 too */
    assert_int_equal(bank_wavefronts(32, 32, true, ALL, offsets, 16).total, 2);
    /* Every other lane alone: nothing to pack, no conflict either. */
    expect_banks(32, true, 0x55555555, 0, 8, 8, 2, 2);
}

TEST(test_sixteen_banks)
{
    expect_banks(16, true, ALL, 0, 4, 4, 2, 2); /* a pass a half-warp */
    expect_banks(16, true, ALL, 0, 8, 4, 4, 2); /* stride 2 */
    expect_banks(16, true, ALL, 0, 16, 4, 8, 2); /* stride 4: a quarter of the speed */
    expect_banks(16, true, ALL, 0, 64, 4, 32, 2); /* stride 16 */
    expect_banks(16, true, ALL, 0, 68, 4, 2, 2); /* stride 17 */
    expect_banks(16, true, ALL, 4096, -48, 4, 8, 2); /* stride -12 */
    expect_banks(16, true, ALL, 0, 128, 4, 32, 2); /* stride 32 */
    expect_banks(16, true, ALL, 12, 0, 4, 2, 2); /* broadcast */
    expect_banks(16, true, ALL, 0, 1, 1, 8, 2); /* 4 lanes a word, and one broadcast a pass */
    expect_banks(16, true, ALL, 0, 8, 8, 8, 4); /* doubles: two words, each of stride 2 */
    expect_banks(16, true, ALL, 0, 16, 16, 32, 8); /* four words, each of stride 4 */
    expect_banks(16, true, 0x00000003, 0, 64, 4, 2, 1);
}

/* Two words of one bank, each wanted by many: one a pass is broadcast. */
TEST(test_one_broadcast)
{
    uint64_t offsets[WARP_SIZE];

    for (uint64_t lane = 0; lane < WARP_SIZE; lane++)
        offsets[lane] = lane % 2 * 64;
    assert_int_equal(bank_wavefronts(16, 16, true, 0xFFFF, offsets, 4).total, 2);
    assert_int_equal(bank_wavefronts(32, 32, true, ALL, offsets, 4).total, 1);
}

TEST(test_local)
{
    uint64_t offsets[WARP_SIZE];

    spread(offsets, ALL, 8, 0);
    assert_int_equal(local_sectors(ALL, offsets, 4), 4);
    assert_int_equal(local_sectors(ALL, offsets, 8), 8);
    assert_int_equal(local_sectors(ALL, offsets, 1), 4);
    assert_int_equal(local_sectors(0xFF, offsets, 4), 1);
    assert_int_equal(local_sectors(0x101, offsets, 4), 2);
    spread(offsets, ALL, 0, 4); /* another element in each lane */
    assert_int_equal(local_sectors(ALL, offsets, 4), 32);
    for (uint64_t lane = 0; lane < WARP_SIZE; lane++) /* pairs agree, one of them across sectors */
        offsets[lane] = (lane + 1) / 2 * 8;
    assert_int_equal(local_sectors(ALL, offsets, 4), 20);
    assert_int_equal(local_sectors(ALL, offsets, 8), 40);
    assert_int_equal(local_sectors(0x55555555, offsets, 1), 16);
}

TEST(test_distinct)
{
    uint64_t addresses[WARP_SIZE];

    spread(addresses, ALL, 64, 0);
    assert_int_equal(distinct_addresses(ALL, addresses), 1);
    spread(addresses, 0xF0F0, 64, 4);
    assert_int_equal(distinct_addresses(0xF0F0, addresses), 8);
}

TEST_MAIN()

/* SPDX-License-Identifier: MIT */
/* The pieces that pictures show add up to what the counters count, for requests of every width and
 * many patterns; and each piece and pass holds what it should. */
#include <stdlib.h>

#include "../../cmocka_main.h"
#include "gpus/passes.h"

enum { REQUESTS = 20000, MOST = 512 };

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* Some lanes, some stride, now and then a lane somewhere else. */
static uint32_t any_request(uint64_t *state, uint64_t *addresses, uint32_t *bytes)
{
    const uint64_t stride = next(state) % 40, start = next(state) % 64;
    const uint32_t lanes = next(state) % 3 ? UINT32_MAX : (uint32_t)(next(state) << 7) | 1;

    *bytes = 1U << next(state) % 6;
    const uint32_t element = *bytes > 8 ? 8 : *bytes;
    for (uint64_t lane = 0; lane < WARP_SIZE; lane++) {
        const uint64_t at = next(state) % 8 ? start + lane * stride : next(state) % 300;
        addresses[lane] = 4096 + at * element;
    }
    return lanes;
}

static bool is_covered(const struct piece *pieces, int count, uint64_t address)
{
    for (int i = 0; i < count; i++)
        if (address >= pieces[i].address && address < pieces[i].address + pieces[i].bytes)
            return true;
    return false;
}

static void check_pieces(enum coalescing rule, uint32_t lanes, const uint64_t *addresses,
                         uint32_t bytes)
{
    const struct traffic traffic = coalesce(rule, lanes, addresses, bytes);
    struct piece pieces[MOST];
    const int count = global_pieces(rule, lanes, addresses, bytes, pieces, MOST);
    uint64_t moved = 0;

    assert_in_range(count, 1, MOST);
    assert_int_equal(count, rule == COALESCE_SECTORS ? traffic.sectors : traffic.transactions);
    for (int i = 0; i < count; i++) {
        assert_int_equal(pieces[i].address % SECTOR_BYTES, 0);
        moved += pieces[i].bytes;
    }
    assert_int_equal(moved, traffic.moved);
    for (int lane = 0; lane < WARP_SIZE; lane++)
        if (lanes >> lane & 1)
            assert_true(is_covered(pieces, count, addresses[lane]));
}

TEST(test_pieces)
{
    uint64_t random = 1, addresses[WARP_SIZE];
    uint32_t bytes;

    for (int i = 0; i < REQUESTS; i++) {
        const uint32_t lanes = any_request(&random, addresses, &bytes);
        check_pieces(COALESCE_SECTORS, lanes, addresses, bytes);
        if (bytes > 16)
            continue; /* GPUs with these rules have no wider words */
        for (int lane = 0; lane < WARP_SIZE; lane++)
            addresses[lane] = addresses[lane] / bytes * bytes;
        check_pieces(COALESCE_SEGMENTS, lanes, addresses, bytes);
        check_pieces(COALESCE_HALF_WARP, lanes, addresses, bytes);
    }
}

/* In one pass a bank gives one word. */
static void check_banks(int banks, uint32_t lanes, const uint64_t *offsets, uint32_t words,
                        uint16_t passes[WARP_SIZE][PASS_WORDS], uint32_t total)
{
    static uint64_t given[WARP_SIZE * PASS_WORDS][WARP_SIZE];

    for (uint32_t pass = 0; pass < total; pass++)
        for (int bank = 0; bank < banks; bank++)
            given[pass][bank] = UINT64_MAX;
    for (int lane = 0; lane < WARP_SIZE; lane++)
        for (uint32_t w = 0; lanes >> lane & 1 && w < words; w++) {
            const uint64_t word = offsets[lane] / BANK_BYTES + w;
            uint64_t *there = &given[passes[lane][w]][word % (uint64_t)banks];
            assert_true(*there == UINT64_MAX || *there == word);
            *there = word;
        }
}

TEST(test_passes)
{
    static const struct {
        int banks, lanes;
    } gpus[] = {{32, 32}, {16, 16}};
    uint64_t random = 2, offsets[WARP_SIZE];
    uint16_t passes[WARP_SIZE][PASS_WORDS];
    uint32_t bytes;

    for (int i = 0; i < REQUESTS; i++) {
        const uint32_t lanes = any_request(&random, offsets, &bytes);
        const uint32_t words = bytes <= BANK_BYTES ? 1 : bytes / BANK_BYTES;
        const bool load = next(&random) % 2;
        for (int gpu = 0; gpu < 2; gpu++) {
            const int banks = gpus[gpu].banks;
            const uint32_t total =
                bank_wavefronts(banks, gpus[gpu].lanes, load, lanes, offsets, bytes).total;
            uint32_t highest = 0;
            bank_passes(banks, gpus[gpu].lanes, load, lanes, offsets, bytes, passes);
            for (int lane = 0; lane < WARP_SIZE; lane++)
                for (uint32_t w = 0; lanes >> lane & 1 && w < words; w++)
                    highest = passes[lane][w] > highest ? passes[lane][w] : highest;
            assert_int_equal(highest + 1, total);
            check_banks(banks, lanes, offsets, words, passes, total);
        }
    }
}

TEST_MAIN()

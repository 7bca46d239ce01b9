/* SPDX-License-Identifier: MIT */
/* The tests' own measure: what it must accept, and above all what it must not. */
#include <math.h>
#include <string.h>

#include "../cmocka_main.h"
#include "expect.h"

static char error[256];

static struct expectation read_text(const char *text)
{
    struct expectation expectation;

    if (!expect_read(text, &expectation, error))
        fail_msg("%s", error);
    return expectation;
}

static void assert_refused(const char *text, const char *reason)
{
    struct expectation expectation;

    assert_false(expect_read(text, &expectation, error));
    expect_free(&expectation);
    if (!strstr(error, reason))
        fail_msg("'%s' does not say '%s'", error, reason);
}

/* Does `out TYPE...: VALUE` accept the bits? */
static bool accepts(const char *clause, uint64_t bits)
{
    char text[128] = "// out ";
    struct expectation expectation;
    bool result;

    strncat(text, clause, sizeof text - strlen(text) - 1);
    expectation = read_text(text);
    result = expect_matches(&expectation.arrays[0], 0, &bits);
    expect_free(&expectation);
    return result;
}

TEST(integers_match_exactly)
{
    assert_true(accepts("s32: -1", 0xffffffff));
    assert_false(accepts("s32: -1", 0xfffffffe));
    assert_true(accepts("u8: 255", 0xff));
    assert_true(accepts("u64: 0xffffffffffffffff", UINT64_MAX));
    assert_true(accepts("u32: _", 12345));
}

TEST(floats_match_by_bits)
{
    assert_true(accepts("f32: 1.5", 0x3fc00000));
    assert_true(accepts("f32: 0x1.8p0", 0x3fc00000));
    assert_true(accepts("f32: 0x3fc00000", 0x3fc00000));
    assert_false(accepts("f32: 1.5", 0x3fc00001));
    assert_false(accepts("f32: 0.0", 0x80000000));
    assert_true(accepts("f32: -0.0", 0x80000000));
    assert_true(accepts("f32: -inf", 0xff800000));
    assert_true(accepts("f64: 0.1", 0x3fb999999999999a));
    assert_true(accepts("f16: 1.5", 0x3e00));
    assert_true(accepts("bf16: -2.0", 0xc000));
}

TEST(nan_matches_nan_alone)
{
    assert_true(accepts("f32: nan", 0x7fc00000));
    assert_true(accepts("f32: nan", 0xff800001));
    assert_false(accepts("f32: nan", 0x7f800000));
    assert_false(accepts("f32: nan", 0x3f800000));
    assert_false(accepts("f32: 0x7fffffff", 0x7fc00000));
    assert_false(accepts("f32 ~1e30: 1.0", 0x7fc00000));
    assert_false(accepts("f32 ~1e30: 1.0", 0x7f800000));
    assert_false(accepts("f32 ~1e30: inf", 0x7f7fffff));
}

TEST(tolerances_have_edges)
{
    assert_true(accepts("f32 ~2ulp: 1.0", 0x3f800002));
    assert_false(accepts("f32 ~2ulp: 1.0", 0x3f800003));
    assert_true(accepts("f32 ~1ulp: 0.0", 1));
    assert_false(accepts("f32 ~1ulp: 0.0", 2));
    assert_true(accepts("f32 ~1e-6: 100.0", 0x42c8000c));
    assert_false(accepts("f32 ~1e-6: 100.0", 0x42c80020));
    assert_true(accepts("f32 +-0.5: 1.0", 0x3fc00000));
    assert_false(accepts("f32 +-0.5: 1.0", 0x3fc00001));
    assert_false(accepts("f32 +-0.5: 1.0", 0xbf800000));
}

TEST(lists_repeat_count_and_go_on)
{
    const char *text = "// grid 2x3 block 64\n"
                       "// in u32: 7 x3, 1..3,\n"
                       "//   0xff\n"
                       "// out u16: 1\n"
                       "// out u32: 2\n";
    const uint32_t wanted[] = {7, 7, 7, 1, 2, 3, 255};
    struct expectation expectation = read_text(text);
    uint32_t memory[7];

    assert_int_equal(expectation.grid.y, 3);
    assert_int_equal(expectation.block.x, 64);
    assert_int_equal(expectation.arrays[0].count, 7);
    expect_store(&expectation.arrays[0], memory);
    assert_memory_equal(memory, wanted, sizeof wanted);
    assert_int_equal(expectation.arrays[2].offset, 4);
    assert_int_equal(expectation.out_bytes, 8);
    expect_free(&expectation);
}

TEST(mistakes_are_refused)
{
    assert_refused("ret;\n", "expects nothing");
    assert_refused("// outt u32: 1\n", "line 1");
    assert_refused("// out u33: 1\n", "unknown type 'u33'");
    assert_refused("// out u8: 256\n", "is no u8");
    assert_refused("// out s8: -129\n", "is no s8");
    assert_refused("// out u32: 1,\n// \n", "value is missing");
    assert_refused("// out u32: 1,\nret;\n", "ends in a comma");
    assert_refused("// out u32 1\n", "':'");
    assert_refused("// out u32 ~2ulp: 1\n", "tolerance");
    assert_refused("// out f16: 0.1\n", "cannot hold");
    assert_refused("// out f32: one\n", "'one'");
    assert_refused("// error sometime \"x\"\n", "parse, load or launch");
    assert_refused("// error launch \"\"\n", "regular expression");
}

TEST_MAIN()

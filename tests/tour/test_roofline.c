/* SPDX-License-Identifier: MIT */
/* Roofs: of the memory, of ordinary operations, and of tensor cores where shares are of those. */
#include "../cmocka_main.h"
#include "roofline.h"

/* A step that does `gflops` on a GPU of 60 000, which is `share` of the peak that it says. */
static void expect_roofs(double gflops, double share, double tensor)
{
    json_t *result = json_pack("{s:s, s:{s:f, s:f, s:f, s:s, s:f, s:{s:f}, s:{s:f, s:f}}}",
                               "outcome", "match", "report", "flops", 1e9, "bytes", 1e6, "gflops",
                               gflops, "limit_unit", "GFLOP/s", "share", share, "ms", "median", 1.0,
                               "device", "peak_gbs", 3000.0, "peak_gflops", 60000.0);
    const json_t *const results[] = {result};
    json_t *chart = roofline_chart(results, 1, 1, LANGUAGE_ENGLISH);
    const json_t *roof = json_array_get(json_object_get(chart, "roofs"), 0);

    assert_int_equal(json_real_value(json_object_get(roof, "memory")), 3000);
    assert_int_equal(json_real_value(json_object_get(roof, "work")), 60000);
    assert_int_equal(json_real_value(json_object_get(roof, "tensor")), tensor);
    assert_int_equal(json_is_null(json_object_get(roof, "tensor")), tensor == 0);
    json_decref(chart);
    json_decref(result);
}

TEST(test_roofs)
{
    expect_roofs(30000, 0.5, 0);
    expect_roofs(30000, 0.03125, 960000);
    expect_roofs(30000, 0, 0); /* a share of nothing */
}

TEST_MAIN()

/* SPDX-License-Identifier: MIT */
/* Names of kernels and variables, mangled as nvcc does. */
#include "../../cmocka_main.h"
#include "ptx/ptx.h"

static void expect_function(const char *mangled, const char *expected)
{
    char name[64];

    ptx_function_name(mangled, name, sizeof(name));
    assert_string_equal(name, expected);
}

static void expect_variable(const char *mangled, const char *expected)
{
    char name[64];

    ptx_variable_name(mangled, name, sizeof(name));
    assert_string_equal(name, expected);
}

TEST(functions)
{
    expect_function("plain", "plain");
    expect_function("_Z14sum_of_squaresPKiiPi", "sum_of_squares");
    expect_function("_ZN3cub6detail6kernelEv", "kernel");
    expect_function("_Z6kernelILi256EEvPf", "kernel");
    expect_function("_Z99cut", "_Z99cut");
    expect_function("__nv_static_8__12_a_cu__Z6kernelPi", "kernel");
    expect_function("__nv_static_8__12_a_cu_k", "k");
    expect_function("__nv_static_8__12_a_cu_", "__nv_static_8__12_a_cu_");
    expect_function("__nv_static_99__12_a_cu_k", "__nv_static_99__12_a_cu_k");
    expect_function("__nv_static_18446744073709551615_", "__nv_static_18446744073709551615_");
    expect_function("__nv_static_7", "__nv_static_7");
}

TEST(variables)
{
    expect_variable("__nv_static_8__12_a_cu_own", "own");
    expect_variable("plain", "plain");
    expect_variable("_ZL5table", "table");
    expect_variable("_ZN12_GLOBAL__N_15tableE", "table");
    expect_variable("_ZZ4kernPiE4tile", "tile");
    expect_variable("_ZZ6kernelILi256EEvPfE4tile", "tile");
}

TEST_MAIN()

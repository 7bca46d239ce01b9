/* SPDX-License-Identifier: MIT */
/* Tests with cmocka, and the headers that it wants before its own. */
#ifndef CMOCKA_MAIN_H
#define CMOCKA_MAIN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* This file's tests, and how many they are. */
static struct CMUnitTest tests[100];
static int known_tests;

static inline void add_test(struct CMUnitTest test)
{
    assert_in_range(known_tests, 0, sizeof(tests) / sizeof(tests[0]) - 1);
    tests[known_tests++] = test;
}

/* TEST(name) { ... } is a test, called with `void **state`. It is among the tests before main()
 * begins: those without a name at their end do not count. */
#define TEST(name) TEST_WITH(name, NULL, NULL)
/* The same, between calls of set_up(state) and tear_down(state). */
#define TEST_WITH(name, set_up, tear_down)                                   \
    static void name(void **state);                                          \
    __attribute__((constructor)) static void add_##name(void)                \
    {                                                                        \
        add_test((struct CMUnitTest){#name, name, set_up, tear_down, NULL}); \
    }                                                                        \
    static void name(__attribute__((unused)) void **state)

/* A program that runs them. */
#define TEST_MAIN()                                       \
    int main(void)                                        \
    {                                                     \
        return cmocka_run_group_tests(tests, NULL, NULL); \
    }

#endif

/* SPDX-License-Identifier: MIT */
/* Tests with cmocka, and the headers that it wants before its own. */
#ifndef CMOCKA_MAIN_H
#define CMOCKA_MAIN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A program that runs the tests cmocka_unit_test(name), ... */
#define UNIT_TESTS(...)                                   \
    int main(void)                                        \
    {                                                     \
        const struct CMUnitTest tests[] = {__VA_ARGS__};  \
                                                          \
        return cmocka_run_group_tests(tests, NULL, NULL); \
    }

#endif

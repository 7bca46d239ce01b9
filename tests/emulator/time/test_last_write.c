/* SPDX-License-Identifier: MIT */
/* When words were written: the table that tells those who wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "time/last_write.h"

enum { WORDS = 5000, FIRST_ADDRESS = 4096 };

static uint64_t address_of(int i)
{
    return FIRST_ADDRESS + 4 * (uint64_t)i;
}

static void test_latest_counts(void **state)
{
    (void)state;
    struct last_writes *writes = last_writes_new();

    assert_int_equal(last_writes_at(writes, FIRST_ADDRESS), 0);
    last_writes_note(writes, FIRST_ADDRESS, 70);
    last_writes_note(writes, FIRST_ADDRESS, 90);
    last_writes_note(writes, FIRST_ADDRESS, 80);
    assert_int_equal(last_writes_at(writes, FIRST_ADDRESS), 90);
    assert_int_equal(last_writes_at(writes, FIRST_ADDRESS + 4), 0);
    last_writes_free(writes);
}

/* Many words: none is lost when the table grows, and one that it lacks is found to be absent. */
static void test_many(void **state)
{
    (void)state;
    struct last_writes *writes = last_writes_new();

    for (int i = 0; i < WORDS; i++) {
        last_writes_note(writes, address_of(i), 1 + (uint64_t)i);
        assert_int_equal(last_writes_at(writes, address_of(i + 1)), 0);
    }
    for (int i = 0; i < WORDS; i++)
        assert_int_equal(last_writes_at(writes, address_of(i)), 1 + i);
    last_writes_free(writes);
}

static void test_clear(void **state)
{
    (void)state;
    struct last_writes *writes = last_writes_new();

    last_writes_clear(writes);
    for (int i = 0; i < WORDS; i++)
        last_writes_note(writes, address_of(i), 1000);
    last_writes_clear(writes);
    for (int i = 0; i < WORDS; i++)
        assert_int_equal(last_writes_at(writes, address_of(i)), 0);
    last_writes_note(writes, FIRST_ADDRESS, 3);
    assert_int_equal(last_writes_at(writes, FIRST_ADDRESS), 3);
    last_writes_free(writes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_latest_counts),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

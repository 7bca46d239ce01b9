/* SPDX-License-Identifier: MIT */
/* When words were written: the table that tells those who wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "time/written.h"

enum { WORDS = 5000, FIRST_ADDRESS = 4096 };

static uint64_t address_of(int i)
{
    return FIRST_ADDRESS + 4 * (uint64_t)i;
}

static void test_latest_counts(void **state)
{
    (void)state;
    struct written *written = written_new();

    assert_int_equal(written_at(written, FIRST_ADDRESS), 0);
    written_note(written, FIRST_ADDRESS, 70);
    written_note(written, FIRST_ADDRESS, 90);
    written_note(written, FIRST_ADDRESS, 80);
    assert_int_equal(written_at(written, FIRST_ADDRESS), 90);
    assert_int_equal(written_at(written, FIRST_ADDRESS + 4), 0);
    written_free(written);
}

/* Many words: none is lost when the table grows, and one that it lacks is found to be absent. */
static void test_many(void **state)
{
    (void)state;
    struct written *written = written_new();

    for (int i = 0; i < WORDS; i++) {
        written_note(written, address_of(i), 1 + (uint64_t)i);
        assert_int_equal(written_at(written, address_of(i + 1)), 0);
    }
    for (int i = 0; i < WORDS; i++)
        assert_int_equal(written_at(written, address_of(i)), 1 + i);
    written_free(written);
}

static void test_clear(void **state)
{
    (void)state;
    struct written *written = written_new();

    written_clear(written);
    for (int i = 0; i < WORDS; i++)
        written_note(written, address_of(i), 1000);
    written_clear(written);
    for (int i = 0; i < WORDS; i++)
        assert_int_equal(written_at(written, address_of(i)), 0);
    written_note(written, FIRST_ADDRESS, 3);
    assert_int_equal(written_at(written, FIRST_ADDRESS), 3);
    written_free(written);
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

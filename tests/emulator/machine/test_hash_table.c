/* SPDX-License-Identifier: MIT */
/* The hash table of observers: what is put in is found again, and nothing else. */
#include "../../cmocka_main.h"
#include "machine/hash_table.h"

enum { WORDS = 5000, FIRST_ADDRESS = 4096 };

struct word {
    uint64_t address, value, other;
};

static struct word *find(const struct hash_table *table, int i)
{
    return hash_table_find(table, sizeof(struct word), FIRST_ADDRESS + 4 * (uint64_t)i);
}

static struct word *make(struct hash_table *table, int i)
{
    return hash_table_make(table, sizeof(struct word), FIRST_ADDRESS + 4 * (uint64_t)i);
}

TEST(test_once)
{
    struct hash_table table = {0};

    assert_null(find(&table, 0));
    assert_int_equal(make(&table, 0)->value, 0);
    make(&table, 0)->value = 70;
    assert_int_equal(find(&table, 0)->value, 70);
    assert_int_equal(find(&table, 0)->address, FIRST_ADDRESS);
    assert_int_equal(table.count, 1);
    assert_null(find(&table, 1));
    hash_table_free(&table);
}

/* None is lost when the table grows, and one that it lacks is found to be absent. */
TEST(test_many)
{
    struct hash_table table = {0};

    for (int i = 0; i < WORDS; i++) {
        make(&table, i)->value = 1 + (uint64_t)i;
        assert_null(find(&table, i + 1));
    }
    assert_int_equal(table.count, WORDS);
    for (int i = 0; i < WORDS; i++) {
        assert_int_equal(find(&table, i)->value, 1 + i);
        assert_int_equal(find(&table, i)->other, 0);
    }
    hash_table_free(&table);
}

TEST(test_forgotten)
{
    struct hash_table table = {0};

    hash_table_free(&table);
    for (int i = 0; i < WORDS; i++)
        make(&table, i)->value = 1000;
    hash_table_free(&table);
    for (int i = 0; i < WORDS; i++)
        assert_null(find(&table, i));
    assert_int_equal(make(&table, 0)->value, 0);
    hash_table_free(&table);
}

TEST_MAIN()

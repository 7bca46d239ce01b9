/* SPDX-License-Identifier: MIT */
/* What p5a or p5b answers, taken from what it prints and held against a sieve and, where it is
 * installed, GMP: nothing of the chapter's own reference is between. Arguments: emu, the step. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cmocka_main.h"
#include "../temporary.h"

#ifdef HAVE_GMP
#include <gmp.h>
#endif

enum { SIEVED = 100000, RANDOM = 10000 };

static const char *emu, *program;

/* The answers that `emu program --json arguments` prints. */
static json_t *answers_to(const char *arguments)
{
    char command[1024];
    json_t *report, *answers;
    FILE *pipe;

    assert_true(snprintf(command, sizeof(command), "'%s' '%s' --json %s", emu, program, arguments) <
                (int)sizeof(command));
    pipe = popen(command, "r");
    assert_non_null(pipe);
    report = json_loadf(pipe, 0, NULL);
    assert_int_equal(pclose(pipe), 0);
    assert_non_null(report);
    answers = json_incref(json_object_get(report, "answers"));
    json_decref(report);
    return answers;
}

static bool is_prime(const json_t *answers, size_t i, uint64_t number)
{
    const json_t *answer = json_array_get(answers, i);
    const json_t *shown = json_object_get(answer, "number");
    char text[32];

    snprintf(text, sizeof(text), "%" PRIu64, number);
    if (number <= UINT64_C(1) << 53)
        assert_int_equal(json_integer_value(shown), number);
    else
        assert_string_equal(json_string_value(shown), text);
    return json_is_true(json_object_get(answer, "prime"));
}

TEST(test_sieve)
{
    json_t *answers = answers_to("--range 0 100000");
    uint8_t *composite = calloc(SIEVED + 1, 1);

    assert_non_null(composite);
    assert_int_equal(json_array_size(answers), SIEVED + 1);
    composite[0] = composite[1] = 1;
    for (uint32_t d = 2; d * d <= SIEVED; d++)
        for (uint32_t n = d * d; n <= SIEVED; n += d)
            composite[n] = 1;
    for (uint32_t n = 0; n <= SIEVED; n++)
        assert_int_equal(is_prime(answers, n, n), !composite[n]);
    free(composite);
    json_decref(answers);
}

#ifdef HAVE_GMP
/* Random numbers, odd and even, and the last ones below 2^64, in a file. */
TEST(test_gmp)
{
    char name[TEMPORARY_FILE], arguments[64];
    uint64_t number[RANDOM], x = 1;
    const int handle = temporary_file(name);
    FILE *file = fopen(name, "w");
    json_t *answers;
    mpz_t n;

    assert_non_null(file);
    for (int i = 0; i < RANDOM; i++) {
        x ^= x << 13; /* Marsaglia's xorshift, 2003 */
        x ^= x >> 7;
        x ^= x << 17;
        number[i] = i < 100 ? UINT64_MAX - (uint64_t)i : x;
        fprintf(file, "%" PRIu64 "\n", number[i]);
    }
    assert_int_equal(fclose(file), 0);
    snprintf(arguments, sizeof(arguments), "--file %s", name);
    answers = answers_to(arguments);
    close(handle);
    assert_int_equal(json_array_size(answers), RANDOM);
    mpz_init(n);
    for (size_t i = 0; i < RANDOM; i++) {
        mpz_set_ui(n, number[i]);
        assert_int_equal(is_prime(answers, i, number[i]), mpz_probab_prime_p(n, 25) != 0);
    }
    mpz_clear(n);
    json_decref(answers);
}
#else
TEST(test_gmp)
{
    skip();
}
#endif

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s EMU P5\n", argv[0]);
        return 2;
    }
    emu = argv[1];
    program = argv[2];
    return cmocka_run_group_tests(tests, NULL, NULL);
}

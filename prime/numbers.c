/* Which numbers a step is asked about. */
#include "prime.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"

enum { LINE_LIMIT = 1024 }; /* of a file: no number needs as much */

static void add(struct prime_numbers *numbers, uint64_t value)
{
    if (numbers->count == numbers->room) {
        const size_t room = numbers->room ? 2 * numbers->room : 1024;
        uint64_t *larger = memory_host(room * sizeof(uint64_t));

        if (numbers->count)
            memcpy(larger, numbers->value, numbers->count * sizeof(uint64_t));
        free(numbers->value);
        numbers->value = larger;
        numbers->room = room;
    }
    numbers->value[numbers->count++] = value;
}

/* The `text` of `length` bytes is no number. Of a long one the beginning is shown, and as \xNN what
 * a terminal might obey. */
static int refuse_number(const char *where, const char *text, size_t length, const char *wrong)
{
    enum { SHOWN = 40 };
    char shown[4 * SHOWN + 1];

    escape_text(text, length < SHOWN ? length : SHOWN, shown, sizeof(shown));
    return options_refuse("%s'%s': %s; a number is 0 to %" PRIu64 ", decimal or 0x", where, shown,
                          wrong, UINT64_MAX);
}

int prime_add_operand(void *numbers, char *const *values)
{
    uint64_t value;
    const char *wrong = number_read_unsigned(values[0], &value);

    if (wrong)
        return refuse_number("unexpected ", values[0], strlen(values[0]), wrong);
    add(numbers, value);
    return -1;
}

int prime_add_range(void *numbers, char *const *values)
{
    uint64_t end[2];

    for (int i = 0; i < 2; i++) {
        const char *wrong = number_read_unsigned(values[i], &end[i]);

        if (wrong)
            return refuse_number("--range ", values[i], strlen(values[i]), wrong);
    }
    if (end[1] < end[0])
        return options_refuse("--range %s %s: ends before it begins", values[0], values[1]);
    if (end[1] - end[0] >= (uint64_t)OPTIONS_MAX_N)
        return options_refuse("--range %s %s: more than %" PRId64 " numbers", values[0], values[1],
                              OPTIONS_MAX_N);
    for (uint64_t i = 0; i <= end[1] - end[0]; i++)
        add(numbers, end[0] + i);
    return -1;
}

static bool is_blank(char byte)
{
    return byte && strchr(" \t\r\n", byte);
}

/* One line of a file, `length` bytes, with what editors and other systems put around a number. */
static int add_line(struct prime_numbers *numbers, const char *name, size_t number, char *line,
                    size_t length)
{
    char where[512];
    const char *wrong;
    uint64_t value;

    while (length > 0 && is_blank(line[length - 1]))
        line[--length] = '\0';
    for (; is_blank(*line); length--)
        line++;
    wrong = strlen(line) < length ? "not a whole number" : number_read_unsigned(line, &value);
    if (wrong) {
        snprintf(where, sizeof(where), "--file %s, line %zu: ", name, number);
        return refuse_number(where, line, length, wrong);
    }
    add(numbers, value);
    return -1;
}

/* Read a line without its end into `line`, of which no more than LINE_LIMIT bytes and one are
 * taken. Returns its length, or -1 where there is none. */
static int read_line(FILE *file, char *line)
{
    int length = 0, byte;

    while ((byte = getc(file)) != EOF && byte != '\n' && length <= LINE_LIMIT)
        line[length++] = (char)byte;
    line[length] = '\0';
    return byte == EOF && length == 0 ? -1 : length;
}

/* The numbers of `file`, while there is nothing wrong with them. Returns -1 or the exit code. */
static int read_numbers(struct prime_numbers *numbers, FILE *file, const char *name)
{
    char line[LINE_LIMIT + 2];
    int length, code = -1;

    for (size_t number = 1; code < 0 && (length = read_line(file, line)) >= 0; number++) {
        if (length > LINE_LIMIT)
            return options_refuse("--file %s, line %zu: longer than %d bytes", name, number,
                                  LINE_LIMIT);
        if (number > (size_t)OPTIONS_MAX_N)
            return options_refuse("--file %s: more than %" PRId64 " numbers", name, OPTIONS_MAX_N);
        code = add_line(numbers, name, number, line, (size_t)length);
    }
    return code;
}

int prime_add_file(void *numbers, char *const *values)
{
    const size_t before = ((struct prime_numbers *)numbers)->count;
    FILE *file = fopen(values[0], "r");
    int code;

    if (!file)
        return options_refuse("--file %s: %s", values[0], strerror(errno));
    code = read_numbers(numbers, file, values[0]);
    if (code < 0 && ferror(file))
        code = options_refuse("--file %s: %s", values[0], strerror(errno));
    else if (code < 0 && ((struct prime_numbers *)numbers)->count == before)
        code = options_refuse("--file %s: there is no number in it", values[0]);
    fclose(file);
    return code;
}

/* --- Random numbers --------------------------------------------------------------------------- */

static const uint64_t largest_prime = UINT64_MAX - 58; /* 2^64 - 59 */

static void go_to_primes(void *self, size_t begin, size_t end)
{
    uint64_t *value = self;

    for (size_t i = begin; i < end; i++) {
        if (value[i] > largest_prime)
            value[i] = largest_prime;
        while (!prime_is_prime(value[i]))
            value[i] += 2;
    }
}

void prime_add_random(struct prime_numbers *numbers, size_t count, uint64_t seed, bool primes)
{
    const size_t before = numbers->count;
    struct rng rng = rng_seed(seed);

    for (size_t i = 0; i < count; i++)
        add(numbers, rng_next(&rng) | 1);
    if (primes && count)
        prime_parallel(count, go_to_primes, numbers->value + before);
}

/* --- Awkward numbers -------------------------------------------------------------------------- */

/* Strong pseudoprimes to the first 1, 2, ... 12 prime bases (OEIS A014233, those below 2^64), and
 * others to base 2; numbers p (2 p - 1) that pass the first three, four, five and six of the bases
 * in sieves.h and fail the next; Carmichael numbers; primes and Mersenne numbers; what lies beside
 * a power of two. */
static const uint64_t awkward[] = {
    2047,
    1373653,
    25326001,
    3215031751,
    2152302898747,
    3474749660383,
    341550071728321,
    3825123056546413051,
    3277,
    4033,
    4681,
    8321,
    15841,
    29341,
    42799,
    49141,
    4759123141,
    1122004669633,
    2521542699721,
    2849842961101,
    5517315475561,
    5605762367341,
    14401064498941,
    82597767312061,
    107528788110061,
    4124056415015881,
    561,
    1105,
    1729,
    2465,
    2821,
    6601,
    8911,
    10585,
    41041,
    62745,
    825265,
    321197185,
    5394826801,
    232250619601,
    9746347772161,
    1436697831295441,
    60977817398996785,
    7156857700403137441,
    2147483647,
    4294967291,
    4294967279,
    4294967311,
    1099511627689,
    2305843009213693951,
    9223372036854775783,
    18446744073709551557u,
    2147483646,
    2147483648,
    4294967295,
    4294967296,
    4294967297,
    9223372036854775807,
    9223372036854775808u,
    18446744073709551556u,
    18446744073709551558u,
    18446744073709551614u,
    18446744073709551615u,
};

/* Primes whose squares and products with one another are composites with no smaller divisor: up to
 * the largest below 2^16 and 2^32. */
static const uint64_t factors[] = {
    7,     31,    101,   251,     257,      1009,       4093,       32749,      32771,      46337,
    65519, 65521, 65537, 1000003, 16777213, 2147483629, 2147483647, 4294967279, 4294967291,
};

void prime_add_awkward(struct prime_numbers *numbers, uint64_t all, uint64_t limit)
{
    const size_t count = sizeof(factors) / sizeof(factors[0]);

    for (uint64_t n = 0; n <= all; n++)
        add(numbers, n);
    for (size_t i = 0; i < sizeof(awkward) / sizeof(awkward[0]); i++)
        if (awkward[i] <= limit)
            add(numbers, awkward[i]);
    for (size_t i = 0; i < count; i++)
        for (size_t k = i; k < count; k++)
            if (factors[k] <= limit / factors[i])
                add(numbers, factors[i] * factors[k]);
}

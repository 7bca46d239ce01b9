/* SPDX-License-Identifier: MIT */
/* options.c: what is taken, and what is refused with one line and EXIT_USAGE. */
#include <inttypes.h>
#include <string.h>

#include "unit.h"

enum { MAX_ARGUMENTS = 8 };

/* A command line for a child, split at single spaces; "" stays an argument. */
struct command {
    const char *line;
    int64_t max_n;
    const char *why_max;
};

static int64_t threads, blocks;

static int parse(const struct command *command, struct options *options)
{
    const struct option_row own[] = {
        {"threads", &threads, 1, 1024, "threads in a block", true, NULL},
        {"blocks", &blocks, 1, 65535, "blocks in the grid", false, "as many as fit"},
        {"elements", NULL, 1, 0, "which this program does not have", false, NULL},
    };
    const struct option_list list = {
        .size = {1000, 50, 0, command->max_n, command->why_max, NULL},
        .rows = own,
        .row_count = sizeof(own) / sizeof(own[0]),
    };
    char line[256], *argv[MAX_ARGUMENTS + 2] = {(char *)"program"}, *rest = line;
    int argc = 1;

    snprintf(line, sizeof(line), "%s", command->line);
    while (rest && *command->line && argc <= MAX_ARGUMENTS)
        argv[argc++] = strsep(&rest, " ");
    threads = 256;
    blocks = 32;
    return options_parse(argc, argv, &list, options);
}

/* Exits with 100 where options_parse says to go on. */
static int parse_in_child(void *data)
{
    struct options options;
    const int code = parse(data, &options);

    return code < 0 ? 100 : code;
}

static struct outcome run_line(const char *line)
{
    struct command command = {.line = line, .max_n = OPTIONS_MAX_N};

    return run_child(parse_in_child, &command);
}

static struct options taken(const char *line)
{
    const struct command command = {.line = line, .max_n = OPTIONS_MAX_N};
    struct options options;

    assert_int_equal(parse(&command, &options), -1);
    return options;
}

static void refused(const char *line, const char *message)
{
    const struct outcome outcome = run_line(line);

    assert_one_line(outcome.err, message);
    assert_int_equal(outcome.code, EXIT_USAGE);
    assert_string_equal(outcome.out, "");
}

TEST(test_defaults)
{
    const struct options options = taken("");

    assert_int_equal(options.n, 1000);
    assert_int_equal(options.runs, OPTIONS_RUNS_UNSET);
    assert_int_equal(options.seed, 1);
    assert_int_equal(options.device, -1);
    assert_false(options.n_given || options.all_sizes || options.json || options.cold);
    assert_true(options.poison && options.guard);
    assert_int_equal(threads, 256);
    assert_int_equal(blocks, 32);
}

TEST(test_numbers)
{
    assert_int_equal(taken("--n 5").n, 5);
    assert_int_equal(taken("--n=5").n, 5);
    assert_int_equal(taken("--n 0").n, 0);
    assert_true(taken("--n 0").n_given);
    assert_int_equal(taken("--n 0x10").n, 16);
    assert_int_equal(taken("--n 0XfF").n, 255);
    assert_int_equal(taken("--n 010").n, 10); /* not octal */
    assert_int_equal(taken("--n 1073741824").n, 1 << 30);
    assert_int_equal(taken("--n 1 --n 2").n, 2);
    assert_true(taken("--seed 9223372036854775807").seed == INT64_MAX);
    assert_int_equal(taken("--runs 10000").runs, 10000);
    assert_int_equal(taken("--device 0").device, 0);
    taken("--threads 512 --blocks=65535");
    assert_int_equal(threads, 512);
    assert_int_equal(blocks, 65535);
}

TEST(test_flags)
{
    const struct options options =
        taken("--json --cold --no-check --no-poison --no-guard --all-sizes");

    assert_true(options.json && options.cold && options.all_sizes);
    assert_false(options.check || options.poison || options.guard);
}

TEST(test_not_a_number)
{
    static const char *const texts[] = {"abc", "1.5", "1e6", "nan",   "inf", "",    "+5",  "5x",
                                        "0x",  "0xg", "--5", "5,000", "0b1", "\t5", "1_0", "-"};
    char line[64];

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        snprintf(line, sizeof(line), "--n=%s", texts[i]);
        refused(line, "not a whole number; allowed is 0 to 1073741824");
        snprintf(line, sizeof(line), "--n %s", texts[i]);
        refused(line, "not a whole number");
    }
}

TEST(test_out_of_range)
{
    refused("--n -1", "--n '-1': too small; allowed is 0 to 1073741824");
    refused("--n 1073741825", "too large; allowed is 0 to 1073741824 (");
    refused("--n 99999999999999999999", "too large");
    refused("--n -99999999999999999999", "too small");
    refused("--n 0xffffffffffffffffffff", "too large");
    refused("--runs 0", "--runs '0': too small; allowed is 1 to 10000");
    refused("--runs 10001", "too large");
    refused("--seed -1", "too small");
    refused("--seed 9223372036854775808", "too large");
    refused("--device -1", "too small");
    refused("--threads 2048", "--threads '2048': too large; allowed is 1 to 1024, powers of two");
    refused("--threads 96", "not a power of two");
    refused("--blocks 65536", "too large; allowed is 1 to 65535\n");
}

TEST(test_bad_form)
{
    refused("--frobnicate", "unknown option '--frobnicate'");
    refused("--n", "--n needs a number");
    refused("--json --threads", "--threads needs a number");
    refused("--n --json", "'--json': not a whole number");
    refused("--json=1", "--json takes no value");
    refused("-n 5", "unknown option '-n'");
    refused("-abc", "unknown option '-abc'");
    refused("5", "unexpected '5'");
    refused("--n 5 six", "unexpected 'six'");
    refused("-- --n", "unexpected '--n'");
    refused("-", "unexpected '-'");
    refused("--n 1 --all-sizes", "one or the other");
}

/* getopt_long would take each of these for the option it begins like. */
TEST(test_abbreviations)
{
    refused("--ru 3", "unknown option '--ru'");
    refused("--ru", "unknown option '--ru'");
    refused("--js", "unknown option '--js'");
    refused("--js=1", "unknown option '--js=1'");
    refused("--no 3", "unknown option '--no'");
    refused("--N 3", "unknown option '--N'");
}

TEST(test_why_max)
{
    struct command command = {"--n 500", 400, "its one sum would overflow"};
    struct outcome outcome = run_child(parse_in_child, &command);

    assert_one_line(outcome.err, "too large; allowed is 0 to 400 (its one sum would overflow)");
    assert_int_equal(outcome.code, EXIT_USAGE);
}

/* What the chapter's own options of any kind took, as "name:value,value;". */
struct taken_texts {
    char said[128];
};

static int take(struct taken_texts *taken, const char *name, int count, char *const *values)
{
    size_t length = strlen(taken->said);

    if (count > 0 && !strcmp(values[0], "bad"))
        return options_refuse("%s is bad", name);
    length += (size_t)snprintf(taken->said + length, sizeof(taken->said) - length, "%s:", name);
    for (int i = 0; i < count; i++)
        length +=
            (size_t)snprintf(taken->said + length, sizeof(taken->said) - length, "%s,", values[i]);
    snprintf(taken->said + length, sizeof(taken->said) - length, ";");
    return -1;
}

static int take_operand(void *self, char *const *values)
{
    return take(self, "operand", 1, values);
}

static int take_pair(void *self, char *const *values)
{
    return take(self, "pair", 2, values);
}

static int take_word(void *self, char *const *values)
{
    return take(self, "word", 1, values);
}

static int take_flag(void *self, char *const *values)
{
    return take(self, "flag", 0, values);
}

/* Prints what was taken; exits with 100 where options_parse_texts says to go on. */
static int parse_texts_in_child(void *data)
{
    struct taken_texts taken = {""};
    const struct option_text texts[] = {
        {NULL, 1, "WORD", "the words", take_operand, &taken},
        {"pair", 2, "A B", "two words", take_pair, &taken},
        {"word", 1, "W", "one word", take_word, &taken},
        {"flag", 0, NULL, "no word", take_flag, &taken},
    };
    const struct option_list list = {.texts = texts,
                                     .text_count = sizeof(texts) / sizeof(texts[0])};
    struct options options;
    char line[256], *argv[MAX_ARGUMENTS + 2] = {(char *)"program"}, *rest = line;
    int argc = 1, code;

    snprintf(line, sizeof(line), "%s", (const char *)data);
    while (rest && *rest && argc <= MAX_ARGUMENTS)
        argv[argc++] = strsep(&rest, " ");
    code = options_parse(argc, argv, &list, &options);
    if (code >= 0)
        return code;
    printf("%s seed %" PRId64, taken.said, options.seed);
    return 100;
}

TEST(test_texts)
{
    static const char *const lines[][2] = {
        {"", " seed 1"},
        {"5", "operand:5,; seed 1"},
        {"5 --seed 3 6", "operand:5,;operand:6,; seed 3"},
        {"-- 5 6", "operand:5,;operand:6,; seed 1"},
        {"--pair 1 2 3", "pair:1,2,;operand:3,; seed 1"},
        {"--pair=1 2 --flag", "pair:1,2,;flag:; seed 1"},
        {"--word x --word=y --seed=7", "word:x,;word:y,; seed 7"},
    };

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        const struct outcome outcome = run_child(parse_texts_in_child, (void *)lines[i][0]);

        assert_string_equal(outcome.err, "");
        assert_string_equal(outcome.out, lines[i][1]);
        assert_int_equal(outcome.code, 100);
    }
}

TEST(test_texts_refused)
{
    static const char *const lines[][2] = {
        {"--pair", "--pair needs A B after it"}, {"--pair 1", "--pair needs A B after it"},
        {"--word", "--word needs W after it"},   {"--flag=1", "--flag takes no value"},
        {"5 bad 6", "operand is bad"},           {"--word bad", "word is bad"},
        {"5 --frobnicate", "unknown option"},    {"-5", "unknown option '-5'"},
        {"--fla", "unknown option '--fla'"},     {"5 --seed", "--seed needs a number"},
    };
    const struct outcome help = run_child(parse_texts_in_child, (void *)"--help");

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        const struct outcome outcome = run_child(parse_texts_in_child, (void *)lines[i][0]);

        assert_one_line(outcome.err, lines[i][1]);
        assert_string_equal(outcome.out, "");
        assert_int_equal(outcome.code, EXIT_USAGE);
    }
    assert_int_equal(help.code, EXIT_MATCH);
    assert_contains(help.out, "Usage: test_options [OPTION]... [WORD]...\n");
    assert_contains(help.out, "  WORD               the words\n");
    assert_contains(help.out, "  --pair A B         two words\n");
    assert_contains(help.out, "  --flag             no word\n");
}

/* A program without a size has no option for one. */
TEST(test_no_size)
{
    static const char *const lines[] = {"--n 5", "--all-sizes"};

    for (int i = 0; i < 2; i++) {
        struct command command = {lines[i], 0, NULL};
        const struct outcome outcome = run_child(parse_in_child, &command);

        assert_one_line(outcome.err, "unknown option");
        assert_int_equal(outcome.code, EXIT_USAGE);
    }
}

TEST(test_help)
{
    static const char *const lines[] = {"--help", "--json --help", "--help --json", "--n 5 --help"};
    static const char *const parts[] = {
        "Usage: test_options ",
        "elements: 0 to 1073741824",
        "default 1000, 50 where times are modelled\n",
        "threads in a block: 1 to 1024, powers of two; default 256\n",
        "blocks in the grid: 1 to 65535; default as many as fit\n",
        "21 on a GPU",
        "--all-sizes",
        "77 no suitable device",
    };

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        const struct outcome outcome = run_line(lines[i]);

        assert_int_equal(outcome.code, EXIT_MATCH);
        assert_string_equal(outcome.err, "");
        for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++)
            assert_contains(outcome.out, parts[k]);
        /* No option without a name. */
        assert_null(strstr(outcome.out, "(null)"));
        assert_null(strstr(outcome.out, "-- "));
    }
}

TEST_MAIN()

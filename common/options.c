/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "common.h"

#include <errno.h> /* program_invocation_short_name */
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTIONS_MAX = 32,
    OPTIONS_MAX_VALUES = 4, /* after one name */
    OPTIONS_FIRST = 256, /* above any character: getopt's '?' and ':' */
};

/* An option of the program: a number, a flag and what it becomes when given, or a text. */
struct entry {
    struct option_row row; /* .value is NULL for a flag and a text */
    bool *flag, becomes;
    const struct option_text *text;
    const char *why; /* where the limits of a number come from, or NULL */
    int64_t default_number, default_modelled; /* for --help; the latter 0: the same */
};

struct table {
    struct entry entries[OPTIONS_MAX];
    size_t count;
    const struct option_text *operands; /* NULL: there are none */
};

struct options options_default(int64_t n)
{
    return (struct options){
        .n = n,
        .runs = OPTIONS_RUNS_UNSET,
        .seed = 1,
        .device = -1,
        .check = true,
        .poison = true,
        .guard = true,
    };
}

int options_refuse(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    check_vsay(format, arguments);
    va_end(arguments);
    return EXIT_USAGE;
}

static void add_entry(struct table *table, struct entry entry)
{
    if (table->count == OPTIONS_MAX) {
        check_say("the program has more than %d options", OPTIONS_MAX);
        abort();
    }
    table->entries[table->count++] = entry;
}

static void add_number(struct table *table, struct option_row row)
{
    add_entry(table, (struct entry){.row = row, .default_number = *row.value});
}

static void add_size(struct table *table, const struct option_size *size, int64_t *n)
{
    add_entry(table, (struct entry){
                         .row = {.name = "n",
                                 .value = n,
                                 .min = size->min,
                                 .max = size->max,
                                 .help = size->help ? size->help : "elements"},
                         .why = size->why_max ? size->why_max : "the suite goes no further",
                         .default_number = size->usual,
                         .default_modelled = size->modelled,
                     });
}

static void add_flag(struct table *table, const char *name, bool *flag, bool becomes,
                     const char *help)
{
    add_entry(table, (struct entry){
                         .row = {.name = name, .help = help}, .flag = flag, .becomes = becomes});
}

static void add_text(struct table *table, const struct option_text *text)
{
    if (text->name)
        add_entry(table,
                  (struct entry){.row = {.name = text->name, .help = text->help}, .text = text});
    else
        table->operands = text;
}

/* Every option of the program, in the order of --help. */
static void fill_table(struct table *table, const struct option_list *list, struct options *options,
                       bool *help)
{
    const bool sized = list->size.max > 0;

    if (sized)
        add_size(table, &list->size, &options->n);
    for (size_t i = 0; i < list->row_count; i++)
        if (list->rows[i].max > 0)
            add_number(table, list->rows[i]);
    for (size_t i = 0; i < list->text_count; i++)
        add_text(table, &list->texts[i]);
    add_number(table, (struct option_row){"runs", &options->runs, 1, RUN_MAX_RUNS, "timed runs",
                                          false, "21 on a GPU, 1 where times are modelled"});
    add_number(table, (struct option_row){"seed", &options->seed, 0, INT64_MAX, "of the input",
                                          false, NULL});
    add_number(table, (struct option_row){"device", &options->device, 0, INT_MAX,
                                          "the device to use", false, "the first suitable one"});
    if (sized)
        add_flag(table, "all-sizes", &options->all_sizes, true,
                 "check the awkward sizes, once each");
    add_flag(table, "cold", &options->cold, true, "empty the L2 cache before every run");
    add_flag(table, "no-check", &options->check, false,
             "time it at its size on a GPU, and compare nothing");
    add_flag(table, "no-poison", &options->poison, false,
             "do not fill outputs with 0xFF before a run");
    add_flag(table, "no-guard", &options->guard, false, "put no guard bytes behind outputs");
    add_flag(table, "json", &options->json, true, "print one JSON object per line");
    add_flag(table, "help", help, true, "print this help");
}

static const struct entry *find_entry(const struct table *table, const char *name, size_t length)
{
    for (size_t i = 0; i < table->count; i++) {
        const char *known = table->entries[i].row.name;

        if (strlen(known) == length && !memcmp(known, name, length))
            return &table->entries[i];
    }
    return NULL;
}

/* "1 to 1024, powers of two", and why. */
static const char *allowed(const struct entry *entry, char *text, size_t size)
{
    snprintf(text, size, "%" PRId64 " to %" PRId64 "%s%s%s%s", entry->row.min, entry->row.max,
             entry->row.power_of_two ? ", powers of two" : "", entry->why ? " (" : "",
             entry->why ? entry->why : "", entry->why ? ")" : "");
    return text;
}

/* Set the number of `entry`, or say why not. Returns -1 or EXIT_USAGE. */
static int set_number(const struct entry *entry, const char *text)
{
    char range[256];
    int64_t number = 0;
    const char *wrong = number_read(text, entry->row.min, entry->row.max, &number);

    if (!wrong && entry->row.power_of_two && (number & (number - 1)))
        wrong = "not a power of two";
    if (wrong)
        return options_refuse("--%s '%s': %s; allowed is %s", entry->row.name, text, wrong,
                              allowed(entry, range, sizeof(range)));
    *entry->row.value = number;
    return -1;
}

/* How many values follow the name of `entry`. */
static int values_after(const struct entry *entry)
{
    return entry->text ? entry->text->values : entry->flag ? 0 : 1;
}

static void print_default(const struct entry *entry)
{
    if (entry->row.unset)
        printf("; default %s", entry->row.unset);
    else
        printf("; default %" PRId64, entry->default_number);
    if (entry->default_modelled)
        printf(", %" PRId64 " where times are modelled", entry->default_modelled);
}

static void print_help(const struct table *table)
{
    const struct option_text *operands = table->operands;

    printf("Usage: %s [OPTION]...%s%s%s\n\n", program_invocation_short_name, operands ? " [" : "",
           operands ? operands->usage : "", operands ? "]..." : "");
    if (operands)
        printf("  %-18s %s\n", operands->usage, operands->help);
    for (size_t i = 0; i < table->count; i++) {
        const struct entry *entry = &table->entries[i];
        char text[256];

        snprintf(text, sizeof(text), "--%s%s%s", entry->row.name, values_after(entry) ? " " : "",
                 entry->text && entry->text->values ? entry->text->usage
                 : entry->row.value                 ? "NUMBER"
                                                    : "");
        printf("  %-18s %s", text, entry->row.help);
        if (entry->row.value) {
            printf(": %s", allowed(entry, text, sizeof(text)));
            print_default(entry);
        }
        putchar('\n');
    }
    printf(
        "\nNumbers are decimal, or hexadecimal after 0x.\n"
        "Exit status: %d match, %d mismatch, %d bad usage, %d CUDA error, %d no suitable device.\n",
        EXIT_MATCH, EXIT_MISMATCH, EXIT_USAGE, EXIT_CUDA, EXIT_SKIP);
}

/* What is wrong with `argument`, which getopt_long took as `found`. Returns -1 if nothing is. */
static int refuse_argument(const struct table *table, const char *argument, int found)
{
    const char *name = argument + 2;
    const struct entry *entry = NULL;

    if (!strncmp(argument, "--", 2))
        entry = find_entry(table, name, strcspn(name, "="));
    if (!entry) /* getopt_long also takes abbreviations: one more option and they mean another */
        return options_refuse("unknown option '%s'; --help lists what there is", argument);
    if (found == ':')
        return options_refuse("--%s needs %s after it", entry->row.name,
                              entry->text ? entry->text->usage : "a number");
    if (found == '?')
        return options_refuse("--%s takes no value", entry->row.name);
    return -1;
}

/* Hand the values of `text` on: the first is `value`, further ones follow in argv. Returns -1 or
 * the exit code. */
static int take_text(const struct option_text *text, char *value, int argc, char **argv)
{
    char *values[OPTIONS_MAX_VALUES] = {value};

    for (int i = 1; i < text->values; i++) {
        if (optind >= argc)
            return options_refuse("--%s needs %s after it", text->name, text->usage);
        values[i] = argv[optind++];
    }
    return text->take(text->self, values);
}

/* An argument that is no option. Returns -1 or the exit code. */
static int take_operand(const struct option_text *operands, char *value)
{
    if (!operands)
        return options_refuse("unexpected '%s': there are options only; --help lists them", value);
    return operands->take(operands->self, &value);
}

/* Set what argv says. Returns -1 or the exit code. */
static int read_arguments(const struct table *table, int argc, char **argv)
{
    struct option names[OPTIONS_MAX + 1] = {0};
    bool only_operands;
    int code = -1;

    for (size_t i = 0; i < table->count; i++)
        names[i] = (struct option){
            .name = table->entries[i].row.name,
            .has_arg = values_after(&table->entries[i]) ? required_argument : no_argument,
            .val = OPTIONS_FIRST + (int)i,
        };
    opterr = 0; /* the messages are ours */
    optind = 0; /* start afresh, whoever called before */
    while (code < 0) {
        const int current = optind ? optind : 1;
        const int found = getopt_long(argc, argv, "+:", names, NULL);
        const struct entry *entry;

        if (found == -1) {
            if (optind == argc)
                break;
            only_operands = optind > current; /* getopt_long went past "--" */
            do {
                code = take_operand(table->operands, argv[optind++]);
            } while (only_operands && code < 0 && optind < argc);
            if (only_operands)
                break;
            continue;
        }
        code = refuse_argument(table, argv[current], found);
        if (code >= 0)
            break;
        entry = &table->entries[found - OPTIONS_FIRST];
        if (entry->flag)
            *entry->flag = entry->becomes;
        else if (entry->text)
            code = take_text(entry->text, optarg, argc, argv);
        else
            code = set_number(entry, optarg);
    }
    return code;
}

int options_parse(int argc, char **argv, const struct option_list *list, struct options *options)
{
    struct table table = {.count = 0};
    bool help = false;
    int code;

    *options = options_default(-1); /* which no --n sets */
    fill_table(&table, list, options, &help);
    code = read_arguments(&table, argc, argv);
    options->n_given = options->n != -1;
    if (!options->n_given)
        options->n = list->size.usual;
    if (code >= 0)
        return code;
    if (help) {
        print_help(&table);
        return report_delivered();
    }
    if (options->all_sizes && options->n_given)
        return options_refuse("--n and --all-sizes: give one or the other");
    return -1;
}

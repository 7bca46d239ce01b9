/* SPDX-License-Identifier: MIT */
/* chapter.c: which sizes a program measures, and what becomes of their exit codes. */
#include <stdio.h>
#include <string.h>

#include "unit.h"

enum { BAD_SIZE = 7, HUGE_SIZE = 9 };

/* A program of the tests: it is wrong at BAD_SIZE and refuses HUGE_SIZE. */
struct program {
    const char *argument; /* or two, a blank between */
    const char *wrong;
    const int *sizes;
    size_t size_count, modelled_count;
    uint64_t modelled_each;
    bool values, modelled, sampled, looks, cpu;
    bool prints; /* by itself */
    int64_t value; /* an option */
    struct chapter_variants variants;
};

static int look(void *self, struct options *options)
{
    const struct program *program = self;

    return program->looks && options->n == BAD_SIZE ? options_refuse("looked") : -1;
}

static int refuse(void *self, const struct session *session)
{
    (void)self;
    return session->options.n == HUGE_SIZE ? options_refuse("huge") : -1;
}

/* Says on stderr what it was asked for. */
static struct measurement measure(void *self, const struct session *session)
{
    const struct program *program = self;
    struct measurement measurement = measurement_new(session);

    fprintf(stderr, "%d/%d/%d ", (int)session->options.n,
            program->variants.end ? program->variants.now : (int)program->value,
            measurement.run.runs);
    measurement.verdict = compare_integer(session->options.n == BAD_SIZE, 0);
    return measurement;
}

static int print(void *self, const struct session *session, const struct measurement *measurement)
{
    (void)self;
    (void)session;
    fputs("printed ", stderr);
    return report_verdict(measurement).match ? EXIT_MATCH : EXIT_MISMATCH;
}

static int run_program(void *data)
{
    const struct step step = {"chapter", "test_chapter", "a title", 75};
    struct program *program = data;
    const struct option_row rows[] = {
        {.name = "value", .value = &program->value, .max = program->values ? 2 : 0},
    };
    const struct chapter chapter = {
        .options = {.size = {.usual = 50, .modelled = 5, .max = 100}, .rows = rows, .row_count = 1},
        .sizes = program->sizes,
        .size_count = program->size_count,
        .modelled_count = program->modelled_count,
        .each = program->values ? rows : NULL,
        .modelled_each = program->modelled_each,
        .variants = program->variants.end ? &program->variants : NULL,
        .report = program->prints ? print : NULL,
        .cpu = program->cpu,
        .wrong = program->wrong,
        .look = look,
        .refuse = refuse,
        .measure = measure,
        .self = program,
    };
    char line[64], *argv[4] = {(char *)"program"}, *rest = line;
    int argc = 1;

    snprintf(line, sizeof(line), "%s", program->argument);
    while (rest && *line && argc < 4)
        argv[argc++] = strsep(&rest, " ");
    fake.devices[0].modelled = program->modelled;
    fake.devices[0].sampled = program->sampled;
    return chapter_run(argc, argv, step, &chapter);
}

static void runs(struct program program, const char *said, int code)
{
    struct outcome outcome = run_child(run_program, &program);

    assert_string_equal(outcome.err, said);
    assert_int_equal(outcome.code, code);
}

TEST(test_one_size)
{
    runs((struct program){.argument = ""}, "50/0/21 ", EXIT_MATCH);
    runs((struct program){.argument = "--n 7"}, "7/0/21 ", EXIT_MISMATCH);
    runs((struct program){.argument = "--n 9"}, "test_chapter: huge\n", EXIT_USAGE);
    runs((struct program){.argument = "--n 101"},
         "test_chapter: --n '101': too large; allowed is 0 to 100 (the suite goes no further)\n",
         EXIT_USAGE);
    runs((struct program){.argument = "--device 1"},
         "test_chapter: --device 1: no such device; allowed is 0 to 0\n", EXIT_USAGE);
}

/* A model's default is another, but not what the user asks for. */
TEST(test_modelled)
{
    runs((struct program){.argument = "", .modelled = true}, "5/0/1 ", EXIT_MATCH);
    runs((struct program){.argument = "--n 50", .modelled = true}, "50/0/1 ", EXIT_MATCH);
}

/* Nothing is compared: at the size of a GPU it is neither right nor wrong. */
TEST(test_unchecked)
{
    const int sizes[] = {1};

    runs((struct program){.argument = "--no-check", .modelled = true}, "50/0/1 ", EXIT_MATCH);
    runs((struct program){.argument = "--n 7 --no-check"}, "7/0/21 ", EXIT_MATCH);
    runs((struct program){.argument = "--n 7", .modelled = true, .sampled = true}, "7/0/1 ",
         EXIT_MATCH);
    runs((struct program){.argument = "", .modelled = true, .sampled = true}, "50/0/1 ",
         EXIT_MATCH);
    runs((struct program){.argument = "--n 7", .sampled = true, .prints = true}, "7/0/21 printed ",
         EXIT_MISMATCH); /* it is no match, and this one asks for no more */
    runs((struct program){.argument = "--all-sizes --no-check", .sizes = sizes, .size_count = 1},
         "test_chapter: --all-sizes checks results, and nothing is to be checked\n", EXIT_USAGE);
}

/* Before there is a device. */
TEST(test_look)
{
    runs((struct program){.argument = "--n 7", .looks = true}, "test_chapter: looked\n",
         EXIT_USAGE);
    runs((struct program){.argument = "--n 8", .looks = true}, "8/0/21 ", EXIT_MATCH);
    fake.device_count = 0;
    runs((struct program){.argument = "--n 7", .looks = true}, "test_chapter: looked\n",
         EXIT_USAGE);
    fake_reset();
}

TEST(test_all_sizes)
{
    static const int sizes[] = {0, 1, BAD_SIZE, 8, HUGE_SIZE, 10};
    const struct program two = {.argument = "--all-sizes", .sizes = sizes, .size_count = 2};
    struct program program = two;

    runs(program, "0/0/1 1/0/1 ", EXIT_MATCH);
    program.argument = "--all-sizes --runs=3";
    runs(program, "0/0/3 1/0/3 ", EXIT_MATCH);

    program = two;
    program.size_count = 4; /* a mismatch is remembered, and the others are measured too */
    runs(program, "0/0/1 1/0/1 7/0/1 8/0/1 ", EXIT_MISMATCH);
    program.modelled_count = 2; /* no model here */
    runs(program, "0/0/1 1/0/1 7/0/1 8/0/1 ", EXIT_MISMATCH);
    program.modelled = true;
    runs(program, "0/0/1 1/0/1 ", EXIT_MATCH);

    program = two;
    program.size_count = 6;
    runs(program, "0/0/1 1/0/1 7/0/1 8/0/1 test_chapter: huge\n", EXIT_USAGE);
}

TEST(test_each_value)
{
    static const int sizes[] = {1, BAD_SIZE};
    struct program program = {
        .argument = "--all-sizes", .sizes = sizes, .size_count = 2, .values = true};

    runs(program, "1/0/1 1/1/1 1/2/1 7/0/1 7/1/1 7/2/1 ", EXIT_MISMATCH);
    program.modelled_each = 5;
    runs(program, "1/0/1 1/1/1 1/2/1 7/0/1 7/1/1 7/2/1 ", EXIT_MISMATCH);
    program.modelled = true;
    runs(program, "1/0/1 1/2/1 7/0/1 7/2/1 ", EXIT_MISMATCH);
    program.modelled = false;
    program.argument = "--value 2";
    runs(program, "50/2/21 ", EXIT_MATCH);
    program.argument = "--n 9 --value=2";
    runs(program, "test_chapter: huge\n", EXIT_USAGE);
}

/* Every variant is measured at every size, even after one that is wrong; one refusal is enough. */
TEST(test_variants)
{
    static const int sizes[] = {1, BAD_SIZE};
    struct program program = {.argument = "--n 8",
                              .sizes = sizes,
                              .size_count = 2,
                              .prints = true,
                              .variants = {.first = 1, .end = 3}};

    runs(program, "8/1/21 printed 8/2/21 printed ", EXIT_MATCH);
    program.argument = "--n 7";
    runs(program, "7/1/21 printed 7/2/21 printed ", EXIT_MISMATCH);
    program.argument = "--n 9";
    runs(program, "test_chapter: huge\n", EXIT_USAGE);
    program.argument = "--all-sizes";
    runs(program, "1/1/1 printed 1/2/1 printed 7/1/1 printed 7/2/1 printed ", EXIT_MISMATCH);
}

/* Whether or not there is a CUDA device, the program asks for none. */
TEST(test_cpu)
{
    fake.device_count = 0;
    runs((struct program){.argument = "", .cpu = true}, "50/0/3 ", EXIT_MATCH);
    runs((struct program){.argument = "--runs=5 --n=7", .cpu = true}, "7/0/5 ", EXIT_MISMATCH);
    runs((struct program){.argument = "--device 0", .cpu = true},
         "test_chapter: --device 0: no such device; this step runs on the CPU\n", EXIT_USAGE);
    fake_reset();
}

/* Its results do not count; bad usage does. */
TEST(test_wrong_on_purpose)
{
    static const char said[] = "7/0/21 test_chapter: wrong on purpose, whatever this run says: a "
                               "race\n";

    runs((struct program){.argument = "--n 7", .wrong = "a race"}, said, EXIT_MATCH);
    runs((struct program){.argument = "--n 9", .wrong = "a race"}, "test_chapter: huge\n",
         EXIT_USAGE);
    runs((struct program){.argument = "--help", .wrong = "a race"}, "", EXIT_MATCH);
}

int main(void)
{
    fake_reset();
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "start.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sizes where first kernels go wrong: one thread, around a warp, around a block of 256, more than a
 * small grid has threads, a prime. */
static const int awkward_sizes[] = {1,   31,   32,   33,   255,  256,   257,
                                    999, 1024, 1025, 8191, 8193, 65536, 100003};

static size_t numbers_of(const struct start_program *program, int64_t n)
{
    return (size_t)n * (size_t)(program->rows ? program->rows : 1);
}

/* Seeded numbers from 0 to START_BELOW - 1. */
static int *generate(size_t count, struct rng *rng)
{
    int *numbers = memory_host(count * sizeof(int));

    for (size_t i = 0; i < count; i++)
        numbers[i] = (int)rng_below(rng, START_BELOW);
    return numbers;
}

/* The first element that is wrong, or else the sums of all. */
static struct verdict compare(const struct start_program *program, const int *a, const int *b,
                              const int *out, int n)
{
    const size_t count = numbers_of(program, n);
    int64_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        const int wanted = program->element(a, b, n, (int)i);

        if (out[i] != wanted) {
            struct verdict verdict = compare_integer(out[i], wanted);

            snprintf(verdict.why, sizeof(verdict.why), "out[%zu] is %d and should be %d%s", i,
                     out[i], wanted, out[i] == -1 ? ": nobody wrote it" : "");
            return verdict;
        }
        sum += wanted;
    }
    return compare_integer(sum, sum);
}

/* The report in JSON is alone on stdout: what a kernel prints meanwhile goes to stderr. */
static int move_stdout(void)
{
    int kept;

    fflush(stdout);
    kept = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    return kept;
}

static void move_back(int kept)
{
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
}

static int refuse(void *self, const struct session *session)
{
    return memory_refuse(&session->device, 3 * sizeof(int) * numbers_of(self, session->options.n));
}

static struct measurement measure(void *self, const struct session *session)
{
    const struct start_program *program = self;
    const int n = (int)session->options.n;
    const size_t count = numbers_of(program, n);
    const int64_t runs = session->options.runs; /* 0: not said */
    struct rng rng = rng_seed((uint64_t)session->options.seed);
    int *a = generate(count, &rng), *b = generate(count, &rng);
    int *out = memory_host(count * sizeof(int));
    struct measurement measurement = measurement_new(session);
    const int kept = session->options.json ? move_stdout() : -1;

    for (int64_t i = 0; i < runs || i == 0; i++) {
        memset(out, MEMORY_POISON, count * sizeof(int)); /* a copy back that is forgotten shows */
        program->gpu(a, b, out, n, &measurement.run);
    }
    if (kept >= 0)
        move_back(kept);
    measurement.verdict = compare(program, a, b, out, n);
    free(a);
    free(b);
    free(out);
    return measurement;
}

int start_main(int argc, char **argv, struct step step, struct start_program program)
{
    size_t sizes = sizeof(awkward_sizes) / sizeof(awkward_sizes[0]);
    struct chapter chapter = {
        .options = {.size = {.usual = program.usual_n, .min = 1, .max = program.max_n}},
        .sizes = awkward_sizes,
        .refuse = refuse,
        .measure = measure,
        .self = &program,
    };

    while (awkward_sizes[sizes - 1] > program.max_n)
        sizes--;
    chapter.size_count = sizes;
    return chapter_run(argc, argv, step, &chapter);
}

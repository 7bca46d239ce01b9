#include "sort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes where kernels go wrong: nothing, one, around a warp, around a block, around a tile, a prime
 * that is many tiles. The first ones fit in one tile. */
static const int awkward_sizes[] = {0, 1, 2, 31, 32, 33, 1023, 1025, 2048, 4097, 7919};
enum { IN_ONE_TILE = 9 };

/* How keys are made, and, with PAIRS more, those of pairs. */
enum { RANDOM, SORTED, REVERSED, EQUAL, FEW, PAIRS };
enum { DISTINCT = 8 }; /* keys, where they are few */

/* What a step is asked for, and the items. */
struct problem {
    struct sort_step how;
    int64_t kind; /* 0 to 2 * PAIRS - 1 */
    int n;
    unsigned *keys, *sorted_keys; /* or else ... */
    pair_t *pairs, *sorted_pairs;
};

static unsigned key_at(const struct problem *problem, int i, unsigned first, struct rng *rng)
{
    const unsigned step = problem->n > 0 ? 0xffffffffu / (unsigned)problem->n : 0;

    switch (problem->kind % PAIRS) {
    case SORTED:
        return (unsigned)i * step;
    case REVERSED:
        return (unsigned)(problem->n - i) * step;
    case EQUAL:
        return first;
    case FEW:
        return first * (1 + rng_below(rng, DISTINCT));
    default:
        return (unsigned)rng_next(rng);
    }
}

static void generate(struct problem *problem, uint64_t seed)
{
    const bool pairs = problem->kind >= PAIRS;
    const size_t n = (size_t)problem->n;
    struct rng rng = rng_seed(seed);
    const unsigned first = (unsigned)rng_next(&rng);

    problem->keys = pairs ? NULL : memory_host(n * sizeof(unsigned));
    problem->sorted_keys = pairs ? NULL : memory_host(n * sizeof(unsigned));
    problem->pairs = pairs ? memory_host(n * sizeof(pair_t)) : NULL;
    problem->sorted_pairs = pairs ? memory_host(n * sizeof(pair_t)) : NULL;
    for (int i = 0; i < problem->n; i++) {
        const unsigned key = key_at(problem, i, first, &rng);

        if (pairs)
            problem->pairs[i] = (pair_t)key << 32 | (unsigned)i;
        else
            problem->keys[i] = key;
    }
}

/* One word for all that a set of items holds, in whatever order. */
static uint64_t mix(uint64_t item)
{
    struct rng rng = rng_seed(item);

    return rng_next(&rng);
}

/* Item i, before and after, in 64 bits. Sorted and stable, pairs with their places as values ascend
 * throughout. */
static uint64_t before(const struct problem *problem, int i)
{
    return problem->pairs ? problem->pairs[i] : problem->keys[i];
}
static uint64_t after(const struct problem *problem, int i)
{
    return problem->pairs ? problem->sorted_pairs[i] : problem->sorted_keys[i];
}

/* The items are in order, and they are those that came. */
static struct verdict compare(const struct problem *problem)
{
    uint64_t in = 0, out = 0;
    struct verdict verdict;

    for (int i = 0; i < problem->n; i++) {
        in += mix(before(problem, i));
        out += mix(after(problem, i));
    }
    verdict = compare_integer((int64_t)out, (int64_t)in);
    if (!verdict.match)
        snprintf(verdict.why, sizeof(verdict.why), "these are not the items that came");
    for (int i = 1; verdict.match && i < problem->n; i++)
        if (after(problem, i) < after(problem, i - 1)) {
            verdict = compare_integer((int64_t)after(problem, i), (int64_t)after(problem, i - 1));
            snprintf(verdict.why, sizeof(verdict.why), "item %d belongs before the one before", i);
        }
    return verdict;
}

static struct measurement measure(void *self, const struct session *session)
{
    struct problem *problem = self;
    struct measurement measurement = measurement_new(session);
    const size_t size = problem->kind < PAIRS ? sizeof(unsigned) : sizeof(pair_t);
    char digest[COMPARE_DIGEST_SIZE];

    problem->n = (int)session->options.n;
    generate(problem, (uint64_t)session->options.seed);
    if (problem->keys)
        problem->how.keys(problem->keys, problem->n, &measurement.run, problem->sorted_keys);
    else
        problem->how.pairs(problem->pairs, problem->n, &measurement.run, problem->sorted_pairs);
    compare_digest(problem->keys ? (void *)problem->sorted_keys : problem->sorted_pairs,
                   (size_t)problem->n * size, digest);
    measurement.problem = problem->how.one_tile ? "one tile" : "many numbers";
    measurement.work.bytes = 2.0 * problem->n * (double)size;
    measurement.verdict = compare(problem);
    measurement.own = json_pack("{s:i, s:s}", "kind", (int)problem->kind, "digest", digest);
    free(problem->keys);
    free(problem->sorted_keys);
    free(problem->pairs);
    free(problem->sorted_pairs);
    return measurement;
}

/* Input, output and as much again in between; on the host input and output. */
static int refuse(void *self, const struct session *session)
{
    (void)self;
    return memory_refuse(&session->device, 3 * (size_t)session->options.n * sizeof(pair_t));
}

int sort_main(int argc, char **argv, struct step step, struct sort_step how)
{
    struct problem problem = {.how = how};
    const struct option_row rows[] = {
        {.name = "kind",
         .value = &problem.kind,
         .max = how.pairs ? 2 * PAIRS - 1 : PAIRS - 1,
         .help = how.pairs ? "keys, 0: random, 1: sorted, 2: reversed, 3: equal, 4: few; "
                             "5 to 9: pairs"
                           : "0: random, 1: sorted, 2: reversed, 3: equal, 4: few"},
    };
    const struct chapter chapter = {
        .options = {.size = {.usual = how.one_tile ? SORT_ONE_TILE_N : SORT_N,
                             .modelled = how.one_tile ? SORT_ONE_TILE_N : SORT_EMULATED_N,
                             .max = how.one_tile ? SORT_ONE_TILE_N : OPTIONS_MAX_N,
                             .why_max = how.one_tile ? "one block sorts them" : NULL},
                    .rows = rows,
                    .row_count = sizeof(rows) / sizeof(rows[0])},
        .sizes = awkward_sizes,
        .size_count = how.one_tile ? IN_ONE_TILE : sizeof(awkward_sizes) / sizeof(awkward_sizes[0]),
        .each = &rows[0],
        .refuse = refuse,
        .measure = measure,
        .self = &problem,
    };

    return chapter_run(argc, argv, step, &chapter);
}

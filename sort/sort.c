#include "sort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes where kernels go wrong: nothing, one, around a warp, around a block, around a tile, with a
 * prime that is a little more, and one more than all tiles that the device has in work at once,
 * whatever that is. The first ones fit in one tile. */
enum { MORE_THAN_A_WAVE = -1, IN_ONE_TILE = 8 };
static const int awkward_sizes[] = {0, 1, 31, 32, 33, 1023, 1025, 2048, 4099, MORE_THAN_A_WAVE};

/* How keys are made. A kind is one of these, plus KEYS times what the items are: bit 0 of that says
 * that keys have 64 bits, bit 1 that each has a value. */
enum { RANDOM, SORTED, REVERSED, EQUAL, FEW, KEYS };
enum { WIDE = 1, PAIRS = 2 };
/* On the emulator --all-sizes makes keys of 32 bits in all ways, and all other items in some. */
#define KIND(keys, what) (UINT64_C(1) << ((keys) + KEYS * (what)))
#define KINDS_OF_A_MODEL                                                                     \
    (KIND(RANDOM, 0) | KIND(SORTED, 0) | KIND(REVERSED, 0) | KIND(EQUAL, 0) | KIND(FEW, 0) | \
     KIND(RANDOM, WIDE) | KIND(FEW, WIDE) | KIND(RANDOM, PAIRS) | KIND(REVERSED, WIDE | PAIRS))
enum {
    DISTINCT = 8,
    SHARED_BITS = 14
}; /* where they are few: of the upper 32, all below differ not */

/* What a step is asked for, and the items. */
struct problem {
    struct sort_step how;
    int64_t kind; /* 0 to 4 * KEYS - 1 */
    int n;
    void *items, *sorted;
};

static int64_t size_of(const struct problem *problem, const struct session *session)
{
    if (session->options.n != MORE_THAN_A_WAVE)
        return session->options.n;
    return chapter_wave_blocks(&problem->how.wave, session) * problem->how.tile + 1;
}

static bool is(const struct problem *problem, int what)
{
    return problem->kind / KEYS & what;
}

static size_t item_size(const struct problem *problem)
{
    return sizeof(unsigned) << is(problem, WIDE) << is(problem, PAIRS);
}

/* A key of 64 bits, of which one of 32 is the upper half. */
static uint64_t key_at(const struct problem *problem, int i, uint64_t first, struct rng *rng)
{
    const uint64_t step = problem->n > 0 ? UINT64_MAX / (unsigned)problem->n : 0;

    switch (problem->kind % KEYS) {
    case SORTED:
        return (unsigned)i * step;
    case REVERSED:
        return (unsigned)(problem->n - i) * step;
    case EQUAL:
        return first;
    case FEW:
        return first ^ (uint64_t)rng_below(rng, DISTINCT) << (32 + SHARED_BITS);
    default:
        return rng_next(rng);
    }
}

static void generate(struct problem *problem, uint64_t seed)
{
    struct rng rng = rng_seed(seed);
    const uint64_t first = rng_next(&rng);

    problem->items = memory_host((size_t)problem->n * item_size(problem));
    problem->sorted = memory_host((size_t)problem->n * item_size(problem));
    for (int i = 0; i < problem->n; i++) {
        const uint64_t key = key_at(problem, i, first, &rng);
        const unsigned upper = key >> 32;

        if (is(problem, WIDE) && is(problem, PAIRS))
            ((wide_pair *)problem->items)[i] = (wide_pair){(unsigned)i, key};
        else if (is(problem, WIDE))
            ((wide_key *)problem->items)[i] = key;
        else if (is(problem, PAIRS))
            ((pair_t *)problem->items)[i] = (pair_t){(unsigned)i, upper};
        else
            ((unsigned *)problem->items)[i] = upper;
    }
}

/* Item i of those at `items`, as a pair; a key alone has the value 0. */
static wide_pair pair_at(const struct problem *problem, const void *items, int i)
{
    if (is(problem, WIDE) && is(problem, PAIRS))
        return ((const wide_pair *)items)[i];
    if (is(problem, WIDE))
        return (wide_pair){0, ((const wide_key *)items)[i]};
    if (is(problem, PAIRS))
        return (wide_pair){((const pair_t *)items)[i].value, ((const pair_t *)items)[i].key};
    return (wide_pair){0, ((const unsigned *)items)[i]};
}

/* One word for all that a set of items holds, in whatever order. */
static uint64_t mix(wide_pair item)
{
    struct rng rng = rng_seed(item.key), of_both = rng_seed(rng_next(&rng) ^ item.value);

    return rng_next(&of_both);
}

/* Pairs have their places as values: sorted and stable, these ascend where keys are equal. */
static bool in_order(wide_pair a, wide_pair b)
{
    return a.key < b.key || (a.key == b.key && a.value <= b.value);
}

/* The items are in order, and they are those that came. */
static struct verdict compare(const struct problem *problem)
{
    uint64_t in = 0, out = 0;
    struct verdict verdict;

    for (int i = 0; i < problem->n; i++) {
        in += mix(pair_at(problem, problem->items, i));
        out += mix(pair_at(problem, problem->sorted, i));
    }
    verdict = compare_integer((int64_t)out, (int64_t)in);
    if (!verdict.match)
        snprintf(verdict.why, sizeof(verdict.why), "these are not the items that came");
    for (int i = 1; verdict.match && i < problem->n; i++) {
        const wide_pair a = pair_at(problem, problem->sorted, i - 1);
        const wide_pair b = pair_at(problem, problem->sorted, i);

        if (in_order(a, b))
            continue;
        verdict = a.key == b.key ? compare_integer((int64_t)b.value, (int64_t)a.value)
                                 : compare_integer((int64_t)b.key, (int64_t)a.key);
        snprintf(verdict.why, sizeof(verdict.why), "item %d belongs before the one before", i);
    }
    return verdict;
}

/* Let the step sort them. */
static void sort_items(const struct problem *problem, struct run *run)
{
    const struct sort_step *how = &problem->how;

    if (is(problem, WIDE) && is(problem, PAIRS))
        how->wide_pairs(problem->items, problem->n, run, problem->sorted);
    else if (is(problem, WIDE))
        how->wide_keys(problem->items, problem->n, run, problem->sorted);
    else if (is(problem, PAIRS))
        how->pairs(problem->items, problem->n, run, problem->sorted);
    else
        how->keys(problem->items, problem->n, run, problem->sorted);
}

static struct measurement measure(void *self, const struct session *session)
{
    struct problem *problem = self;
    struct measurement measurement = measurement_new(session);
    char digest[COMPARE_DIGEST_SIZE] = "";

    measurement.n = size_of(problem, session);
    problem->n = (int)measurement.n;
    const size_t bytes = (size_t)problem->n * item_size(problem);

    generate(problem, (uint64_t)session->options.seed);
    sort_items(problem, &measurement.run);
    measurement.problem = problem->how.one_tile ? "one tile" : "many numbers";
    measurement.work.bytes = 2.0 * (double)bytes;
    if (session->options.check) {
        compare_digest(problem->sorted, bytes, digest);
        measurement.verdict = compare(problem);
    }
    measurement.own =
        json_pack("{s:i, s:s?}", "kind", (int)problem->kind, "digest", *digest ? digest : NULL);
    free(problem->items);
    free(problem->sorted);
    return measurement;
}

/* Input, output and as much again in between; on the host input and output. */
static int refuse(void *self, const struct session *session)
{
    return memory_refuse(&session->device, 3 * (size_t)size_of(self, session) * item_size(self));
}

int sort_main(int argc, char **argv, struct step step, struct sort_step how)
{
    struct problem problem = {.how = how};
    const struct option_row rows[] = {
        {.name = "kind",
         .value = &problem.kind,
         .max = (how.pairs ? 4 : 2) * KEYS - 1,
         .help = how.pairs ? "0: random, 1: sorted, 2: reversed, 3: equal, 4: few; "
                             "5 to 9: keys of 64 bits; 10 to 19: pairs"
                           : "0: random, 1: sorted, 2: reversed, 3: equal, 4: few; "
                             "5 to 9: keys of 64 bits"},
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
        .modelled_each = KINDS_OF_A_MODEL,
        .refuse = refuse,
        .measure = measure,
        .self = &problem,
    };

    return chapter_run(argc, argv, step, &chapter);
}

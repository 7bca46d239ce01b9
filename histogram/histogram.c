#include "histogram.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes where kernels go wrong: nothing, one, around a warp, with rests that loads of 16 bytes
 * leave, around a block of 1024, a prime that is many blocks, and one more than all blocks take at
 * once that the device holds, whatever that is. */
enum { MORE_THAN_A_WAVE = -1 };
static const int awkward_sizes[] = {
    0, 1, 31, 32, 33, 1023, 1024, 1025, 16391, 131071, MORE_THAN_A_WAVE};

/* How samples are made, of words and, with BYTES more, of bytes. */
enum { RANDOM, ONE_BIN, SORTED, PICTURE, ONE_BANK, BYTES };
enum { GREYS = 8, AS_BEFORE = 8 }; /* of a picture; so many samples of AS_BEFORE + 1 are repeated */

/* What a step is asked for, and the samples. */
struct problem {
    struct histogram_step how;
    int64_t kind; /* 0 to 2 * BYTES - 1 */
    int n, bins;
    unsigned *words; /* the samples, if not ... */
    unsigned char *bytes;
    unsigned *counts; /* what the step says; poisoned */
};

static size_t sample_size(const struct problem *problem)
{
    return problem->kind < BYTES ? sizeof(unsigned) : 1;
}

/* The samples that the device takes at once. */
static int64_t wave_of(const struct problem *problem, const struct session *session)
{
    const struct histogram_step *how = &problem->how;

    return chapter_wave_blocks(&how->wave, session) * how->wave.threads *
           (how->wide ? 16 / (int64_t)sample_size(problem) : 1);
}

static int64_t size_of(const struct problem *problem, const struct session *session)
{
    if (session->options.n != MORE_THAN_A_WAVE)
        return session->options.n;
    return wave_of(problem, session) + 1;
}

/* Sample i of this kind, from the one before it. `first` is a bin that the seed chose. */
static unsigned sample_of(const struct problem *problem, int i, unsigned first, unsigned before,
                          struct rng *rng)
{
    const unsigned bins = (unsigned)problem->bins;
    const unsigned apart = bins == BINS ? 32 : 64; /* bins in one bank, two to a word or not */

    switch (problem->kind % BYTES) {
    case ONE_BIN:
        return first;
    case SORTED:
        return (unsigned)((int64_t)i * bins / problem->n);
    case PICTURE: /* mostly what is to the left of it */
        return i > 0 && rng_below(rng, AS_BEFORE + 1) ? before
                                                      : (first + rng_below(rng, GREYS)) % bins;
    case ONE_BANK:
        return rng_below(rng, bins / apart) * apart;
    default:
        return rng_below(rng, bins);
    }
}

static void generate(struct problem *problem, uint64_t seed)
{
    const size_t bytes = (size_t)problem->n * sample_size(problem);
    const bool words = problem->kind < BYTES;
    struct rng rng = rng_seed(seed);
    const unsigned first = rng_below(&rng, (unsigned)problem->bins);
    unsigned sample = first;

    problem->words = words ? memory_host(bytes) : NULL;
    problem->bytes = words ? NULL : memory_host(bytes);
    for (int i = 0; i < problem->n; i++) {
        sample = sample_of(problem, i, first, sample, &rng);
        if (words)
            problem->words[i] = sample;
        else
            problem->bytes[i] = (unsigned char)sample;
    }
    problem->counts = memory_host((size_t)problem->bins * sizeof(unsigned));
    memset(problem->counts, MEMORY_POISON, (size_t)problem->bins * sizeof(unsigned));
}

/* All counts equal the CPU's, or the first that does not is named. */
static struct verdict compare(const struct problem *problem)
{
    unsigned *reference = memory_host((size_t)problem->bins * sizeof(unsigned));
    struct verdict verdict = compare_integer(0, 0);

    memset(reference, 0, (size_t)problem->bins * sizeof(unsigned));
    for (int i = 0; i < problem->n; i++)
        reference[problem->words ? problem->words[i] : problem->bytes[i]]++;
    for (int bin = 0; verdict.match && bin < problem->bins; bin++)
        if (problem->counts[bin] != reference[bin] || bin == problem->bins - 1) {
            verdict = compare_integer(problem->counts[bin], reference[bin]);
            if (!verdict.match)
                snprintf(verdict.why, sizeof(verdict.why), "bin %d differs", bin);
        }
    free(reference);
    return verdict;
}

static struct measurement measure(void *self, const struct session *session)
{
    struct problem *problem = self;
    struct measurement measurement = measurement_new(session);
    char digest[COMPARE_DIGEST_SIZE] = "";

    measurement.n = size_of(problem, session);
    problem->n = (int)measurement.n;
    generate(problem, (uint64_t)session->options.seed);
    if (problem->words)
        problem->how.words(problem->words, problem->n, &measurement.run, problem->counts);
    else
        problem->how.bytes(problem->bytes, problem->n, &measurement.run, problem->counts);
    measurement.problem = problem->bins == BINS ? "256 bins" : "65536 bins";
    measurement.work.bytes = (double)problem->n * (double)sample_size(problem) +
                             (double)problem->bins * sizeof(unsigned);
    if (session->options.check) {
        compare_digest(problem->counts, (size_t)problem->bins * sizeof(unsigned), digest);
        measurement.verdict = compare(problem);
    }
    measurement.own = json_pack("{s:i, s:i, s:s?}", "kind", (int)problem->kind, "bins",
                                problem->bins, "digest", *digest ? digest : NULL);
    free(problem->words);
    free(problem->bytes);
    free(problem->counts);
    return measurement;
}

/* The samples; and the shared memory of a block, of which some GPUs have too little for
 * a step. */
static int refuse(void *self, const struct session *session)
{
    const struct problem *problem = self;
    const size_t wanted = problem->how.wave.shared_bytes;
    int most;

    CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                 session->device.index));
    if (wanted > (size_t)most) {
        check_say("%zu bytes of shared memory per block, but this GPU allows %d", wanted, most);
        return EXIT_SKIP;
    }
    return memory_refuse(&session->device,
                         (size_t)size_of(problem, session) * sample_size(problem));
}

int histogram_main(int argc, char **argv, struct step step, struct histogram_step how)
{
    struct problem problem = {.how = how, .bins = how.bins ? how.bins : BINS};
    const struct option_row rows[] = {
        {.name = "kind",
         .value = &problem.kind,
         .max = how.bytes ? 2 * BYTES - 1 : BYTES - 1,
         .help = how.bytes ? "words, 0: random, 1: equal, 2: sorted, 3: a picture, 4: in one bank; "
                             "5 to 9: the same as bytes"
                           : "0: random, 1: equal, 2: sorted, 3: a picture, 4: in one bank"},
    };
    const struct chapter chapter = {
        .options = {.size = {.usual = HISTOGRAM_N,
                             .modelled = HISTOGRAM_EMULATED_N,
                             .max = OPTIONS_MAX_N},
                    .rows = rows,
                    .row_count = sizeof(rows) / sizeof(rows[0])},
        .sizes = awkward_sizes,
        .size_count = sizeof(awkward_sizes) / sizeof(awkward_sizes[0]),
        .each = &rows[0],
        .refuse = refuse,
        .measure = measure,
        .self = &problem,
    };

    return chapter_run(argc, argv, step, &chapter);
}

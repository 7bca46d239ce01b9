#include "prime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ask.h"

unsigned prime_blocks(uint64_t work)
{
    const uint64_t blocks = (work + PRIME_THREADS - 1) / PRIME_THREADS;
    int device, multiprocessors;
    uint64_t most;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    most = (uint64_t)multiprocessors * (2048 / PRIME_THREADS);
    return (unsigned)(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

uint64_t prime_gather(const uint64_t *divisor, unsigned count)
{
    uint64_t smallest = PRIME_NO_DIVISOR;

    for (unsigned i = 0; i < count; i++) {
        if (divisor[i] == PRIME_UNWRITTEN)
            return PRIME_UNWRITTEN;
        if (divisor[i] && (!smallest || divisor[i] < smallest))
            smallest = divisor[i];
    }
    return smallest;
}

static int take_flag(void *flag, char *const *values)
{
    (void)values;
    *(bool *)flag = true;
    return -1;
}

/* What was asked for goes together. The numbers given are the size; the self-check, which is also
 * what --all-sizes asks for, has its own. */
static int look(void *self, struct options *options)
{
    struct request *request = self;
    const size_t given = request->numbers.count;

    if (given > (size_t)OPTIONS_MAX_N)
        return options_refuse("%zu numbers: at most %" PRId64 " at once", given, OPTIONS_MAX_N);
    request->self_check |= options->all_sizes;
    options->all_sizes = false;
    if (request->self_check && (given || request->primes || options->n_given))
        return options_refuse("the self-check has numbers of its own: give it none");
    if (given && (request->primes || options->n_given))
        return options_refuse("--n and --primes are for random numbers: give those or numbers");
    if (given) {
        options->n = (int64_t)given;
        options->n_given = true;
    }
    if (request->self_check && options->runs == OPTIONS_RUNS_UNSET)
        options->runs = 1;
    request->turns.end = ask_turns(request);
    return -1;
}

/* A batch must fit the device's memory, its numbers and their witnesses. */
static int refuse(void *self, const struct session *session)
{
    const struct request *request = self;
    const size_t count = (size_t)session->options.n;

    if (session->device.cpu || !request->step.batch || request->self_check)
        return -1;
    return memory_refuse(&session->device, count * (sizeof(uint64_t) + sizeof(uint32_t)));
}

int prime_main(int argc, char **argv, struct step step, struct prime_step how)
{
    struct request request = {.step = how};
    const struct option_text texts[] = {
        {NULL, 1, "NUMBER", "a number to ask about: 0 to 2^64 - 1", prime_add_operand,
         &request.numbers},
        {"self-check", 0, NULL, "check numbers where tests go wrong", take_flag,
         &request.self_check},
        {"range", 2, "A B", "ask about all numbers from A to B", prime_add_range, &request.numbers},
        {"file", 1, "F", "ask about the numbers in file F, one a line", prime_add_file,
         &request.numbers},
        {"primes", 0, NULL, "without a number given: a batch of primes", take_flag,
         &request.primes},
    };
    const size_t count = sizeof(texts) / sizeof(texts[0]);
    const struct chapter chapter = {
        .options = {.size = {.usual = PRIME_N,
                             .modelled = how.cpu ? 0 : PRIME_MODELLED_N,
                             .max = how.batch ? OPTIONS_MAX_N : 0,
                             .help = "random numbers to ask about"},
                    .texts = texts,
                    .text_count = how.batch ? count : 2},
        .variants = &request.turns,
        .cpu = how.cpu,
        .look = look,
        .refuse = refuse,
        .measure = ask,
        .self = &request,
    };
    const int code = chapter_run(argc, argv, step, &chapter);

    free(request.numbers.value);
    return code;
}

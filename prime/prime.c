#include "prime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ask.h"

/* The largest primes below 2^64, and below 2^48 for a device that is modelled. */
static const uint64_t worst_case = UINT64_MAX - 58, modelled_worst_case = 281474976710597;

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

/* Read the command line. Returns -1 or the exit code. */
static int parse(int argc, char **argv, struct request *request)
{
    const struct option_text texts[] = {
        {NULL, 1, "NUMBER", "a number to ask about: 0 to 2^64 - 1", prime_add_operand,
         &request->numbers},
        {"self-check", 0, NULL, "check numbers where tests go wrong", take_flag,
         &request->self_check},
        {"range", 2, "A B", "ask about all numbers from A to B", prime_add_range,
         &request->numbers},
        {"file", 1, "F", "ask about the numbers in file F, one a line", prime_add_file,
         &request->numbers},
        {"primes", 0, NULL, "without a number given: a batch of primes", take_flag,
         &request->primes},
    };
    const size_t count = sizeof(texts) / sizeof(texts[0]);
    const bool batch = request->chapter.batch;
    struct options *options = &request->session.options;
    const struct option_list list = {
        .size = {.usual = PRIME_N,
                 .modelled = request->chapter.cpu ? 0 : PRIME_MODELLED_N,
                 .max = batch ? OPTIONS_MAX_N : 0,
                 .help = "random numbers to ask about"},
        .texts = texts,
        .text_count = batch ? count : 2,
    };
    int code = options_parse(argc, argv, &list, options);

    if (code >= 0)
        return code;
    if (request->numbers.count > (size_t)OPTIONS_MAX_N)
        return options_refuse("%zu numbers: at most %" PRId64 " at once", request->numbers.count,
                              OPTIONS_MAX_N);
    request->self_check |= options->all_sizes;
    if (request->self_check && (request->numbers.count || request->primes || options->n_given))
        return options_refuse("the self-check has numbers of its own: give it none");
    if (request->numbers.count && (request->primes || options->n_given))
        return options_refuse("--n and --primes are for random numbers: give those or numbers");
    return -1;
}

/* The name of this machine's processor, as Linux has it. */
static void name_cpu(struct device *device)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256], name[128] = "CPU";

    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "model name : %127[^\n]", name) == 1)
            break;
    if (file)
        fclose(file);
    snprintf(device->name, sizeof(device->name), "%s, %d core%s", name, prime_cores(),
             prime_cores() == 1 ? "" : "s");
}

/* The device, or the CPU. Returns 0 or the exit code. */
static int find_device(struct request *request)
{
    if (!request->chapter.cpu)
        return InitCUDA((int)request->session.options.device, request->session.step.minimum,
                        &request->session.device);
    if (request->session.options.device >= 0)
        return options_refuse("--device %" PRId64 ": no such device; this step runs on the CPU",
                              request->session.options.device);
    request->session.device = (struct device){.cpu = true};
    name_cpu(&request->session.device);
    return EXIT_MATCH;
}

/* The numbers given, or a batch of random ones. Returns the exit code. */
static int judge_batch(struct request *request)
{
    const bool given = request->numbers.count > 0;
    const bool small = request->session.device.modelled && !request->session.options.n_given;
    const size_t count = given   ? request->numbers.count
                         : small ? PRIME_MODELLED_N
                                 : (size_t)request->session.options.n;
    int code = -1;

    if (!request->chapter.cpu)
        code =
            memory_refuse(&request->session.device, count * (sizeof(uint64_t) + sizeof(uint32_t)));
    if (code >= 0)
        return code;
    if (!given)
        prime_add_random(&request->numbers, count, (uint64_t)request->session.options.seed,
                         request->primes);
    return ask_all(request, &request->numbers, given);
}

/* The numbers given, or the worst case, one after the other. Returns the worst exit code. */
static int one_by_one(struct request *request)
{
    int worst = EXIT_MATCH;

    if (!request->numbers.count)
        prime_add(&request->numbers,
                  request->session.device.modelled ? modelled_worst_case : worst_case);
    for (size_t i = 0; i < request->numbers.count; i++) {
        const uint64_t n = request->numbers.value[i];
        const int code = request->chapter.divide ? ask_divide(request, n) : ask_judge(request, n);

        worst = code > worst ? code : worst;
    }
    return worst;
}

int prime_main(int argc, char **argv, struct step step, struct prime_step chapter)
{
    struct request request = {.session = {.step = step}, .chapter = chapter};
    int code = parse(argc, argv, &request);

    if (code < 0) {
        code = find_device(&request);
        if (code == EXIT_MATCH)
            code = request.self_check ? ask_self_check(&request)
                   : chapter.batch    ? judge_batch(&request)
                                      : one_by_one(&request);
    }
    free(request.numbers.value);
    return code;
}

/* SPDX-License-Identifier: MIT */
#include "device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "machine/texture.h"
#include "profile/profile.h"
#include "parse_ptx.h"
#include "test_gpu.h"
#include "time/timing.h"

enum { UNUSABLE = 2, MAX_ARGUMENTS = 16 };

/* A result depends neither on the turns that warps and blocks take nor on how many work on them. */
const char *const device_ways[] = {"forward", "in reverse", "at random with two workers", NULL};
static const struct {
    struct schedule schedule;
    int workers;
} ways[] = {
    {{SCHEDULE_FORWARD, 0}, 1},
    {{SCHEDULE_REVERSE, 0}, 1},
    {{SCHEDULE_RANDOM, 1}, 2},
};

/* EMU_ENGINE=compiled: the tests are of compiled kernels. */
static struct machine *new_machine(const struct gpu *gpu, int workers)
{
    const char *engine = getenv("EMU_ENGINE");
    struct machine *machine = machine_new(gpu, workers);
    if (machine && engine && strcmp(engine, "compiled") == 0)
        machine_set_engine(machine, ENGINE_COMPILED);
    return machine;
}

/* A kernel's arguments, in the order it takes them. */
struct arguments {
    uint64_t values[MAX_ARGUMENTS];
    void *pointers[MAX_ARGUMENTS];
    int count;
    uint64_t out; /* address of the array of results; 0: none */
};

static bool add_argument(struct arguments *arguments, uint64_t value)
{
    if (arguments->count == MAX_ARGUMENTS)
        return false;
    arguments->values[arguments->count] = value;
    arguments->pointers[arguments->count] = &arguments->values[arguments->count];
    arguments->count++;
    return true;
}

static uint64_t allocate(struct machine *machine, size_t size)
{
    return memory_allocate(machine, size, MEMORY_DEVICE, NULL);
}

/* The handle of a texture object that reads the array, by index unless it is an image; or of a
 * surface object. */
static uint64_t object_of(struct machine *machine, const struct array *array, uint64_t address)
{
    const uint32_t width = array->width ? array->width : (uint32_t)array->count;
    const struct texture texture = {
        .texels = {.address = address, .pitch = 4 * (size_t)array->width},
        .bytes = array->count * ptx_type_size(array->type),
        .dimensions = array->width ? 2 : 1,
        .gathers = array->width != 0,
        .modes = {MODE_CLAMP, MODE_CLAMP, MODE_CLAMP},
        .linear = array->role == ROLE_TEXTURE,
        .surface = array->role == ROLE_SURFACE,
        .size = {width, (uint32_t)array->count / width, 1},
        .layers = 1,
        .kind = array->type == PTX_F32   ? TEXEL_FLOAT
                : array->type == PTX_S32 ? TEXEL_SIGNED
                                         : TEXEL_UNSIGNED,
        .channels = 1,
        .channel_bytes = 4,
    };
    return texture_create(machine, &texture);
}

/* Device memory is poisoned by the machine; arrays get what the test says. */
static bool set_up(struct machine *machine, const struct expectation *expectation,
                   struct arguments *arguments)
{
    memset(arguments, 0, sizeof *arguments);
    if (expectation->out_bytes) {
        arguments->out = allocate(machine, expectation->out_bytes);
        if (!arguments->out)
            return false;
        add_argument(arguments, arguments->out);
    }
    for (size_t i = 0; i < expectation->array_count; i++) {
        const struct array *array = &expectation->arrays[i];
        uint64_t value = array->values[0].bits;

        if (array->role == ROLE_OUT)
            continue;
        if (array->role != ROLE_VALUE) {
            value = allocate(machine, array->count * ptx_type_size(array->type));
            if (!value)
                return false;
            expect_store(array, memory_host(machine, value));
            if (array->role == ROLE_TEXTURE || array->role == ROLE_IMAGE ||
                array->role == ROLE_SURFACE)
                value = object_of(machine, array, value);
        }
        if (!add_argument(arguments, value))
            return false;
    }
    return true;
}

static int launch(struct machine *machine, const struct kernel *kernel,
                  const struct expectation *expectation, struct outcome *outcome)
{
    struct arguments arguments;
    struct fault fault = {0};

    if (!set_up(machine, expectation, &arguments)) {
        fprintf(stderr, "no memory, or more than %d arguments\n", MAX_ARGUMENTS);
        return UNUSABLE;
    }
    const struct launch_request request = {kernel,
                                           expectation->grid,
                                           expectation->block,
                                           expectation->shared,
                                           arguments.pointers,
                                           {0, 0, 0},
                                           0};
    machine_launch(machine, &request, &fault);
    if (fault.kind != FAULT_NONE) {
        outcome->failed = STAGE_LAUNCH;
        snprintf(outcome->message, sizeof outcome->message, "%s", fault.message);
        return 0;
    }
    outcome->out = malloc(expectation->out_bytes + 1);
    if (!outcome->out)
        abort();
    if (arguments.out)
        memcpy(outcome->out, memory_host(machine, arguments.out), expectation->out_bytes);
    return 0;
}

static int run(struct machine *machine, const char *text, const struct expectation *expectation,
               struct outcome *outcome)
{
    struct ptx_module *module = parse_ptx(text, outcome->message, sizeof outcome->message);
    struct program *program;
    const struct kernel *kernel;
    int result = UNUSABLE;

    outcome->failed = STAGE_PARSE;
    if (!module)
        return 0;
    outcome->failed = STAGE_LOAD;
    program = machine_load(machine, module, outcome->message, sizeof outcome->message);
    if (!program)
        return 0;
    outcome->failed = STAGE_NONE;
    kernel = program_kernel(program, "test");
    if (kernel && kernel_info(kernel)->failure) {
        outcome->failed = STAGE_LOAD;
        snprintf(outcome->message, sizeof outcome->message, "%s", kernel_info(kernel)->failure);
        result = 0;
    } else if (kernel) {
        result = launch(machine, kernel, expectation, outcome);
    } else {
        fputs("there is no entry 'test'\n", stderr);
    }
    machine_unload(machine, program);
    return result;
}

int device_run(const char *text, const struct expectation *expectation, int way,
               struct outcome *outcome)
{
    const struct gpu gpu = test_gpu(expectation->capability);
    struct machine *machine = new_machine(&gpu, ways[way].workers);
    int result;

    memset(outcome, 0, sizeof *outcome);
    if (!machine) {
        fputs("no memory for a machine\n", stderr);
        return UNUSABLE;
    }
    machine_set_schedule(machine, ways[way].schedule);
    result = run(machine, text, expectation, outcome);
    machine_free(machine);
    return result;
}

const char *const batch_ways[] = {"forward",
                                  "in reverse with two workers",
                                  "at random with three workers",
                                  "under all checkers, at random",
                                  "under the plain model of time",
                                  "as an H100",
                                  "as a GeForce 8800 GT",
                                  NULL};
static const struct {
    struct schedule schedule;
    int workers;
    const char *gpu; /* NULL: one for tests */
    bool checked, timed;
} batch_runs[] = {
    {.workers = 1},
    {.workers = 2, .schedule = {SCHEDULE_REVERSE, 0}},
    {.workers = 3, .schedule = {SCHEDULE_RANDOM, 2}},
    {.workers = 1, .schedule = {SCHEDULE_RANDOM, 3}, .checked = true},
    {.workers = 1, .timed = true},
    {.workers = 2, .gpu = "h100", .timed = true},
    {.workers = 1, .gpu = "geforce-8800-gt", .timed = true},
};

/* A machine, and who watches it. */
struct watched {
    struct machine *machine;
    struct timing *timing;
    struct checks *checks;
};

/* Launch one of the kernels. Returns 0, or 1 after a line on stderr. */
static int launch_one(const struct watched *watched, const struct program *program,
                      const struct batch *batch, uint32_t number, uint64_t input, uint8_t *log)
{
    char name[16];
    struct fault fault = {0};
    uint64_t address = allocate(watched->machine, batch->log_bytes);
    void *arguments[] = {&address, &input};
    snprintf(name, sizeof name, "k%u", number);
    const struct launch_request request = {.kernel = program_kernel(program, name),
                                           .grid = batch->grid,
                                           .block = batch->block,
                                           .arguments = arguments};
    const char *failure = kernel_info(request.kernel)->failure;
    checks_allocated(watched->checks, address, batch->log_bytes, true, NULL);
    checks_written(watched->checks, address, batch->log_bytes);
    memcpy(memory_host(watched->machine, address), log, batch->log_bytes);
    if (!failure && watched->timing)
        timing_launch(watched->timing, &request, &fault);
    else if (!failure)
        machine_launch(watched->machine, &request, &fault);
    memcpy(log, memory_host(watched->machine, address), batch->log_bytes);
    checks_freed(watched->checks, address, batch->log_bytes);
    memory_release(watched->machine, address);
    if (failure || fault.kind != FAULT_NONE)
        fprintf(stderr, "kernel %s: %s\n", name, failure ? failure : fault.message);
    return failure || fault.kind != FAULT_NONE;
}

/* What the checkers have found goes to stderr. */
static bool has_findings(struct checks *checks)
{
    char *report = NULL;
    size_t size;
    FILE *file = checks ? open_memstream(&report, &size) : NULL;
    if (!file)
        return false;
    const bool found = checks_finish(checks, false, file) > 0;
    fclose(file);
    if (found)
        fputs(report, stderr);
    free(report);
    return found;
}

/* The batch's module, which all ways to run it share. */
static struct ptx_module *module_of(const struct batch *batch, char *error, size_t size)
{
    static struct ptx_module *module;
    static uint32_t first;
    if (!module || first != batch->first) {
        ptx_free(module);
        module = parse_ptx(batch->text, error, size);
        first = batch->first;
    }
    return module ? ptx_share(module) : NULL;
}

static int launch_all(const struct watched *watched, const struct batch *batch, uint8_t *logs)
{
    char error[512];
    int failed = 0;
    struct ptx_module *module = module_of(batch, error, sizeof error);
    struct program *program =
        module ? machine_load(watched->machine, module, error, sizeof error) : NULL;
    if (!program) {
        fprintf(stderr, "kernels from %u on: %s\n", batch->first, error);
        return 1;
    }
    const uint64_t input = allocate(watched->machine, batch->input_bytes);
    memcpy(memory_host(watched->machine, input), batch->input, batch->input_bytes);
    checks_allocated(watched->checks, input, batch->input_bytes, true, NULL);
    checks_written(watched->checks, input, batch->input_bytes);
    for (uint32_t i = 0; i < batch->count && !failed; i++)
        failed = launch_one(watched, program, batch, batch->first + i, input,
                            logs + i * batch->log_bytes);
    checks_freed(watched->checks, input, batch->input_bytes);
    memory_release(watched->machine, input);
    failed |= has_findings(watched->checks);
    machine_unload(watched->machine, program);
    return failed;
}

/* Wants every instruction by itself: what others are told of several at once, they are not told
 * beside it. */
static void hear_instruction(void *self, const struct instruction_event *event)
{
    (void)self;
    (void)event;
}

/* Sums up what it hears of each access, addresses as seen from the first lane's: the order of warps
 * is the workers', and where memory lies the machine's. */
static _Atomic uint64_t accesses;
static uint64_t add(uint64_t sum, uint64_t value)
{
    return (sum ^ value ^ sum >> 29) * UINT64_C(0x9E3779B97F4A7C15);
}

static void hear_access(void *self, const struct access_event *event)
{
    const struct warp_id id = warp_id(event->warp);
    const uint64_t first = event->lanes ? event->addresses[__builtin_ctz(event->lanes)] : 0;
    uint64_t sum = add(id.block.x, id.index);
    (void)self;
    sum = add(add(sum, warp_issued(event->warp)), event->lanes);
    sum = add(add(sum, event->kind), event->space);
    sum = add(add(sum, event->bytes), event->unit);
    for (int i = 0; i < WARP_SIZE; i++)
        sum = add(sum, event->lanes >> i & 1 ? event->addresses[i] - first : 0);
    accesses += sum;
}

/* How much somebody wants to hear: of all, only what the models do. */
enum heard { HEARD_IN_SHORT, HEARD_ACCESSES, HEARD_IN_FULL };
static const struct observer listeners[] = {
    [HEARD_ACCESSES] = {.access = hear_access},
    [HEARD_IN_FULL] = {.instruction = hear_instruction, .access = hear_access}};

/* Run the batch once, and print its counters and times into *account, which the caller frees. */
static int run_once(const struct batch *batch, const struct gpu *gpu, int way, enum heard heard,
                    uint8_t *logs, char **account)
{
    struct watched watched = {.machine = new_machine(gpu, batch_runs[way].workers)};
    struct profile *profile = NULL;
    char error[GPU_ERROR_SIZE];
    size_t size;
    machine_set_schedule(watched.machine, batch_runs[way].schedule);
    if (batch_runs[way].timed) {
        watched.timing = timing_new(watched.machine, TIMING_BEST);
        profile = profile_new(watched.machine);
        profile_set_timing(profile, watched.timing);
        machine_observe(watched.machine, timing_observer(watched.timing));
        machine_observe(watched.machine, profile_observer(profile));
    }
    accesses = 0;
    machine_observe(watched.machine, &listeners[heard]);
    if (batch_runs[way].checked)
        watched.checks =
            checks_new(watched.machine, checks_parse("all,memory", error, sizeof error));
    const int failed = launch_all(&watched, batch, logs);
    FILE *file = open_memstream(account, &size);
    if (!file)
        abort();
    if (profile)
        profile_print(profile, file, true);
    if (heard != HEARD_IN_SHORT)
        fprintf(file, "accesses %" PRIx64 "\n", accesses);
    fclose(file);
    checks_free(watched.checks);
    timing_free(watched.timing);
    profile_free(profile);
    machine_free(watched.machine);
    return failed;
}

/* Does `there` begin as `here` is? The first difference goes to stderr. */
static bool is_same(const char *here, const char *there)
{
    size_t at = 0;
    while (here[at] && here[at] == there[at])
        at++;
    const size_t from = at > 40 ? at - 40 : 0;
    if (here[at])
        fprintf(stderr, "told in short: ...%.60s\ntold in full:  ...%.60s\n", here + from,
                there + from);
    return !here[at];
}

/* The same with somebody beside the models who wants to hear more: nothing else changes. Before it
 * the logs were as in `before`. */
static int run_again(const struct batch *batch, const struct gpu *gpu, int way,
                     const uint8_t *before, const uint8_t *logs, const char *short_account)
{
    const size_t bytes = batch->count * batch->log_bytes;
    char *accounts[] = {[HEARD_ACCESSES] = NULL, [HEARD_IN_FULL] = NULL};
    uint8_t *again = malloc(bytes);
    int failed = 0;
    if (!again)
        abort();
    for (enum heard heard = HEARD_ACCESSES; heard <= HEARD_IN_FULL && !failed; heard++) {
        memcpy(again, before, bytes);
        failed = run_once(batch, gpu, way, heard, again, &accounts[heard]) ||
                 !is_same(short_account, accounts[heard]);
        if (memcmp(logs, again, bytes) != 0) {
            fputs("results are others where all is told\n", stderr);
            failed = 1;
        }
    }
    failed = failed || !is_same(accounts[HEARD_ACCESSES], accounts[HEARD_IN_FULL]);
    free(accounts[HEARD_ACCESSES]);
    free(accounts[HEARD_IN_FULL]);
    free(again);
    return failed;
}

int device_run_batch(const struct batch *batch, int way, uint8_t *logs)
{
    const size_t bytes = batch->count * batch->log_bytes;
    struct gpu gpu = test_gpu(90);
    char error[GPU_ERROR_SIZE], *account;
    if (batch_runs[way].gpu && !gpu_read(EMU_GPUS, batch_runs[way].gpu, &gpu, error)) {
        fprintf(stderr, "%s\n", error);
        return UNUSABLE;
    }
    uint8_t *before = malloc(bytes);
    if (!before)
        abort();
    memcpy(before, logs, bytes);
    int failed = run_once(batch, &gpu, way, HEARD_IN_SHORT, logs, &account);
    if (batch_runs[way].timed && !failed)
        failed = run_again(batch, &gpu, way, before, logs, account);
    free(account);
    free(before);
    return failed;
}

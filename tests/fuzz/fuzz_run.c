/* SPDX-License-Identifier: MIT */
/* Fuzz target: the first kernel of a PTX text, run with all its pointers at one small array:
 * plainly, under all checkers, and under each model of time. What never ends is stopped. The array
 * is where it is in every run: a kernel may count to its address. */
#include "check/check.h"
#include "fuzz.h"
#include "machine/warp.h"
#include "parse_ptx.h"
#include "time/timing.h"

enum { ARRAY_BYTES = 4096, ARGUMENT_BYTES = 4096, MAX_STEPS = 20000, MAX_ARGUMENTS = 64 };

/* Warp instructions so far, of all launches of a text. */
static uint64_t steps;

static void count_step(void *self, const struct instruction_event *event)
{
    (void)self;
    if (++steps > MAX_STEPS)
        warp_fault((struct warp *)(uintptr_t)event->warp, event->instr, 0, FAULT_TRAP,
                   "too many steps", "%s", "");
}

/* A kernel that reads an address finds the array's, wherever in its parameters it looks. */
static void launch(struct machine *machine, struct timing *timing, const struct kernel *kernel,
                   uint64_t array)
{
    static const struct dim block = {48, 1, 1};
    uint64_t bytes[ARGUMENT_BYTES / sizeof(uint64_t)];
    void *arguments[MAX_ARGUMENTS];
    const struct ptx_function *function = kernel_info(kernel)->function;
    const uint32_t *cluster = function->cluster;
    const struct dim grid = {cluster[0] ? 2 * cluster[0] : 2, cluster[0] ? cluster[1] : 1,
                             cluster[0] ? cluster[2] : 1};
    struct launch_request request = {kernel, grid, block, 256, arguments, {0, 0, 0}, 0};
    struct fault fault = {0};

    if (kernel_info(kernel)->failure || function->param_count > MAX_ARGUMENTS ||
        function->param_bytes > ARGUMENT_BYTES ||
        (uint64_t)grid.x * grid.y * grid.z > 2 * machine_gpu(machine)->max_cluster)
        return;
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        bytes[i] = array;
    for (int i = 0; i < MAX_ARGUMENTS; i++)
        arguments[i] = bytes;
    if (timing)
        timing_launch(timing, &request, &fault);
    else
        machine_launch(machine, &request, &fault);
}

/* On this GPU. True if it came to its end by itself. */
static bool run(const char *text, const struct gpu *gpu, bool timed, unsigned checked,
                struct schedule schedule)
{
    static const struct observer limit = {.instruction = count_step};
    static _Alignas(ARRAY_BYTES) char numbers[ARRAY_BYTES];
    char error[256];
    struct machine *machine = machine_new(gpu, 1);
    struct timing *timing = timed ? timing_new(machine, TIMING_BEST) : NULL;
    struct checks *checks = checked ? checks_new(machine, checked) : NULL;
    struct ptx_module *module = parse_ptx(text, error, sizeof error);
    struct program *program = module ? machine_load(machine, module, error, sizeof error) : NULL;
    const uint64_t array = (uint64_t)(uintptr_t)numbers;

    steps = 0;
    machine_observe(machine, &limit);
    if (timing)
        machine_observe(machine, timing_observer(timing));
    machine_set_schedule(machine, schedule);
    memset(numbers, 0, ARRAY_BYTES / 2);
    memset(numbers + ARRAY_BYTES / 2, 0xcd, ARRAY_BYTES / 2);
    memory_register_host(machine, numbers, sizeof numbers);
    checks_allocated(checks, array, ARRAY_BYTES, true, NULL);
    checks_written(checks, array, ARRAY_BYTES / 2);
    const char *name = NULL;
    for (int i = 0; program && i < module->function_count && !name; i++)
        name = module->functions[i].is_entry ? module->functions[i].name : NULL;
    if (name)
        launch(machine, timing, program_kernel(program, name), array);
    if (checks) {
        FILE *nowhere = fopen("/dev/null", "w");
        checks_finish(checks, false, nowhere);
        fclose(nowhere);
    }
    checks_free(checks);
    timing_free(timing);
    if (program)
        machine_unload(machine, program);
    machine_free(machine);
    return name && steps <= MAX_STEPS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"default", "h100", "geforce-8800-gt"};
    static struct gpu gpus[sizeof names / sizeof *names];
    const struct gpu plain = test_gpu(90);
    char error[GPU_ERROR_SIZE], checker_error[256];
    char *text = fuzz_text(data, size);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!gpus[i].name[0] && !gpu_read(EMU_GPUS, names[i], &gpus[i], error))
            abort();
    const unsigned all = checks_parse("all,leak", checker_error, sizeof checker_error);

    /* The models run some launches dry, which nobody counts: only what ends, under the checkers
     * too, where a fault is no end. */
    if (run(text, &plain, false, 0, (struct schedule){SCHEDULE_FORWARD, 0}) &&
        run(text, &plain, false, all, (struct schedule){SCHEDULE_FORWARD, 0})) {
        run(text, &plain, true, all, (struct schedule){SCHEDULE_RANDOM, 1});
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            run(text, &gpus[i], true, i == 0 ? all : 0, (struct schedule){SCHEDULE_FORWARD, 0});
    }
    free(text);
    return 0;
}

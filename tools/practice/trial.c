/* SPDX-License-Identifier: MIT */
/* Runs a submission on the emulator: what puzzle.h promises a check.
 *
 * All of this happens in a process of its own, for one submission, and ends it: with the first
 * thing that is wrong, or with a pass.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inputs.h"
#include "run.h"
#include "runner.h"
#include "sandbox.h"
#include "text.h"

enum { MAX_ARGUMENTS = 16, DEVICE_MEMORY = 256 << 20, PRINTED_LIMIT = 2000 };
/* Instructions of warps that a launch may take: some, and some for each element. */
static const uint64_t least_instructions = 400000, instructions_per_element = 100;
static const uint64_t patience = 10; /* times as many, to see whether it ends */

static struct run *run_of(struct trial *trial)
{
    return (struct run *)trial;
}

/* --- The end --------------------------------------------------------------------------------- */

/* What the kernels printed to our stdout, which is a file. */
static char *printed(void)
{
    char text[PRINTED_LIMIT + 1];

    fflush(stdout);
    const ssize_t length = pread(STDOUT_FILENO, text, PRINTED_LIMIT, 0);
    text[length > 0 ? length : 0] = '\0';
    text_clean_lines(text);
    return copy_text(text);
}

void run_finish(const struct run *run, enum verdict_kind kind, char *text)
{
    struct verdict verdict = {.kind = kind,
                              .text = text,
                              .printed = printed(),
                              .prediction = copy_text(run->prediction ? run->prediction : ""),
                              .predicted = run->predicted};

    text_clean_lines(verdict.text);
    text_clean_lines(verdict.prediction);
    json_t *json = verdict_json(&verdict);
    _exit(json && json_dumpfd(json, run->fd, 0) == 0 ? 0 : 1);
}

void run_broken(const struct run *run, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    run_finish(run, VERDICT_BROKEN,
               text_format("%s: %s\n", run->grading->entry->name, text_vformat(format, arguments)));
}

void run_stop(const struct run *run, enum verdict_kind kind, const char *text)
{
    run_finish(
        run, kind,
        run->sizes
            ? text_format("%swith %s, blocks and warps %s\n", text, run->sizes, run->way)
            : text_format("%swith n = %d, blocks and warps %s\n", text, run->trial.n, run->way));
}

/* --- Watching -------------------------------------------------------------------------------- */

struct array *run_array(struct run *run, uint64_t address)
{
    for (int i = 0; i < run->array_count; i++)
        if (address - run->arrays[i].address < run->arrays[i].size)
            return &run->arrays[i];
    return NULL;
}

static void note_writer(struct run *run, const struct access_event *event, int lane)
{
    for (uint32_t byte = 0; byte < event->bytes;) {
        const uint64_t address = event->addresses[lane] + byte;
        struct array *array = run_array(run, address);
        if (!array)
            return;
        const size_t offset = address - array->address;
        array->writers[offset / array->element] = (struct writer){
            event->instr, warp_id(event->warp).block, warp_thread(event->warp, lane)};
        byte += (uint32_t)(array->element - offset % array->element);
    }
}

static void on_access(void *self, const struct access_event *event)
{
    if (event->kind == ACCESS_LOAD || event->space != PTX_GLOBAL)
        return;
    for (int lane = 0; lane < WARP_SIZE; lane++)
        if (event->lanes >> lane & 1)
            note_writer(self, event, lane);
}

static const char *place(const struct run *run, const struct ptx_instr *instr)
{
    static char text[PTX_SOURCE_LINE_SIZE];

    ptx_source_line(run->module, instr, text);
    return text;
}

static void on_instruction(void *self, const struct instruction_event *event)
{
    struct run *run = self;

    if (++run->instructions <= patience * run->most_instructions)
        return;
    const struct dim block = warp_id(event->warp).block;
    run_stop(run, VERDICT_TIME,
             text_format("after %" PRIu64 " warp instructions it was still at %s, "
                         "block (%u,%u,%u); allowed are %" PRIu64 "\n",
                         run->instructions - 1, place(run, event->instr), block.x, block.y, block.z,
                         run->most_instructions));
}

/* --- The device ------------------------------------------------------------------------------ */

static void open_device(struct run *run, struct schedule schedule, bool counted)
{
    const struct observer observer = {
        .self = run, .access = on_access, .instruction = on_instruction};
    const struct observer drawing = picture_observer(&run->picture);
    char error[ERROR_SIZE];

    run->machine = machine_new(&run->gpu, 1);
    if (!run->machine)
        run_broken(run, "no memory for a device");
    machine_set_schedule(run->machine, schedule);
    machine_observe(run->machine, &observer);
    if (run->picture.counter)
        machine_observe(run->machine, &drawing);
    if (counted) {
        run->profile = profile_new(run->machine);
        machine_observe(run->machine, profile_observer(run->profile));
    }
    run->checks = checks_new(run->machine, checks_parse("all", error, sizeof(error)));
    struct ptx_module *module = ptx_parse(&run->ptx, 1, error, sizeof(error));
    if (!module)
        run_finish(run, VERDICT_COMPILE,
                   text_format("the emulator cannot read its PTX: %s\n", error));
    run->module = module;
    run->program = machine_load(run->machine, module, error, sizeof(error));
    if (!run->program)
        run_finish(run, VERDICT_COMPILE, text_format("the emulator cannot load it: %s\n", error));
}

static void close_device(struct run *run)
{
    for (int i = 0; i < run->memory_count; i++)
        free(run->memory[i]);
    checks_free(run->checks);
    profile_free(run->profile);
    machine_unload(run->machine, run->program);
    machine_free(run->machine);
    run->sizes = NULL;
    run->array_count = run->memory_count = 0;
    run->profile = NULL;
}

/* Zeros that are there until the device is closed. */
static void *keep(struct run *run, size_t bytes)
{
    if (run->memory_count == MAX_MEMORY)
        run_broken(run, "more than %d arrays", MAX_MEMORY);
    return run->memory[run->memory_count++] = allocate(bytes);
}

void *trial_zeros(struct trial *trial, size_t count, size_t size)
{
    return keep(run_of(trial), count * size);
}

struct rng *trial_rng(struct trial *trial)
{
    return &run_of(trial)->rng;
}

/* An array of at least one element, so that it has an address. */
static struct array *add_array(struct trial *trial, const char *name, size_t count, size_t size)
{
    struct run *run = run_of(trial);
    const size_t bytes = (count ? count : 1) * size;

    if (run->array_count == MAX_BUFFERS)
        run_broken(run, "more than %d arrays on the device", MAX_BUFFERS);
    struct array *array = &run->arrays[run->array_count++];
    char *declared = text_format("%s[%zu]", name, count); /* as messages have it */
    *array = (struct array){
        .name = name,
        .address = memory_allocate(run->machine, bytes, MEMORY_DEVICE, declared),
        .size = bytes,
        .element = size,
        .writers = keep(run, bytes / size * sizeof(*array->writers)),
    };
    if (!array->address)
        run_broken(run, "no device memory for %zu bytes", bytes);
    checks_allocated(run->checks, array->address, bytes, true, NULL);
    return array;
}

buffer trial_inout(struct trial *trial, const char *name, const void *data, size_t count,
                   size_t size)
{
    const struct array *array = add_array(trial, name, count, size);

    memcpy(memory_host(run_of(trial)->machine, array->address), data, count * size);
    checks_written(run_of(trial)->checks, array->address, array->size);
    return array->address;
}

buffer trial_input(struct trial *trial, const char *name, const void *data, size_t count,
                   size_t size)
{
    const uint64_t address = trial_inout(trial, name, data, count, size);
    struct array *array = run_array(run_of(trial), address);

    array->before = keep(run_of(trial), array->size);
    memcpy(array->before, memory_host(run_of(trial)->machine, address), array->size);
    return address;
}

/* Fresh device memory is poisoned already. */
buffer trial_output(struct trial *trial, const char *name, size_t count, size_t size)
{
    struct array *array = add_array(trial, name, count, size);

    array->poisoned = true;
    return array->address;
}

/* --- Launches -------------------------------------------------------------------------------- */

/* The entry of that base name; ends with a verdict where there is none. */
static const struct ptx_function *find_kernel(const struct run *run, const char *wanted)
{
    char name[256];

    for (int i = 0; i < run->module->function_count; i++) {
        const struct ptx_function *function = &run->module->functions[i];
        ptx_function_name(function->name, name, sizeof(name));
        if (function->is_entry && !strcmp(name, wanted))
            return function;
    }
    run_finish(
        run, VERDICT_KERNEL,
        text_format("there is no kernel '%s': no __global__ function of that name\n", wanted));
}

static void check_parameters(const struct run *run, const char *name,
                             const struct ptx_function *function, const struct argument *arguments,
                             size_t count)
{
    if ((size_t)function->param_count != count)
        run_finish(run, VERDICT_KERNEL,
                   text_format("kernel '%s' takes %d arguments, not %zu as in the puzzle\n", name,
                               function->param_count, count));
    for (size_t i = 0; i < count; i++)
        if (function->params[i].size != arguments[i].size)
            run_finish(run, VERDICT_KERNEL,
                       text_format("argument %zu of kernel '%s' has %zu bytes, not %zu as in the "
                                   "puzzle\n",
                                   i + 1, name, function->params[i].size, arguments[i].size));
}

static void check_shape(const struct run *run, const char *name,
                        const struct ptx_function *function, const struct shape *shape)
{
    const struct gpu *gpu = machine_gpu(run->machine);
    const size_t shared = function->shared_bytes + shape->shared;
    const uint64_t threads = (uint64_t)shape->block[0] * shape->block[1] * shape->block[2];

    if (shared > gpu->shared_per_block)
        run_finish(
            run, VERDICT_FAULT,
            text_format("kernel '%s' wants %zu bytes of shared memory per block, but the GPU has "
                        "%zu\n",
                        name, shared, gpu->shared_per_block));
    if (threads == 0 || threads > (uint64_t)gpu->max_threads_per_block)
        run_broken(run, "a block of %" PRIu64 " threads", threads);
}

/* The first finding alone of what the checkers said, without the emulator's mark. */
static char *first_finding(const char *text)
{
    char **lines = text_lines(text);
    char *finding = text_format("%s\n", emulator_says(*lines));

    for (lines++; *lines && !strncmp(*lines, "emu:     ", 9); lines++)
        finding = text_format("%s%s\n", finding, emulator_says(*lines));
    return finding;
}

/* Ends with what the checkers found, if anything. */
static void hear_checkers(const struct run *run, const struct fault *fault)
{
    char *text;
    FILE *file = text_open(&text);
    const size_t count = checks_finish(run->checks, true, file);

    fclose(file);
    if (count) {
        const char *shown = first_finding(text);
        const enum verdict_kind kind =
            verdict_find(text_format("%.*s", (int)strcspn(shown, ":"), shown));
        /* Who polls for what nobody will write has misused no barrier. */
        const bool polls = kind == VERDICT_SYNC && strstr(shown, "it spins in a loop");
        run_stop(run, polls ? VERDICT_TIME : kind == VERDICT_COUNT ? VERDICT_FAULT : kind, shown);
    }
    if (fault->kind != FAULT_NONE)
        run_stop(run, VERDICT_FAULT, text_format("%s\n", fault->message));
}

char *run_writer(const struct run *run, const struct writer *writer)
{
    if (!writer->instr)
        return copy_text("no thread ever wrote it");
    return text_format("block (%u,%u,%u), thread (%u,%u,%u) wrote it, at %s", writer->block.x,
                       writer->block.y, writer->block.z, writer->thread.x, writer->thread.y,
                       writer->thread.z, place(run, writer->instr));
}

/* Inputs are as they were. */
static void check_inputs(const struct run *run)
{
    for (int i = 0; i < run->array_count; i++) {
        const struct array *array = &run->arrays[i];
        const size_t count = array->size / array->element;
        const char *now = memory_host(run->machine, array->address);
        for (size_t k = 0; array->before && k < count; k++) {
            const size_t at = k * array->element;
            if (memcmp((char *)array->before + at, now + at, array->element) != 0)
                run_stop(run, VERDICT_RESULT,
                         text_format("%s[%zu] is an input and was changed: %s\n", array->name, k,
                                     run_writer(run, &array->writers[k])));
        }
    }
}

/* What the puzzle calls its sizes: all arguments but arrays, by name; NULL: there are none. */
static char *name_sizes(struct run *run, const struct argument *arguments, size_t count)
{
    char *text = NULL;

    for (size_t i = 0; i < count; i++) {
        uint64_t value = 0;
        memcpy(&value, arguments[i].at, arguments[i].size);
        if (!run_array(run, value))
            text_join(&text, ", ", text_format("%s = %" PRIu64, arguments[i].name, value));
    }
    return text;
}

void trial_launch(struct trial *trial, const char *name, struct shape shape,
                  const struct argument *arguments, size_t count)
{
    struct run *run = run_of(trial);
    const struct ptx_function *function = find_kernel(run, name);
    const struct kernel *kernel = program_kernel(run->program, function->name);
    const struct dim grid = {shape.grid[0], shape.grid[1], shape.grid[2]};
    const struct dim block = {shape.block[0], shape.block[1], shape.block[2]};
    void *pointers[MAX_ARGUMENTS] = {NULL};
    const struct launch_request request = {kernel,   grid,      block, shape.shared,
                                           pointers, {0, 0, 0}, 0};
    struct fault fault = {0};

    if (count > MAX_ARGUMENTS)
        run_broken(run, "more than %d arguments", MAX_ARGUMENTS);
    if (kernel_info(kernel)->failure)
        run_finish(run, VERDICT_COMPILE,
                   text_format("kernel '%s' cannot run: %s\n", name, kernel_info(kernel)->failure));
    check_parameters(run, name, function, arguments, count);
    check_shape(run, name, function, &shape);
    for (size_t i = 0; i < count; i++)
        pointers[i] = (void *)arguments[i].at;
    run->sizes = name_sizes(run, arguments, count);
    run->instructions = 0;
    run->launches++;
    machine_launch(run->machine, &request, &fault);
    hear_checkers(run, &fault);
    if (run->instructions > run->most_instructions)
        run_stop(run, VERDICT_INSTRUCTIONS,
                 text_format("it takes %" PRIu64 " warp instructions; allowed are %" PRIu64 "\n",
                             run->instructions, run->most_instructions));
    check_inputs(run);
}

/* --- All of it ------------------------------------------------------------------------------- */

static const struct {
    struct schedule schedule;
    const char *words;
} ways[] = {
    {{SCHEDULE_FORWARD, 0}, "in order"},
    {{SCHEDULE_REVERSE, 0}, "in reverse"},
    {{SCHEDULE_RANDOM, 1}, "in random order"},
};
enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

/* Once, on a device of its own; with counters into `counts` unless that is NULL. */
static void try(struct run *run, void (*trial)(struct trial *trial), int n, int way,
                struct counts *counts)
{
    const uint64_t allowed = run->grading->entry->puzzle->instructions;

    run->trial.n = n;
    run->most_instructions =
        allowed ? allowed : least_instructions + instructions_per_element * (uint64_t)n;
    run->way = ways[way].words;
    run->launches = 0;
    open_device(run, ways[way].schedule, counts != NULL);
    trial(&run->trial);
    if (!run->launches)
        run_broken(run, "launches nothing");
    if (counts) {
        size_t kernels;
        const struct profile_kernel *kernel = profile_kernels(run->profile, &kernels);
        *counts = (struct counts){.n = n, .launches = run->launches};
        for (size_t k = 0; k < kernels; k++)
            for (int i = 0; i < PROFILE_COUNTER_COUNT; i++)
                counts->counters[i] += kernel[k].counters[i];
    }
    close_device(run);
}

static void choose_gpu(struct run *run)
{
    const int capability = run->grading->entry->puzzle->capability;
    char error[ERROR_SIZE];

    if (!gpu_read(GPUS, capability > 75 ? "h100" : "default", &run->gpu, error))
        run_broken(run, "%s", error);
    run->gpu.memory = DEVICE_MEMORY;
}

/* What the kernels print goes to a file that is nowhere. */
static void catch_output(void)
{
    const int file = memfd_create("printed", 0);

    if (file >= 0)
        dup2(file, STDOUT_FILENO);
}

void trials_run(const struct grading *grading, const char *ptx, const char *predicted, int fd)
{
    const struct puzzle *puzzle = grading->entry->puzzle;
    const struct hidden *hidden = grading->hidden;
    const int *sizes = hidden && hidden->size_count ? hidden->sizes : puzzle->sizes;
    const int count = hidden && hidden->size_count ? hidden->size_count : puzzle->size_count;
    struct run run = {.grading = grading, .ptx = ptx, .fd = fd};
    struct counts counts;
    char *text = copy_text("");

    catch_output();
    choose_gpu(&run);
#ifndef __SANITIZE_ADDRESS__ /* which looks at files of its own */
    sandbox_seal();
#endif
    run.rng = rng_seed(grading->seed);
    if (puzzle->prediction && puzzle->predict) {
        run.ptx = predicted;
        picture_start(&run.picture, puzzle->prediction);
        try(&run, puzzle->predict, puzzle->predict_n, 0, &counts);
        run.picture.counter = NULL;
        judge_prediction(&run, &counts);
        run.ptx = ptx;
    }
    for (int way = 0; way < WAYS; way++)
        for (int i = 0; i < count; i++)
            try(&run, puzzle->trial, sizes[i], way, way == 0 && i == count - 1 ? &counts : NULL);
    if (puzzle->prediction && !puzzle->predict)
        judge_prediction(&run, &counts);
    bool met = judge_goals(&run, (char *const *)puzzle->goals, PUZZLE_GOALS, &counts, &text);
    if (hidden)
        met = judge_goals(&run, hidden->goals, hidden->goal_count, &counts, &text) && met;
    if (!met)
        run_finish(&run, VERDICT_GOAL, text);
    if (!puzzle->prediction || run.predicted)
        run_finish(&run, VERDICT_PASSED, text);
    if (run.counted)
        run.prediction = run.counted;
    run_finish(&run, VERDICT_PREDICTION, text);
}

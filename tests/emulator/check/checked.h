/* SPDX-License-Identifier: MIT */
/* PTX kernels under checkers: what these say. */
#ifndef CHECKED_H
#define CHECKED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../cmocka_main.h"
#include "check/check.h"
#include "parse_ptx.h"
#include "test_gpu.h"

enum { CHECKED_BYTES = 64 << 10, CHECKED_TEXT = 64 << 10 };

/* How the kernel `test`, of parameters `hole` and `out`, is launched. */
struct checked {
    unsigned kinds; /* a bit for each enum check_kind */
    uint32_t blocks, threads;
    enum schedule_kind order;
};

static inline struct program *checked_load(struct machine *machine, const char *text)
{
    char error[256] = "";
    struct ptx_module *module = parse_ptx(text, error, sizeof(error));
    if (!module)
        fail_msg("%s in: %s", error, text);
    struct program *program = machine_load(machine, module, error, sizeof(error));
    if (!program)
        fail_msg("%s in: %s", error, text);
    return program;
}

/* Allocated, all zeros; of `hole` bytes 0 to 3, 6 to 13, 20 to 27 and all from 32 on count as never
 * written. */
static inline uint64_t checked_memory(struct machine *machine, struct checks *checks, bool hole)
{
    const uint64_t address = memory_allocate(machine, CHECKED_BYTES, MEMORY_DEVICE, NULL);

    checks_allocated(checks, address, CHECKED_BYTES, true, NULL);
    memset(memory_host(machine, address), 0, CHECKED_BYTES);
    if (!hole) {
        checks_written(checks, address, CHECKED_BYTES);
        return address;
    }
    checks_written(checks, address + 4, 2);
    checks_written(checks, address + 14, 6);
    checks_written(checks, address + 28, 4);
    return address;
}

/* What the checkers print of a module with the kernel `test`, to be freed. */
static inline char *checked_report(const struct checked *how, const char *text)
{
    const struct gpu gpu = test_gpu(90);
    struct machine *machine = machine_new(&gpu, 1);
    struct checks *checks = checks_new(machine, how->kinds);
    struct program *program = checked_load(machine, text);
    uint64_t hole = checked_memory(machine, checks, true);
    uint64_t out = checked_memory(machine, checks, false);
    void *arguments[] = {&hole, &out};
    const struct launch_request request = {.kernel = program_kernel(program, "test"),
                                           .grid = {how->blocks, 1, 1},
                                           .block = {how->threads, 1, 1},
                                           .arguments = arguments};
    struct fault fault = {0};
    char *report = NULL;
    size_t size;

    machine_set_schedule(machine, (struct schedule){.kind = how->order});
    machine_launch(machine, &request, &fault);
    if (fault.kind != FAULT_NONE)
        fail_msg("%s in: %s", fault.message, text);
    FILE *file = open_memstream(&report, &size);
    checks_finish(checks, false, file);
    fclose(file);
    checks_free(checks);
    machine_unload(machine, program);
    machine_free(machine);
    return report;
}

/* The same of `body` between a kernel's prologue and its end. */
static inline char *checked_body(const struct checked *how, const char *prologue, const char *body)
{
    char *text = malloc(CHECKED_TEXT);

    assert_non_null(text);
    assert_true(snprintf(text, CHECKED_TEXT, "%s%s\nret;\n}\n", prologue, body) < CHECKED_TEXT);
    char *report = checked_report(how, text);
    free(text);
    return report;
}

#endif

/* SPDX-License-Identifier: MIT */
/* Is a puzzle's solution right on the device that the CUDA runtime has? trial_gpu PUZZLE
 *
 * The same checks as on the emulator, by way of the runtime's own functions: results and what lies
 * behind the arrays, once for each size. Counters and checkers are the emulator's alone. It runs on
 * a GPU, and under emu as well. Exit codes: 0 right, 1 wrong, 2 bad usage, 3 a CUDA error, 77 no
 * device.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "files.h"
#include "grading.h"
#include "inputs.h"
#include "ptx/ptx.h"
#include "text.h"

enum { EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_CUDA = 3, EXIT_SKIP = 77 };
enum { MAX_BUFFERS = 16, MAX_ARGUMENTS = 16, GUARD = 256, POISON = 0xCD };

struct array {
    const char *name;
    uint64_t address;
    size_t size, element; /* bytes */
    void *before; /* what an input must still hold, or NULL */
};

static struct {
    struct trial trial;
    const char *ptx;
    cudaLibrary_t library;
    struct rng rng;
    struct array arrays[MAX_BUFFERS];
    int array_count;
    char *scratch;
} run;

__attribute__((noreturn, format(printf, 2, 3))) static void finish(int code, const char *format,
                                                                   ...)
{
    va_list arguments;

    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    if (run.scratch)
        scratch_remove(run.scratch);
    exit(code);
}

static void check(cudaError_t error, const char *what)
{
    if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver)
        finish(EXIT_SKIP, "no device: %s", cudaGetErrorString(error));
    if (error)
        finish(EXIT_CUDA, "%s: %s", what, cudaGetErrorString(error));
}

static void *pointer(uint64_t address)
{
    return (void *)address; /* NOLINT(performance-no-int-to-ptr) */
}

/* --- What puzzle.h promises ------------------------------------------------------------------ */

void *trial_zeros(struct trial *trial, size_t count, size_t size)
{
    (void)trial;
    return allocate(count * size);
}

struct rng *trial_rng(struct trial *trial)
{
    (void)trial;
    return &run.rng;
}

/* Poisoned, and so is a guard behind it. */
static struct array *add_array(const char *name, size_t count, size_t size)
{
    void *address;

    if (run.array_count == MAX_BUFFERS)
        finish(EXIT_USAGE, "too many arrays on the device");
    struct array *array = &run.arrays[run.array_count++];
    *array = (struct array){.name = name, .size = (count ? count : 1) * size, .element = size};
    check(cudaMalloc(&address, array->size + GUARD), "cudaMalloc");
    check(cudaMemset(address, POISON, array->size + GUARD), "cudaMemset");
    array->address = (uint64_t)address;
    return array;
}

buffer trial_output(struct trial *trial, const char *name, size_t count, size_t size)
{
    (void)trial;
    return add_array(name, count, size)->address;
}

static struct array *filled_array(const char *name, const void *data, size_t count, size_t size)
{
    struct array *array = add_array(name, count, size);

    check(cudaMemcpy(pointer(array->address), data, count * size, cudaMemcpyHostToDevice),
          "cudaMemcpy");
    return array;
}

buffer trial_inout(struct trial *trial, const char *name, const void *data, size_t count,
                   size_t size)
{
    (void)trial;
    return filled_array(name, data, count, size)->address;
}

buffer trial_input(struct trial *trial, const char *name, const void *data, size_t count,
                   size_t size)
{
    struct array *array = filled_array(name, data, count, size);

    array->before = trial_zeros(trial, count, size);
    array->size = count * size;
    memcpy(array->before, data, count * size);
    return array->address;
}

/* The mangled name of the kernel of that base name. */
static char *mangled(const char *wanted)
{
    static const char mark[] = ".entry ";
    char base[256];

    for (const char *at = run.ptx; (at = strstr(at, mark)) != NULL;) {
        at += strlen(mark);
        char *name = text_format("%.*s", (int)strcspn(at, "(\n \t"), at);
        ptx_function_name(name, base, sizeof(base));
        if (!strcmp(base, wanted))
            return name;
    }
    finish(EXIT_WRONG, "there is no kernel '%s'", wanted);
}

/* What is behind the arrays is as it was, and so are inputs. */
static void check_arrays(void)
{
    unsigned char guard[GUARD];

    for (int i = 0; i < run.array_count; i++) {
        const struct array *array = &run.arrays[i];
        char *found = allocate(array->size + 1);
        check(cudaMemcpy(found, pointer(array->address), array->size, cudaMemcpyDeviceToHost),
              "cudaMemcpy");
        if (array->before && memcmp(found, array->before, array->size) != 0)
            finish(EXIT_WRONG, "%s is an input and was changed", array->name);
        const size_t end = array->size ? array->size : array->element;
        check(cudaMemcpy(guard, pointer(array->address + end), GUARD, cudaMemcpyDeviceToHost),
              "cudaMemcpy");
        for (int k = 0; k < GUARD; k++)
            if (guard[k] != POISON)
                finish(EXIT_WRONG, "byte %d behind %s was written", k, array->name);
    }
}

void trial_launch(struct trial *trial, const char *kernel, struct shape shape,
                  const struct argument *arguments, size_t count)
{
    const dim3 grid = {shape.grid[0], shape.grid[1], shape.grid[2]};
    const dim3 block = {shape.block[0], shape.block[1], shape.block[2]};
    void *pointers[MAX_ARGUMENTS] = {NULL};
    char *name = mangled(kernel);
    cudaKernel_t handle;

    (void)trial;
    for (size_t i = 0; i < count && i < MAX_ARGUMENTS; i++)
        pointers[i] = (void *)arguments[i].at;
    check(cudaLibraryGetKernel(&handle, run.library, name), name);
    check(cudaLaunchKernel((const void *)handle, grid, block, pointers, shape.shared, NULL), name);
    check(cudaDeviceSynchronize(), name);
    check_arrays();
}

static const char *name_of(buffer address)
{
    for (int i = 0; i < run.array_count; i++)
        if (run.arrays[i].address == address)
            return run.arrays[i].name;
    finish(EXIT_USAGE, "compares what is no array");
}

void trial_read(struct trial *trial, buffer address, void *to, size_t count, size_t size)
{
    (void)trial;
    check(cudaMemcpy(to, pointer(address), count * size, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

/* Nothing is drawn here. */
void trial_rows(struct trial *trial, buffer address, size_t row)
{
    (void)trial;
    (void)address;
    (void)row;
}

void trial_wrong(struct trial *trial, buffer address, size_t index, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    finish(EXIT_WRONG, "n = %d: %s[%zu] %s", trial->n, name_of(address), index,
           text_vformat(format, arguments));
}

void trial_expect(struct trial *trial, buffer address, enum element kind, const void *expected,
                  size_t count, double tolerance)
{
    void *found = trial_zeros(trial, count, element_sizes[kind]);

    trial_read(trial, address, found, count, element_sizes[kind]);
    for (size_t i = 0; i < count; i++)
        if (element_differs(kind, found, expected, i, tolerance))
            trial_wrong(trial, address, i, "is %s, not %s", element_text(kind, found, i),
                        element_text(kind, expected, i));
}

/* --- All of it ------------------------------------------------------------------------------- */

static void try(const struct puzzle *puzzle, int n)
{
    run.trial.n = n;
    puzzle->trial(&run.trial);
    for (int i = 0; i < run.array_count; i++)
        check(cudaFree(pointer(run.arrays[i].address)), "cudaFree");
    run.array_count = 0;
}

static const struct puzzle_entry *find(const char *name)
{
    for (int i = 0; i < puzzle_count; i++)
        if (!strcmp(puzzle_table[i].name, name))
            return &puzzle_table[i];
    finish(EXIT_USAGE, "no puzzle '%s'", name);
}

int main(int argc, char **argv)
{
    struct grading grading = {0};
    struct verdict verdict;
    int devices = 0;

    if (argc != 2)
        finish(EXIT_USAGE, "usage: trial_gpu PUZZLE");
    const struct puzzle_entry *entry = find(argv[1]);
    const struct puzzle *puzzle = entry->puzzle;
    check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
    run.scratch = scratch_make();
    if (!run.scratch)
        finish(EXIT_USAGE, "no folder for the compiler: %s", strerror(errno));
    grading.entry = entry;
    grading.scratch = run.scratch;
    char *ptx = own_ptx(&grading, &verdict);
    if (!ptx)
        finish(EXIT_WRONG, "%s", verdict.text);
    run.ptx = ptx;
    run.rng = rng_seed(20);
    check(cudaLibraryLoadData(&run.library, ptx, NULL, NULL, 0, NULL, NULL, 0),
          "cudaLibraryLoadData");
    for (int i = 0; i < puzzle->size_count; i++)
        try(puzzle, puzzle->sizes[i]);
    check(cudaLibraryUnload(run.library), "cudaLibraryUnload");
    finish(0, "%s: right for %d sizes", entry->name, puzzle->size_count);
}

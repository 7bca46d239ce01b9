/* SPDX-License-Identifier: MIT */
/* campaign [--seed S] [--first K] [--count N] [--record FILE | --compare FILE | --print]: kernels
 * made up at random, run on this device; campaign_gpu is the same on a GPU.
 *
 *   (none)          every way this device has to run them gives the same and finds nothing
 *   --record FILE   run once, and keep all results
 *   --compare FILE  run what the record is of, and name the first difference of every kernel
 *   --print         show their PTX
 *
 * Exit codes: 0 all the same, 1 not so, 2 usage, 77 no device. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "kernels.h"

enum { SAME, DIFFERENT, USAGE, BATCH = 16, MAX_TOLD = 20, LOG_BYTES = KERNEL_SLOTS * SLOT_BYTES };

/* What a record begins with; behind it every kernel's slots. */
struct header {
    char magic[8];
    uint64_t seed;
    uint32_t first, count;
};
static const char magic[8] = "kernels";

/* Kernels of one module, their slots, and their logs, each as long as the longest of them. */
struct made {
    struct batch batch;
    uint64_t seed;
    struct kernel_slot slots[BATCH][KERNEL_SLOTS];
    int slot_count[BATCH];
    uint8_t logs[BATCH * LOG_BYTES], others[BATCH * LOG_BYTES];
};

static int told;

/* Modules of the first GPUs and of today's take turns. */
static enum kernel_age age_of(uint32_t number)
{
    return number / BATCH % 4 == 3 ? KERNEL_OLD : KERNEL_NEW;
}

/* Kernels from `first` on, up to the end of their module or `end`. The caller frees the text. */
static char *make(struct made *made, uint64_t seed, uint32_t first, uint32_t end)
{
    static uint64_t input[INPUT_WORDS];
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    const enum kernel_age age = age_of(first);
    const uint32_t last = (first / BATCH + 1) * BATCH;
    if (!file)
        abort();
    made->seed = seed;
    made->batch = (struct batch){.first = first,
                                 .count = (last < end ? last : end) - first,
                                 .old = age == KERNEL_OLD,
                                 .grid = {KERNEL_BLOCKS, 1, 1},
                                 .block = {KERNEL_BLOCK_THREADS, 1, 1},
                                 .input = input,
                                 .input_bytes = sizeof input};
    fill_input(seed, input);
    put_module(file, seed, age);
    for (uint32_t i = 0; i < made->batch.count; i++) {
        made->slot_count[i] = put_kernel(file, seed, first + i, age, made->slots[i]);
        if (made->batch.log_bytes < (size_t)made->slot_count[i] * SLOT_BYTES)
            made->batch.log_bytes = (size_t)made->slot_count[i] * SLOT_BYTES;
    }
    fclose(file);
    made->batch.text = text;
    return text;
}

static int run(const struct made *made, int way, uint8_t *logs)
{
    memset(logs, LOG_UNWRITTEN, made->batch.count * made->batch.log_bytes);
    return device_run_batch(&made->batch, way, logs);
}

/* The log of kernel `i` among the logs of its module. */
static const uint8_t *log_of(const struct made *made, const uint8_t *logs, uint32_t i)
{
    return logs + i * made->batch.log_bytes;
}

static uint64_t result_at(const uint8_t *log, int slot, int thread)
{
    uint64_t value;
    memcpy(&value, log + (size_t)slot * SLOT_BYTES + (size_t)thread * 8, sizeof value);
    return value;
}

/* As wide as the register that it was in; nothing beside it has been written. */
static void print_result(const char *what, const char *reg, uint64_t value)
{
    const int bits = reg[1] == 'h' ? 16 : reg[1] == 'd' || !*reg ? 64 : 32;
    printf("  %s: 0x%0*" PRIx64 "\n", what, bits / 4, value & ~UINT64_C(0) >> (64 - bits));
}

/* What a register held in front of `slot`, as far as the log says. */
static void print_operand(const struct kernel_slot *slots, const uint8_t *log, int slot, int thread,
                          const char *text)
{
    uint64_t unwritten;
    char reg[8];
    memset(&unwritten, LOG_UNWRITTEN, sizeof unwritten);
    snprintf(reg, sizeof reg, "%.*s", (int)strcspn(text, " ,|;+]}"), text);
    for (int i = slot - 1; i >= 0; i--) {
        const uint64_t value = result_at(log, i, thread);
        if (strcmp(slots[i].result, reg) == 0 && value != unwritten) {
            print_result(reg, reg, value);
            return;
        }
    }
}

/* Name the first difference between the logs of a kernel. */
static void tell(const struct made *made, uint32_t i, const char *here, const char *there)
{
    const uint8_t *log = log_of(made, made->logs, i), *other = log_of(made, made->others, i);
    int at = 0;
    while (result_at(log, 0, at) == result_at(other, 0, at))
        at++;
    const int slot = at / KERNEL_THREADS, thread = at % KERNEL_THREADS;
    const struct kernel_slot *what = &made->slots[i][slot];
    const bool guarded = what->line[0] == '@';
    if (told++ >= MAX_TOLD)
        return;
    printf("seed %" PRIu64 ", kernel %" PRIu32 ", block %d, thread %d: %s\n", made->seed,
           made->batch.first + i, thread / KERNEL_BLOCK_THREADS, thread % KERNEL_BLOCK_THREADS,
           what->line);
    for (const char *reg = strchr(what->line, '%'); reg; reg = strchr(reg + 1, '%'))
        if (guarded || reg > strchr(what->line, ','))
            print_operand(made->slots[i], log, slot, thread, reg);
    print_result(here, what->result, result_at(log, slot, thread));
    print_result(there, what->result, result_at(other, slot, thread));
}

/* Compare what the slots of all kernels hold. */
static int compare(const struct made *made, const char *here, const char *there)
{
    int result = SAME;
    for (uint32_t i = 0; i < made->batch.count; i++)
        if (memcmp(log_of(made, made->logs, i), log_of(made, made->others, i),
                   (size_t)made->slot_count[i] * SLOT_BYTES) != 0) {
            tell(made, i, here, there);
            result = DIFFERENT;
        }
    return result;
}

/* Run every way, and hold each against the first. The last of several is for old kernels alone. */
static int run_every_way(struct made *made)
{
    int result = run(made, 0, made->logs);
    for (int way = 1; batch_ways[way] && result == SAME; way++) {
        if (!batch_ways[way + 1] && !made->batch.old)
            break;
        result = run(made, way, made->others);
        if (result == SAME)
            result = compare(made, batch_ways[0], batch_ways[way]);
        else
            fprintf(stderr, "seed %" PRIu64 ": when run %s\n", made->seed, batch_ways[way]);
    }
    return result;
}

static int record(struct made *made, FILE *file)
{
    const int result = run(made, 0, made->logs);
    for (uint32_t i = 0; i < made->batch.count && result == SAME; i++)
        if (fwrite(log_of(made, made->logs, i), SLOT_BYTES, (size_t)made->slot_count[i], file) !=
            (size_t)made->slot_count[i])
            abort();
    return result;
}

static int compare_record(struct made *made, FILE *file)
{
    const int result = run(made, 0, made->logs);
    for (uint32_t i = 0; i < made->batch.count; i++)
        if (fread(made->others + i * made->batch.log_bytes, SLOT_BYTES, (size_t)made->slot_count[i],
                  file) != (size_t)made->slot_count[i]) {
            fputs("the record is cut short, or of another version of the kernels\n", stderr);
            return USAGE;
        }
    return result == SAME ? compare(made, batch_ways[0], "in the record") : result;
}

int main(int argc, char **argv)
{
    struct header header = {.seed = 1, .count = 64};
    const char *path = NULL;
    char what = ' ';
    memcpy(header.magic, magic, sizeof magic);
    for (int i = 1; i < argc; i++) {
        const bool value = i + 1 < argc;
        if (strcmp(argv[i], "--seed") == 0 && value)
            header.seed = strtoull(argv[++i], NULL, 0);
        else if (strcmp(argv[i], "--first") == 0 && value)
            header.first = (uint32_t)strtoul(argv[++i], NULL, 0);
        else if (strcmp(argv[i], "--count") == 0 && value)
            header.count = (uint32_t)strtoul(argv[++i], NULL, 0);
        else if ((strcmp(argv[i], "--record") == 0 || strcmp(argv[i], "--compare") == 0) && value)
            what = argv[i][2], path = argv[++i];
        else if (strcmp(argv[i], "--print") == 0)
            what = 'p';
        else
            return fprintf(stderr, "%s: see the head of campaign.c\n", argv[i]), USAGE;
    }
    FILE *file = path ? fopen(path, what == 'r' ? "wb" : "rb") : NULL;
    if (path && (!file ||
                 (what == 'r' ? fwrite(&header, sizeof header, 1, file)
                              : fread(&header, sizeof header, 1, file)) != 1 ||
                 memcmp(header.magic, magic, sizeof magic) != 0))
        return fprintf(stderr, "%s: no record\n", path), USAGE;
    struct made *made = malloc(sizeof *made);
    int worst = SAME;
    const uint32_t end = header.first + header.count;
    for (uint32_t first = header.first; first < end && worst <= DIFFERENT;
         first = made->batch.first + made->batch.count) {
        char *text = make(made, header.seed, first, end);
        const int result = what == 'p'   ? (fputs(text, stdout), SAME)
                           : what == 'r' ? record(made, file)
                           : what == 'c' ? compare_record(made, file)
                                         : run_every_way(made);
        worst = result > worst ? result : worst;
        free(text);
    }
    free(made);
    if (file && fclose(file) != 0)
        return USAGE;
    return worst;
}

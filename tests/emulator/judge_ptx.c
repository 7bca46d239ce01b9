/* SPDX-License-Identifier: MIT */
/* judge_ptx PTXAS LIST [COUNT [SEED]]: lines made up from the table of instructions, right and
 * wrong, judged by us and by ptxas, for several targets.
 *
 * What ptxas refuses and we take is a fault. What it takes and we refuse is one unless LIST has it:
 * an example a line, "TARGET: LINE". It stands for all refusals of the same opcode for the same
 * reason; with '*' in front, of any opcode. Each example is judged as well, so that one we take by
 * now must go. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "generate.h"
#include "machine/machine.h"
#include "parse_ptx.h"
#include "test_gpu.h"

enum { BATCH = 400, LINE = 512, REASON = 200, UNUSABLE = 2 };

enum verdict { UNKNOWN, TAKEN, REFUSED };

struct judged {
    char line[LINE];
    int target;
    enum verdict ours, theirs;
    char reason[REASON]; /* why we refuse it, for all such lines */
    char words[REASON]; /* why, of this line */
    bool listed; /* an example */
    bool any; /* of any opcode */
};

static const int targets[] = {75, 80, 90};
enum { TARGET_COUNT = sizeof targets / sizeof *targets };

/* 90 is 90a: what only GPUs of 9.0 have is judged, too. */
static const char *letter_of(int target)
{
    return target == 90 ? "a" : "";
}

static const char *ptxas;
static char folder[] = "/tmp/judge_ptx.XXXXXX";

static int put_header(FILE *file, int target)
{
    fprintf(file, ".version 9.0\n.target sm_%d%s\n.address_size 64\n%s", target, letter_of(target),
            generated_kernel);
    int lines = 4;
    for (const char *c = generated_kernel; *c; c++)
        lines += *c == '\n';
    return lines;
}

/* The reason without what differs between lines that are wrong in the same way: "line 12: " is
 * gone, the line's own opcode is *, numbers are #. */
static void generalise(const char *words, const char *line, char reason[REASON])
{
    const size_t opcode = strcspn(line, ". ;");
    size_t used = (size_t)snprintf(reason, REASON, "%.*s: ", (int)opcode, line);
    const char *start = strncmp(words, "line ", 5) == 0 ? strchr(words, ':') + 2 : words;
    for (const char *c = start; *c && used + 2 < REASON; c++) {
        const bool digit = *c >= '0' && *c <= '9';
        if (*c == '\'' && strncmp(c + 1, line, opcode) == 0) {
            c += 1 + strcspn(c + 1, "'");
            reason[used++] = '*';
        } else if (!digit) {
            reason[used++] = *c;
        } else if (reason[used - 1] != '#') {
            reason[used++] = '#';
        }
    }
    reason[used] = '\0';
}

static void judge_ours(struct judged *judged, struct machine *machine)
{
    char *text = NULL, error[512] = "";
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        exit(UNUSABLE);
    put_header(file, judged->target);
    fprintf(file, "%s\n%s", judged->line, generated_end);
    fclose(file);
    struct ptx_module *module = parse_ptx(text, error, sizeof error);
    struct program *program = module ? machine_load(machine, module, error, sizeof error) : NULL;
    const char *failure = program ? kernel_info(program_kernel(program, "k"))->failure : error;
    judged->ours = failure ? REFUSED : TAKEN;
    if (failure) {
        snprintf(judged->words, sizeof judged->words, "%.*s", REASON - 1, failure);
        generalise(failure, judged->line, judged->reason);
    }
    if (program)
        machine_unload(machine, program);
    free(text);
}

/* Run ptxas on those not judged yet. True if it found no fault with any. */
static bool assemble(struct judged **batch, int count, int target)
{
    char path[64], command[512], said[1024];
    snprintf(path, sizeof path, "%s/lines.ptx", folder);
    FILE *file = fopen(path, "w");
    if (!file)
        exit(UNUSABLE);
    const int first = put_header(file, target);
    for (int i = 0; i < count; i++)
        fprintf(file, "%s\n", batch[i]->theirs == UNKNOWN ? batch[i]->line : "");
    fputs(generated_end, file);
    fclose(file);
    snprintf(command, sizeof command, "'%s' -arch=sm_%d%s -O0 -o %s/out %s 2>&1", ptxas, target,
             letter_of(target), folder, path);
    FILE *output = popen(command, "r"); /* NOLINT(cert-env33-c): the program is the argument */
    if (!output)
        exit(UNUSABLE);
    while (fgets(said, sizeof said, output)) {
        const char *at = strstr(said, "line ");
        const bool wrong = strstr(said, "; error") || strstr(said, "; fatal") ||
                           strstr(said, "32-bit address on line");
        int line = at ? atoi(at + 5 + (at[5] == '\'')) - first : -1;
        if (wrong && line >= 0 && line < count)
            batch[line]->theirs = REFUSED;
    }
    return pclose(output) == 0;
}

static int still_unknown(struct judged **batch, int count)
{
    int unknown = 0;
    for (int i = 0; i < count; i++)
        unknown += batch[i]->theirs == UNKNOWN;
    return unknown;
}

/* Errors hide what ptxas would find later: what it passes beside them is assembled again alone. */
static void judge_theirs(struct judged **batch, int count, int target)
{
    for (int unknown = still_unknown(batch, count); unknown > 0;) {
        if (assemble(batch, count, target)) {
            for (int i = 0; i < count; i++)
                if (batch[i]->theirs == UNKNOWN)
                    batch[i]->theirs = TAKEN;
            return;
        }
        const int now = still_unknown(batch, count);
        if (now == unknown && count == 1) {
            /* It fails and names no line: once more, in case the machine was short of something. */
            batch[0]->theirs = assemble(batch, count, target) ? TAKEN : REFUSED;
            return;
        }
        if (now == unknown) {
            judge_theirs(batch, count / 2, target);
            judge_theirs(batch + count / 2, count - count / 2, target);
            return;
        }
        unknown = now;
    }
}

static void judge_all(struct judged *all, int count)
{
    for (int t = 0; t < TARGET_COUNT; t++) {
        struct judged *batch[BATCH];
        const struct gpu gpu = test_gpu(targets[t]);
        struct machine *machine = machine_new(&gpu, 1);
        for (int i = 0, used = 0; i <= count; i++) {
            if (used == BATCH || (i == count && used)) {
                judge_theirs(batch, used, targets[t]);
                used = 0;
            }
            if (i == count || all[i].target != targets[t])
                continue;
            judge_ours(&all[i], machine);
            batch[used++] = &all[i];
        }
        machine_free(machine);
    }
}

/* What only ptxas refuses, again by itself: beside others it may name the wrong line. */
static void judge_alone(struct judged *all, int count)
{
    for (int i = 0; i < count; i++) {
        struct judged *one = &all[i];
        if (one->theirs != REFUSED || one->ours != TAKEN)
            continue;
        one->theirs = UNKNOWN;
        judge_theirs(&one, 1, one->target);
    }
}

/* The examples of the list; what is behind '#' is a comment. */
static int read_list(const char *path, struct judged *all, int room)
{
    FILE *file = fopen(path, "r");
    char text[LINE + 16];
    int count = 0;
    if (!file)
        return -1;
    while (count < room && fgets(text, sizeof text, file)) {
        text[strcspn(text, "\n")] = '\0';
        struct judged *judged = &all[count];
        judged->any = *text == '*';
        if (sscanf(text + judged->any, "%d: %255[^\n]", &judged->target, judged->line) != 2)
            continue;
        judged->listed = true;
        count++;
    }
    fclose(file);
    return count;
}

static bool is_listed(const struct judged *all, int examples, const struct judged *judged)
{
    for (int i = 0; i < examples; i++) {
        const size_t from = all[i].any ? strcspn(all[i].reason, ":") : 0;
        const size_t at = all[i].any ? strcspn(judged->reason, ":") : 0;
        if (strcmp(all[i].reason + from, judged->reason + at) == 0)
            return true;
    }
    return false;
}

/* Print what is wrong, once for each reason. Returns how many lines are. */
static int report(struct judged *all, int examples, int count)
{
    int wrong = 0, not_yet = 0, right = 0;
    for (int i = 0; i < count; i++) {
        struct judged *judged = &all[i];
        right += judged->theirs == TAKEN && !judged->listed;
        if (judged->listed && (judged->theirs != TAKEN || judged->ours != REFUSED)) {
            printf("not for the list (%s, ptxas %s): %d: %s\n",
                   judged->ours == TAKEN ? "we take it" : "we refuse it",
                   judged->theirs == TAKEN ? "takes it" : "refuses it", judged->target,
                   judged->line);
            wrong++;
        } else if (judged->theirs == REFUSED && judged->ours == TAKEN) {
            printf("ptxas refuses, we take: %d: %s\n", judged->target, judged->line);
            wrong++;
        } else if (judged->theirs == TAKEN && judged->ours == REFUSED && !judged->listed) {
            not_yet++;
            if (is_listed(all, examples, judged))
                continue;
            printf("not in the list: %d: %s  # %s\n", judged->target, judged->line, judged->words);
            wrong++;
        }
    }
    printf("%d lines, %d that ptxas takes; of these we do not yet take %d (%.2f %% of all)\n",
           count - examples, right, not_yet, 100.0 * not_yet / (count - examples));
    return wrong;
}

int main(int argc, char **argv)
{
    enum { MAX_EXAMPLES = 1000 };
    const int wanted = argc > 3 ? atoi(argv[3]) : 600;
    const uint64_t random = argc > 4 ? strtoull(argv[4], NULL, 0) : 1;
    if (argc < 3 || wanted < 1 || random == 0) {
        fprintf(stderr, "usage: judge_ptx PTXAS LIST [COUNT [SEED]]\n");
        return UNUSABLE;
    }
    ptxas = argv[1];
    struct judged *all = calloc((size_t)wanted + MAX_EXAMPLES, sizeof *all);
    if (!all || !mkdtemp(folder))
        return UNUSABLE;
    const int examples = read_list(argv[2], all, MAX_EXAMPLES);
    if (examples < 0) {
        fprintf(stderr, "judge_ptx: cannot read %s\n", argv[2]);
        return UNUSABLE;
    }
    for (int i = 0; i < wanted; i++) {
        all[examples + i].target = targets[i % TARGET_COUNT];
        uint64_t own = random + (uint64_t)i * UINT64_C(0x9E3779B97F4A7C15); /* of this line */
        generate(&own, all[examples + i].line, LINE);
    }
    judge_all(all, examples + wanted);
    judge_alone(all, examples + wanted);
    const int wrong = report(all, examples, examples + wanted);
    free(all);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0 || wrong > 0; /* NOLINT(cert-env33-c) */
}

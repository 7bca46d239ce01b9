/* SPDX-License-Identifier: MIT */
/* Liveness by instruction, backward until nothing changes. */
#include "compile.h"

#include <stdlib.h>

enum { WORD = 64, MOST_WORDS = 1 << 21 };

struct live {
    size_t words; /* of a set */
    uint64_t *sets; /* by instruction, and one after the last: what is alive before it */
};

static uint64_t *set_at(const struct live *live, int pc)
{
    return &live->sets[(size_t)pc * live->words];
}

static void join(const struct live *live, uint64_t *into, int pc)
{
    for (size_t i = 0; i < live->words; i++)
        into[i] |= set_at(live, pc)[i];
}

/* What is alive after the instruction: before any that may come next. */
static void gather(const struct live *live, const struct code *code, int pc, uint64_t *set)
{
    const struct ptx_instr *instr = code->ops[pc].instr;
    join(live, set, pc + 1);
    if (instr->opcode == OP_BRA && instr->target >= 0)
        join(live, set, instr->target);
    for (int i = 0; i < instr->target_count; i++)
        join(live, set, instr->targets[i]);
}

static bool step_back(const struct live *live, const struct code *code, int pc, uint64_t *set)
{
    const struct ptx_instr *instr = code->ops[pc].instr;
    bool changed = false;
    for (size_t i = 0; i < live->words; i++)
        set[i] = 0;
    gather(live, code, pc, set);
    for (int i = 0; i < instr->write_count && instr->guard < 0; i++) {
        const int reg = instr->registers[instr->read_count + i];
        set[reg / WORD] &= ~(UINT64_C(1) << reg % WORD);
    }
    for (int i = 0; i < instr->read_count; i++)
        set[instr->registers[i] / WORD] |= UINT64_C(1) << instr->registers[i] % WORD;
    for (size_t i = 0; i < live->words; i++) {
        changed |= set_at(live, pc)[i] != set[i];
        set_at(live, pc)[i] = set[i];
    }
    return changed;
}

struct live *live_find(const struct code *code)
{
    const size_t words = (size_t)code->function->register_count / WORD + 1;
    struct live *live = malloc(sizeof *live);
    /* Where paths poll, how their registers change from turn to turn tells whether they spin. */
    if (!live || code->orders_blocks || code->reads_others ||
        words * (size_t)(code->op_count + 2) > MOST_WORDS) {
        free(live);
        return NULL;
    }
    live->words = words;
    live->sets = calloc((size_t)code->op_count + 2, words * sizeof *live->sets);
    if (!live->sets) {
        free(live);
        return NULL;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int pc = code->op_count - 1; pc >= 0; pc--)
            changed |= step_back(live, code, pc, set_at(live, code->op_count + 1));
    }
    return live;
}

bool live_after(const struct live *live, int pc, int reg)
{
    return !live || set_at(live, pc + 1)[reg / WORD] >> reg % WORD & 1;
}

void live_free(struct live *live)
{
    if (live)
        free(live->sets);
    free(live);
}

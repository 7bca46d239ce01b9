/* SPDX-License-Identifier: MIT */
/* Registers that hold nothing but time. A wait may look at the clock and sleep, as those of libcu++
 * do: each turn of its loop leaves other numbers behind, and yet only memory can end it.
 *
 * A register is timed if it is made of the clock, or is written where a timed branch leads. It
 * matters if anything but time may come of it: an access, an address, an end, how often a loop
 * runs. Timed ones that do not matter can be left out where two states of a path are compared. */
#include "steady.h"

#include "ptx/flow.h"
#include "stepped.h"

#include <stdlib.h>

struct finder {
    const struct code *code;
    const struct ptx_instr *instrs;
    int count;
    bool *timed, *matters; /* by register */
    int *seen, *work; /* of a walk; by instruction, the number of the last that saw it */
    int walks, pending;
    bool changed;
};

static void mark(struct finder *finder, bool *marks, const int *registers, int count)
{
    for (int i = 0; i < count; i++) {
        finder->changed |= !marks[registers[i]];
        marks[registers[i]] = true;
    }
}

static bool any(const bool *marks, const int *registers, int count)
{
    for (int i = 0; i < count; i++)
        if (marks[registers[i]])
            return true;
    return false;
}

static bool asks(const struct ptx_instr *instr)
{
    return instr->opcode == OP_MBARRIER &&
           (ptx_has(instr, MOD_TEST_WAIT) || ptx_has(instr, MOD_TRY_WAIT));
}

/* Does it do more than fill registers, or than let time pass? */
static bool acts(const struct ptx_instr *instr)
{
    switch (ptx_effect_of(instr)) {
    case EFFECT_LANEWISE:
    case EFFECT_COMPARES:
    case EFFECT_SELECTS:
    case EFFECT_SHUFFLES:
    case EFFECT_CROSSES:
    case EFFECT_VOTES:
        return ptx_has(instr, MOD_CC);
    case EFFECT_LOADS:
    case EFFECT_FETCHES:
        return false;
    default:
        return !jump_count(instr) && !asks(instr) && instr->opcode != OP_NANOSLEEP;
    }
}

/* Does what it reads matter: as an address, say? */
static bool makes_matter(const struct ptx_instr *instr)
{
    const enum effect effect = ptx_effect_of(instr);
    return acts(instr) || asks(instr) || effect == EFFECT_LOADS || effect == EFFECT_FETCHES;
}

static void go_on(struct finder *finder, int at, int reconverge)
{
    if (at == reconverge || at >= finder->count || finder->seen[at] == finder->walks)
        return;
    finder->seen[at] = finder->walks;
    finder->work[finder->pending++] = at;
}

static void follow(struct finder *finder, int from, int reconverge)
{
    const struct ptx_instr *instr = &finder->instrs[from];
    for (int i = 0; i < jump_count(instr); i++)
        go_on(finder, jump_target(instr, i), reconverge);
    if (!jump_count(instr) || instr->guard >= 0)
        go_on(finder, from + 1, reconverge);
}

/* All from a timed branch to where its lanes meet is timed. Does the branch matter, for what is
 * done there, or because it leads back to itself? */
static bool walk(struct finder *finder, int branch)
{
    bool matters = false;
    finder->walks++;
    follow(finder, branch, finder->instrs[branch].reconverge);
    while (finder->pending > 0) {
        const int at = finder->work[--finder->pending];
        const struct ptx_instr *instr = &finder->instrs[at];
        const int *written = instr->registers + instr->read_count;
        mark(finder, finder->timed, written, instr->write_count);
        matters |= at == branch || acts(instr) || any(finder->matters, written, instr->write_count);
        follow(finder, at, finder->instrs[branch].reconverge);
    }
    return matters;
}

static void look_at(struct finder *finder, int at)
{
    const struct ptx_instr *instr = &finder->instrs[at];
    const int *written = instr->registers + instr->read_count;
    const bool timed = finder->code->ops[at].stops == STEPPED_CLOCK ||
                       any(finder->timed, instr->registers, instr->read_count);
    if (timed)
        mark(finder, finder->timed, written, instr->write_count);
    if (makes_matter(instr) || (timed && jump_count(instr) && walk(finder, at)) ||
        any(finder->matters, written, instr->write_count))
        mark(finder, finder->matters, instr->registers, instr->read_count);
}

static void add(struct run *runs, int *count, struct run run)
{
    struct run *last = *count ? &runs[*count - 1] : NULL;
    if (last && last->first + last->bytes == run.first)
        last->bytes += run.bytes;
    else
        runs[(*count)++] = run;
}

/* The runs that are left, if some are left out. */
static void take(struct code *code, const struct finder *finder)
{
    const struct ptx_function *function = code->function;
    int left_out = 0;
    for (int i = 0; i < function->register_count; i++) {
        const struct ptx_register *reg = &function->registers[i];
        const uint32_t bytes = ptx_type_size(reg->type) == 8 ? 8 : 4;
        if (finder->timed[i] && !finder->matters[i])
            left_out++;
        else if (reg->type == PTX_PRED)
            add(code->steady_predicates, &code->steady_predicate_count,
                (struct run){4 * reg->slot, 4});
        else
            add(code->steady, &code->steady_count, (struct run){reg->slot, WARP_SIZE * bytes});
    }
    code->is_timed = left_out > 0;
}

bool code_reads_clock(const struct code *code)
{
    for (int i = 0; i < code->op_count; i++)
        if (code->ops[i].stops == STEPPED_CLOCK)
            return true;
    return false;
}

bool steady_find(struct code *code)
{
    const struct ptx_function *function = code->function;
    const size_t registers = (size_t)function->register_count + 1;
    const size_t count = (size_t)code->op_count + 1;
    if (!code_reads_clock(code))
        return true;
    struct finder finder = {.code = code,
                            .instrs = function->instrs,
                            .count = code->op_count,
                            .timed = calloc(registers, sizeof(bool)),
                            .matters = calloc(registers, sizeof(bool)),
                            .seen = calloc(count, sizeof(int)),
                            .work = calloc(count, sizeof(int)),
                            .changed = true};
    code->steady = calloc(registers, sizeof *code->steady);
    code->steady_predicates = calloc(registers, sizeof *code->steady_predicates);
    const bool done = finder.timed && finder.matters && finder.seen && finder.work &&
                      code->steady && code->steady_predicates;
    while (done && finder.changed) {
        finder.changed = false;
        for (int i = 0; i < code->op_count; i++)
            look_at(&finder, i);
    }
    for (int i = 0; done && i < code->op_count; i++) {
        const struct ptx_instr *instr = &function->instrs[i];
        code->ops[i].uses_time =
            code->ops[i].stops == STEPPED_CLOCK &&
            any(finder.matters, instr->registers + instr->read_count, instr->write_count);
    }
    if (done)
        take(code, &finder);
    free(finder.timed);
    free(finder.matters);
    free(finder.seen);
    free(finder.work);
    return done;
}

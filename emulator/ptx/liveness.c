/* SPDX-License-Identifier: MIT */
/* Liveness, computed backward and for one register at a time: a register is alive from where it
 * is written to where it is read. The work is proportional to the length of these ranges,
 * however many registers and blocks there are. */
#include "liveness.h"

struct int_list {
    int *items;
    int count;
};

struct liveness {
    struct compilation *compilation;
    const struct ptx_function *function;
    const struct flow *flow;
    struct int_list *readers; /* for each register: blocks that read it before they write it */
    struct int_list *writers; /* for each register: blocks that always write it */
    struct int_list *alive_after; /* for each block: registers that are read after it */
};

static void append(struct liveness *l, struct int_list *list, int item)
{
    *APPEND(l->compilation, list->items, list->count) = item;
}

static bool ends_with(const struct int_list *list, int item)
{
    return list->count > 0 && list->items[list->count - 1] == item;
}

static void scan_block(struct liveness *l, int number)
{
    const struct basic_block *block = &l->flow->blocks[number];
    for (int i = block->first; i < block->end; i++) {
        const struct ptx_instr *instr = &l->function->instrs[i];
        const int *written = instr->registers + instr->read_count;
        for (int j = 0; j < instr->read_count; j++) {
            int reg = instr->registers[j];
            if (!ends_with(&l->writers[reg], number) && !ends_with(&l->readers[reg], number))
                append(l, &l->readers[reg], number);
        }
        /* With a guard, lanes may keep the old value. */
        for (int j = 0; j < instr->write_count && instr->guard < 0; j++)
            if (!ends_with(&l->writers[written[j]], number))
                append(l, &l->writers[written[j]], number);
    }
}

/* Follow one register backward from the blocks that read it. In `written` and `passed` a block
 * is marked with the number of the register, plus one. */
static void follow(struct liveness *l, int reg, int *written, int *passed, int *work)
{
    int pending = 0;
    for (int i = 0; i < l->writers[reg].count; i++)
        written[l->writers[reg].items[i]] = reg + 1;
    for (int i = 0; i < l->readers[reg].count; i++)
        work[pending++] = l->readers[reg].items[i];
    while (pending > 0) {
        const struct block_list *from = &l->flow->predecessors[work[--pending]];
        for (int i = 0; i < from->count; i++) {
            int block = from->blocks[i];
            if (passed[block] == reg + 1)
                continue;
            passed[block] = reg + 1;
            append(l, &l->alive_after[block], reg);
            if (written[block] != reg + 1)
                work[pending++] = block;
        }
    }
}

/* The registers that are alive at the current point of a walk through a block. */
struct pressure {
    const int *weights; /* of each register */
    int *alive; /* for each register: 1 + the block where it was last seen alive */
    int block, now, most;
    int *before; /* to be filled: how much is alive before each instruction; or NULL */
};

static void start(struct pressure *p, int reg)
{
    if (p->alive[reg] == p->block + 1)
        return;
    p->alive[reg] = p->block + 1;
    p->now += p->weights[reg];
    if (p->now > p->most)
        p->most = p->now;
}

static void stop(struct pressure *p, int reg)
{
    if (p->alive[reg] != p->block + 1)
        return;
    p->alive[reg] = 0;
    p->now -= p->weights[reg];
}

/* Go from the end of a block to its start. A result that is never read needs a register, too. */
static void walk_block(const struct liveness *l, struct pressure *p, int number)
{
    const struct basic_block *block = &l->flow->blocks[number];
    p->block = number;
    p->now = 0;
    for (int i = 0; i < l->alive_after[number].count; i++)
        start(p, l->alive_after[number].items[i]);
    for (int i = block->end - 1; i >= block->first; i--) {
        const struct ptx_instr *instr = &l->function->instrs[i];
        const int *written = instr->registers + instr->read_count;
        for (int j = 0; j < instr->write_count; j++)
            start(p, written[j]);
        for (int j = 0; j < instr->write_count && instr->guard < 0; j++)
            stop(p, written[j]);
        for (int j = 0; j < instr->read_count; j++)
            start(p, instr->registers[j]);
        if (p->before)
            p->before[i] = p->now;
    }
}

struct liveness *find_alive(struct compilation *c, const struct ptx_function *f,
                            const struct flow *flow)
{
    size_t registers = (size_t)f->register_count + 1, blocks = (size_t)flow->block_count + 1;
    struct liveness *l = compilation_array(c, 1, sizeof *l);
    *l = (struct liveness){.compilation = c, .function = f, .flow = flow};
    l->readers = compilation_array(c, registers, sizeof *l->readers);
    l->writers = compilation_array(c, registers, sizeof *l->writers);
    l->alive_after = compilation_array(c, blocks, sizeof *l->alive_after);
    for (int i = 0; i < flow->block_count; i++)
        scan_block(l, i);
    int *written = compilation_array(c, blocks, sizeof *written);
    int *passed = compilation_array(c, blocks, sizeof *passed);
    int *work = compilation_array(c, 2 * blocks, sizeof *work);
    for (int reg = 0; reg < f->register_count; reg++)
        follow(l, reg, written, passed, work);
    return l;
}

/* At the end `alive` is 1 for registers that are alive before the first instruction, where nothing
 * has been written. */
static int most_alive(const struct liveness *l, const int *weights, int *alive, int *before)
{
    struct pressure pressure = {.weights = weights, .alive = alive, .before = before};
    for (int i = l->flow->block_count - 1; i >= 0; i--)
        walk_block(l, &pressure, i);
    return pressure.most;
}

static int *none_alive(const struct liveness *l)
{
    return compilation_array(l->compilation, (size_t)l->function->register_count + 1, sizeof(int));
}

int count_live_registers(const struct liveness *l, struct ptx_register *registers)
{
    const struct ptx_function *f = l->function;
    int *alive = none_alive(l);
    int *weights =
        compilation_array(l->compilation, (size_t)f->register_count + 1, sizeof *weights);
    for (int reg = 0; reg < f->register_count; reg++)
        weights[reg] = (int)(ptx_type_size(f->registers[reg].type) + 3) / 4;
    const int most = most_alive(l, weights, alive, NULL);
    for (int reg = 0; reg < f->register_count; reg++)
        registers[reg].unwritten = alive[reg] == 1;
    return most;
}

int ptx_most_alive(const struct ptx_function *f, const int *weights, int *before)
{
    struct arena arena = {0};
    jmp_buf failed;
    char error[64];
    struct compilation c = {
        .arena = &arena, .failed = &failed, .error = error, .error_size = sizeof error};
    if (setjmp(failed)) {
        arena_free(&arena);
        return -1;
    }
    struct flow flow = control_flow(&c, f);
    const struct liveness *l = find_alive(&c, f, &flow);
    int most = most_alive(l, weights, none_alive(l), before);
    arena_free(&arena);
    return most;
}

static void reach(struct register_span *span, int instr)
{
    if (span->first < 0 || instr < span->first)
        span->first = instr;
    if (instr > span->last)
        span->last = instr;
}

struct register_span *register_spans(const struct liveness *l)
{
    const size_t registers = (size_t)l->function->register_count + 1;
    struct register_span *spans = compilation_array(l->compilation, registers, sizeof *spans);
    int *written =
        compilation_array(l->compilation, registers, sizeof *written); /* 1 + the block */
    for (int reg = 0; reg < l->function->register_count; reg++) {
        spans[reg] = (struct register_span){-1, -1};
        for (int i = 0; i < l->readers[reg].count; i++)
            reach(&spans[reg], l->flow->blocks[l->readers[reg].items[i]].first);
    }
    for (int b = 0; b < l->flow->block_count; b++) {
        const struct basic_block *block = &l->flow->blocks[b];
        for (int i = block->first; i < block->end; i++) {
            const struct ptx_instr *instr = &l->function->instrs[i];
            for (int k = 0; k < instr->read_count + instr->write_count; k++) {
                reach(&spans[instr->registers[k]], i);
                if (k >= instr->read_count && instr->guard < 0)
                    written[instr->registers[k]] = b + 1;
            }
        }
        for (int i = 0; i < l->alive_after[b].count; i++) {
            const int reg = l->alive_after[b].items[i];
            reach(&spans[reg], block->end - 1);
            if (written[reg] != b + 1)
                reach(&spans[reg], block->first);
        }
    }
    return spans;
}

/* SPDX-License-Identifier: MIT */
/* In which order a block's instructions stand in machine code: rules 7 to 9 of cycle_code.c. */
#include "time/cycle_writer.h"

#include <stdlib.h>
#include <string.h>

#include "machine/observer_memory.h"
#include "ptx/flow.h"

/* Rules 7 to 9. ptxas moves loads of device memory past hundreds of instructions (sgemm/s01). Of
 * AHEAD 1, 6, 12 and 32, 6 is the least that matmul/m8a and m8b need on an H200; PAST_STORE from 12
 * to 28 gives the same times there. LOADS_AHEAD: docs/lab-notes.md. */
enum { NEAR = 32, FAR = 512, PAST_STORE = 24, AHEAD = 6, LOADS_AHEAD = 16, UNROLLED_MOST = 64 };

struct order {
    const struct gpu *gpu;
    const struct writer *writer;
    const struct cycle_code *code;
    uint32_t register_count;
    struct cycle_item *items;
    uint16_t *early; /* how far each may move up: 0, NEAR, FAR or their sum */
    int *alive; /* words in use before each */
    uint32_t count, length; /* items; those of a copy */
};

static uint32_t renamed(const struct order *order, struct cycle_item item, uint32_t reg)
{
    return order->code->carried[reg] ? reg : reg + item.copy * order->register_count;
}

static const uint32_t *sources_of(const struct order *order, struct cycle_item item)
{
    return order->code->registers + order->code->ops[item.index].registers;
}

static bool mentions(const struct order *order, struct cycle_item item, uint32_t reg, int from,
                     int to)
{
    const uint32_t *registers = sources_of(order, item);

    for (int i = from; i < to; i++)
        if (renamed(order, item, registers[i]) == reg)
            return true;
    return false;
}

/* May no access to memory move past it? */
static bool is_barrier(const struct cycle_op *op)
{
    return op->kind == CYCLE_BARRIER || op->kind == CYCLE_FENCE || op->kind == CYCLE_AWAIT ||
           op->kind == CYCLE_COMMIT || op->kind == CYCLE_WGMMA ||
           op->kind == CYCLE_CLUSTER_ARRIVE || op->kind == CYCLE_CLUSTER_WAIT;
}

/* May nothing move past it? */
static bool is_alone(const struct cycle_op *op)
{
    return op->kind == CYCLE_CLOCK || op->kind == CYCLE_AFTER_LAUNCH ||
           op->kind == CYCLE_NEXT_LAUNCH;
}

/* Does `first` have to stay before `second`? */
static bool depends(const struct order *order, struct cycle_item second, struct cycle_item first)
{
    const struct cycle_op *b = &order->code->ops[second.index];
    const struct cycle_op *a = &order->code->ops[first.index];
    const uint32_t *registers = sources_of(order, second);

    for (int i = 0; i < b->source_count + b->result_count; i++) {
        const uint32_t reg = renamed(order, second, registers[i]);
        if (mentions(order, first, reg, i < b->source_count ? a->source_count : 0,
                     a->source_count + a->result_count))
            return true;
    }
    if (a->kind == CYCLE_JUMP || is_alone(a) || is_alone(b))
        return true;
    if (is_barrier(a))
        return b->kind != CYCLE_UNIT && b->kind != CYCLE_FREE;
    if (a->kind != CYCLE_MEMORY || b->kind != CYCLE_MEMORY)
        return false;
    if (a->moves)
        return false; /* a load; loads are kept apart in move_up() */
    const struct ptx_instr *x = &order->code->function->instrs[first.index];
    const struct ptx_instr *y = &order->code->function->instrs[second.index];
    return x->space == y->space || x->space == PTX_GENERIC || y->space == PTX_GENERIC ||
           isa_rows[x->opcode].cost == COST_UPDATE || isa_rows[x->opcode].cost == COST_LOAD;
}

static bool is_load(const struct order *order, struct cycle_item item)
{
    const struct cycle_op *op = &order->code->ops[item.index];

    return op->kind == CYCLE_MEMORY && op->moves;
}

static bool is_of_shared(const struct order *order, struct cycle_item item)
{
    return order->code->function->instrs[item.index].space == PTX_SHARED;
}

/* Find loads, the instructions that compute their addresses, and those that decide the branch: from
 * the end of the block back. */
static void find_early(struct order *order, const struct cycle_item *plain_order)
{
    uint16_t *wanted =
        observer_allocate((size_t)order->register_count * CYCLE_UNROLL + 1, sizeof(*wanted));

    if (order->count) {
        const struct cycle_item last = plain_order[order->count - 1];
        const int guard = order->code->function->instrs[last.index].guard;
        if (guard >= 0)
            wanted[renamed(order, last, (uint32_t)guard)] = NEAR;
    }
    for (uint32_t i = order->count; i-- > 0;) {
        const struct cycle_item item = plain_order[i];
        const struct cycle_op *op = &order->code->ops[item.index];
        const uint32_t *registers = sources_of(order, item);
        uint16_t early = !is_load(order, item) ? 0 : is_of_shared(order, item) ? NEAR : FAR;
        if (op->kind != CYCLE_MEMORY)
            for (int k = op->source_count; k < op->source_count + op->result_count; k++)
                early |= wanted[renamed(order, item, registers[k])];
        order->early[i] = early;
        for (int k = 0; early && k < op->source_count; k++)
            wanted[renamed(order, item, registers[k])] |= early;
    }
    free(wanted);
}

/* Has the load to stay after this one? Loads keep their order, but those of device memory, which
 * take longer, go in front of those of shared memory. */
static bool queues(const struct order *order, struct cycle_item load, struct cycle_item before)
{
    return is_load(order, before) &&
           (!is_load(order, load) || is_of_shared(order, load) || !is_of_shared(order, before));
}

/* Is it a store that the load follows by more than PAST_STORE instructions? */
static bool is_far_store(const struct order *order, struct cycle_item load,
                         struct cycle_item before)
{
    const uint32_t copies = (uint32_t)(load.copy - before.copy);

    return is_load(order, load) && order->code->ops[before.index].kind == CYCLE_MEMORY &&
           !is_load(order, before) &&
           copies * order->length + load.index - before.index > PAST_STORE;
}

/* Are there LOADS_AHEAD loads like this one before the instruction at `at` already? Then no
 * more pass it. */
static bool is_crowded(const struct order *order, struct cycle_item load, uint32_t at)
{
    const bool shared = is_of_shared(order, load);
    int loads = 0;

    for (; at > 0 && order->early[at - 1] && loads < LOADS_AHEAD; at--)
        loads += is_load(order, order->items[at - 1]) &&
                 is_of_shared(order, order->items[at - 1]) == shared;
    return loads == LOADS_AHEAD;
}

/* The words that a load fills. */
static int filled(const struct order *order, struct cycle_item item)
{
    const struct cycle_op *op = &order->code->ops[item.index];
    const uint32_t *results = sources_of(order, item) + op->source_count;
    int words = 0;

    for (int i = 0; is_load(order, item) && i < op->result_count; i++)
        words += order->writer->words[results[i]];
    return words;
}

/* Does the item at `at` let no more loads like this one pass? */
static bool holds_up(const struct order *order, struct cycle_item load, uint32_t at)
{
    return is_load(order, load) && (is_crowded(order, load, at) ||
                                    order->alive[at] + filled(order, load) > order->writer->room);
}

/* Move the item at `from` to `to`. */
static void move_item(struct order *order, uint32_t from, uint32_t to)
{
    const struct cycle_item item = order->items[from];
    const uint16_t early = order->early[from];

    for (uint32_t i = from; i > to; i--) {
        order->items[i] = order->items[i - 1];
        order->early[i] = order->early[i - 1];
        order->alive[i] = order->alive[i - 1] + filled(order, item);
    }
    order->items[to] = item;
    order->early[to] = early;
}

/* Rule 8. */
static void move_up(struct order *order)
{
    struct cycle_item *plain_order = observer_allocate(order->count + 1, sizeof(*plain_order));

    memcpy(plain_order, order->items, order->count * sizeof(*plain_order));
    order->early = observer_allocate(order->count + 1, sizeof(*order->early));
    order->alive = observer_allocate(order->count + 1, sizeof(*order->alive));
    for (uint32_t i = 0; i < order->count; i++)
        order->alive[i] = order->writer->alive[plain_order[i].index];
    find_early(order, plain_order);
    for (uint32_t i = 0; i < order->count; i++) {
        const struct cycle_item item = plain_order[i];
        uint32_t at = i;
        while (at > 0 && i - at < order->early[i]) {
            const struct cycle_item before = order->items[at - 1];
            if (queues(order, item, before) || depends(order, item, before) ||
                is_far_store(order, item, before) || holds_up(order, item, at - 1))
                break;
            at--;
        }
        move_item(order, i, at);
    }
    free(order->early);
    free(plain_order);
}

/* Has `second` to stay after `first` when stalls are filled? Accesses to memory keep their order,
 * the branch at the end stays there, nothing moves down past a barrier, and copies of a loop are
 * not mixed: that would take registers. */
static bool follows(const struct order *order, struct cycle_item second, struct cycle_item first)
{
    const struct cycle_op *b = &order->code->ops[second.index];
    const struct cycle_op *a = &order->code->ops[first.index];

    return first.copy != second.copy || b->kind == CYCLE_JUMP || is_barrier(b) ||
           a->kind == CYCLE_AWAIT || (a->kind == CYCLE_MEMORY && b->kind == CYCLE_MEMORY) ||
           depends(order, second, first);
}

/* The instructions that may come next, in the order in which they came so far. */
struct window {
    struct cycle_item items[AHEAD];
    int alive[AHEAD]; /* words in use before each */
    uint32_t behind[AHEAD]; /* a set: which of the others have to come before it */
    uint32_t count;
    uint32_t *ready; /* when each register has its value */
};

static void take_in(const struct order *order, struct window *window, uint32_t next)
{
    const struct cycle_item item = order->items[next];
    const int room = order->writer->room - filled(order, item);
    uint32_t behind = 0;

    for (uint32_t i = 0; i < window->count; i++)
        behind |= (uint32_t)(follows(order, item, window->items[i]) ||
                             (is_load(order, item) && window->alive[i] > room))
                  << i;
    window->alive[window->count] = order->alive[next];
    window->behind[window->count] = behind;
    window->items[window->count++] = item;
}

static void take_out(const struct order *order, struct window *window, uint32_t at)
{
    const uint32_t below = (1u << at) - 1;
    const int words = filled(order, window->items[at]);

    window->count--;
    for (uint32_t i = 0; i < window->count; i++) {
        const uint32_t from = i + (i >= at), behind = window->behind[from];
        window->items[i] = window->items[from];
        window->alive[i] = window->alive[from] + (i < at ? words : 0);
        window->behind[i] = (behind & below) | (behind >> 1 & ~below);
    }
}

/* When the instruction could be issued; one that costs nothing has no time to wait for. */
static uint32_t ready_at(const struct order *order, const struct window *window, uint32_t at,
                         uint32_t now)
{
    const struct cycle_item item = window->items[at];
    const struct cycle_op *op = &order->code->ops[item.index];
    uint32_t time = now;

    for (int i = 0; op->kind != CYCLE_FREE && i < op->source_count; i++) {
        const uint32_t ready = window->ready[renamed(order, item, sources_of(order, item)[i])];
        time = ready > time ? ready : time;
    }
    return time;
}

/* The instruction is issued at `now`. Returns when the next one may be. */
static uint32_t put(const struct order *order, struct window *window, struct cycle_item item,
                    uint32_t now)
{
    const struct cycle_op *op = &order->code->ops[item.index];
    const uint32_t *registers = sources_of(order, item);
    uint32_t done = now + op->latency;

    if (op->kind == CYCLE_MEMORY && order->code->function->instrs[item.index].space != PTX_SHARED)
        done = now + (uint32_t)order->gpu->l2_latency;
    if (op->kind == CYCLE_FREE) {
        done = 0;
        for (int i = 0; i < op->source_count; i++) {
            const uint32_t ready = window->ready[renamed(order, item, registers[i])];
            done = ready > done ? ready : done;
        }
    }
    for (int i = op->source_count; i < op->source_count + op->result_count; i++)
        window->ready[renamed(order, item, registers[i])] = done;
    return op->kind == CYCLE_FREE ? now : now + op->slots;
}

/* Rule 9. */
static void fill_stalls(struct order *order)
{
    struct window window = {.count = 0};
    uint32_t next = 0, now = 0;

    window.ready =
        observer_allocate((size_t)order->register_count * CYCLE_UNROLL + 1, sizeof(*window.ready));
    for (uint32_t done = 0; done < order->count; done++) {
        uint32_t best = UINT32_MAX, first = 0;
        while (window.count < AHEAD && next < order->count)
            take_in(order, &window, next++);
        for (uint32_t i = 0; i < window.count && best > now; i++) {
            const uint32_t time = window.behind[i] ? UINT32_MAX : ready_at(order, &window, i, now);
            first = time < best ? i : first;
            best = time < best ? time : best;
        }
        order->items[done] = window.items[first];
        now = put(order, &window, window.items[first], best);
        take_out(order, &window, first);
    }
    free(window.ready);
}

/* Is it the branch back of a loop, or does it decide that? Only the last copy has those. */
static bool closes(const struct writer *writer, const struct cycle_block *block, uint32_t index)
{
    const struct ptx_instr *last = &writer->function->instrs[block->end - 1];

    return index == block->end - 1 ||
           register_at(&writer->function->instrs[index], 0) == last->guard;
}

static struct cycle_item *make_items(struct writer *writer, const struct cycle_block *block,
                                     uint32_t copies, uint32_t *count)
{
    const uint32_t length = block->end - block->first;
    struct order order = {
        .gpu = writer->gpu,
        .writer = writer,
        .code = writer->code,
        .register_count = (uint32_t)writer->function->register_count,
        .length = length,
    };

    order.items = observer_allocate(length * copies + 1, sizeof(*order.items));
    for (uint32_t i = 0; i < length * copies; i++) {
        const struct cycle_item item = {block->first + i % length, (uint16_t)(i / length), 0};
        if (item.copy + 1u == copies || !closes(writer, block, item.index))
            order.items[order.count++] = item;
    }
    move_up(&order);
    fill_stalls(&order);
    free(order.alive);
    code_find_conflicts(writer, order.items, order.count);
    if (length * copies > writer->code->longest)
        writer->code->longest = length * copies;
    *count = order.count;
    return order.items;
}

/* Does a register in the block only grow by a constant? */
static bool counts(const struct writer *writer, const struct cycle_block *block, int reg)
{
    int writes = 0;

    for (uint32_t i = block->first; reg >= 0 && i < block->end; i++) {
        const struct ptx_instr *instr = &writer->function->instrs[i];
        if (register_at(instr, 0) != reg || !writes_operand(instr, 0))
            continue;
        if ((instr->opcode != OP_ADD && instr->opcode != OP_SUB) || register_at(instr, 1) != reg ||
            instr->operands[2].kind != OPERAND_IMMEDIATE)
            return false;
        writes++;
    }
    return writes == 1;
}

/* Is the branch at the block's end taken for a number of times that is known beforehand? */
static bool is_counted(const struct writer *writer, const struct cycle_block *block)
{
    const int guard = writer->function->instrs[block->end - 1].guard;

    for (uint32_t i = block->first; i < block->end; i++) {
        const struct ptx_instr *instr = &writer->function->instrs[i];
        if (instr->opcode == OP_SETP && register_at(instr, 0) == guard)
            return counts(writer, block, register_at(instr, 1));
    }
    return false;
}

/* Rule 7: is the block a loop of its own that a compiler may unroll? */
static bool unrolls(const struct writer *writer, const struct cycle_block *block)
{
    const struct ptx_instr *last = &writer->function->instrs[block->end - 1];

    if (last->opcode != OP_BRA || last->target != (int)block->first ||
        block->end - block->first > UNROLLED_MOST ||
        writer->function->instrs[block->first].rolled || !is_counted(writer, block))
        return false;
    for (uint32_t i = block->first; i < block->end; i++)
        if (is_barrier(&writer->code->ops[i]))
            return false;
    return true;
}

/* Find the registers that a copy reads before it writes them, or that other blocks read: all copies
 * share them. */
static void find_carried(struct writer *writer, const struct cycle_block *block)
{
    struct cycle_code *code = writer->code;
    bool *written = observer_allocate((size_t)writer->function->register_count + 1, 1);

    for (uint32_t i = block->first; i < block->end; i++) {
        const struct cycle_op *op = &code->ops[i];
        const uint32_t *registers = code->registers + op->registers;
        for (int k = 0; k < op->source_count; k++)
            if (!written[registers[k]])
                code->carried[registers[k]] = true;
        for (int k = op->source_count; k < op->source_count + op->result_count; k++)
            written[registers[k]] = true;
    }
    free(written);
}

/* A counter of an unrolled loop: the copies fold it into what uses it. */
static void fold_counters(struct writer *writer, const struct cycle_block *block)
{
    for (uint32_t i = block->first; i < block->end; i++) {
        const struct ptx_instr *instr = &writer->function->instrs[i];
        const int result = register_at(instr, 0);
        if (instr->opcode == OP_ADD && result >= 0 && result == register_at(instr, 1) &&
            instr->operands[2].kind == OPERAND_IMMEDIATE)
            writer->code->ops[i].kind = CYCLE_FREE;
    }
}

/* Put the items after the machine code so far. Returns where they begin. */
static uint32_t lay_out(struct cycle_code *code, const struct cycle_item *items, uint32_t count)
{
    const uint32_t address = code->length;

    for (uint32_t i = 0; i < count; i++)
        if (code->ops[items[i].index].kind != CYCLE_FREE)
            code->length += code->ops[items[i].index].slots;
    return address;
}

void code_order_blocks(struct writer *writer)
{
    struct cycle_code *code = writer->code;

    code_find_alive(writer);
    for (uint32_t b = 0; b < code->block_count; b++)
        if (unrolls(writer, &code->blocks[b])) {
            find_carried(writer, &code->blocks[b]);
            fold_counters(writer, &code->blocks[b]);
        }
    for (uint32_t b = 0; b < code->block_count; b++) {
        struct cycle_block *block = &code->blocks[b];
        block->items = make_items(writer, block, 1, &block->item_count);
        if (unrolls(writer, block))
            block->unrolled = make_items(writer, block, CYCLE_UNROLL, &block->unrolled_count);
        block->address = lay_out(code, block->items, block->item_count);
        block->unrolled_address = lay_out(code, block->unrolled, block->unrolled_count);
    }
}

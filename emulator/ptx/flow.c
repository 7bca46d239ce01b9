/* SPDX-License-Identifier: MIT */
/* Basic blocks, and the points where lanes meet again that a branch has separated. */
#include "flow.h"

#include <string.h>

static bool is_branch(const struct ptx_instr *instr)
{
    return instr->opcode == OP_BRA || instr->opcode == OP_BRX;
}

static bool returns(const struct ptx_instr *instr)
{
    return (instr->opcode == OP_RET || instr->opcode == OP_EXIT) && instr->guard < 0;
}

static bool traps(const struct ptx_instr *instr)
{
    return instr->opcode == OP_TRAP && instr->guard < 0;
}

static bool ends_block(const struct ptx_instr *instr)
{
    return isa_rows[instr->opcode].cost == COST_JUMP || traps(instr);
}

void mark_leaders(struct ptx_function *f, const struct flow *flow)
{
    for (int i = 0; i < flow->block_count; i++)
        f->instrs[flow->blocks[i].first].leads = true;
}

int jump_count(const struct ptx_instr *instr)
{
    return instr->opcode == OP_BRX ? instr->target_count : instr->opcode == OP_BRA;
}

int jump_target(const struct ptx_instr *instr, int index)
{
    return instr->opcode == OP_BRX ? instr->targets[index] : instr->target;
}

/* The instructions that start a block, other than the first one. */
static bool *find_leaders(struct compilation *c, const struct ptx_function *f)
{
    bool *leaders = compilation_array(c, (size_t)f->instr_count + 1, sizeof *leaders);
    for (int i = 0; i < f->instr_count; i++) {
        const struct ptx_instr *instr = &f->instrs[i];
        for (int j = 0; j < jump_count(instr); j++)
            leaders[jump_target(instr, j)] = true;
        if (ends_block(instr))
            leaders[i + 1] = true;
    }
    return leaders;
}

static void split_into_blocks(struct compilation *c, const struct ptx_function *f,
                              struct flow *flow)
{
    const bool *leaders = find_leaders(c, f);
    flow->block_of = compilation_array(c, (size_t)f->instr_count + 1, sizeof *flow->block_of);
    for (int i = 0; i < f->instr_count; i++) {
        if (i == 0 || leaders[i])
            APPEND(c, flow->blocks, flow->block_count)->first = i;
        flow->blocks[flow->block_count - 1].end = i + 1;
        flow->block_of[i] = flow->block_count - 1;
    }
    /* The exit, a block without instructions, comes after the last instruction. */
    flow->block_of[f->instr_count] = flow->block_count;
}

static void link_block(struct compilation *c, const struct ptx_function *f, struct flow *flow,
                       struct basic_block *block)
{
    const struct ptx_instr *last = &f->instrs[block->end - 1];
    for (int j = 0; j < jump_count(last); j++)
        *APPEND(c, block->successors, block->successor_count) =
            flow->block_of[jump_target(last, j)];
    if (returns(last))
        *APPEND(c, block->successors, block->successor_count) = flow->block_count;
    else if (!traps(last) && !(is_branch(last) && last->guard < 0))
        *APPEND(c, block->successors, block->successor_count) = flow->block_of[block->end];
}

struct flow control_flow(struct compilation *c, const struct ptx_function *f)
{
    struct flow flow = {0};
    split_into_blocks(c, f, &flow);
    for (int i = 0; i < flow.block_count; i++)
        link_block(c, f, &flow, &flow.blocks[i]);
    flow.predecessors =
        compilation_array(c, (size_t)flow.block_count + 1, sizeof *flow.predecessors);
    for (int i = 0; i < flow.block_count; i++) {
        for (int j = 0; j < flow.blocks[i].successor_count; j++) {
            struct block_list *list = &flow.predecessors[flow.blocks[i].successors[j]];
            *APPEND(c, list->blocks, list->count) = i;
        }
    }
    return flow;
}

/* Immediate post-dominators, by the method of K. D. Cooper, T. J. Harvey and K. Kennedy, "A
 * Simple, Fast Dominance Algorithm" (2001). Here it works on the graph with all edges reversed,
 * so the exit is the root. */
struct dominance {
    const struct flow *flow;
    int exit;
    int *order; /* the blocks in postorder: each after those reached through it */
    int *position; /* the index of each block in `order`, or -1 */
    int count;
    bool *leaves; /* the heads of loops without an end */
    bool *dead; /* the blocks that lead only to traps */
    bool *in_loop; /* for mark_loop() */
    int *immediate; /* the result for each block: a block, or -1 */
    int *stack, *next; /* for walk(): the blocks on its way, and their next predecessors */
};

enum { UNSEEN = -1, ON_STACK = -2 };

/* Number all blocks that lead to `root`, in postorder. */
static void walk(struct dominance *d, int root)
{
    int depth = 0;
    if (d->position[root] != UNSEEN)
        return;
    d->stack[depth++] = root;
    d->position[root] = ON_STACK;
    while (depth > 0) {
        int block = d->stack[depth - 1];
        const struct block_list *from = &d->flow->predecessors[block];
        if (d->next[block] == from->count) {
            d->position[block] = d->count;
            d->order[d->count++] = block;
            depth--;
            continue;
        }
        int predecessor = from->blocks[d->next[block]++];
        if (d->position[predecessor] == UNSEEN) {
            d->position[predecessor] = ON_STACK;
            d->stack[depth++] = predecessor;
        }
    }
}

static int *filled(struct compilation *c, int count, int value)
{
    int *items = compilation_array(c, (size_t)count, sizeof *items);
    for (int i = 0; i < count; i++)
        items[i] = value;
    return items;
}

/* Can lanes go on in `block`, and is it not known yet what ends their way? */
static bool is_open(const struct dominance *d, int block)
{
    return d->position[block] == UNSEEN && !d->dead[block];
}

/* Mark what can be reached from `block`, all of it in one loop, and return the block in which the
 * loop is entered. */
static int mark_loop(struct dominance *d, int block)
{
    int depth = 0, head = block;
    d->stack[depth++] = block;
    d->in_loop[block] = true;
    while (depth > 0) {
        const struct basic_block *from = &d->flow->blocks[d->stack[--depth]];
        for (int i = 0; i < from->successor_count; i++) {
            int successor = from->successors[i];
            if (d->in_loop[successor] || !is_open(d, successor))
                continue;
            d->in_loop[successor] = true;
            d->stack[depth++] = successor;
        }
    }
    for (int i = d->exit - 1; i >= 0; i--) {
        const struct block_list *from = &d->flow->predecessors[i];
        bool is_entered = i == 0;
        for (int j = 0; j < from->count; j++)
            is_entered |= !d->in_loop[from->blocks[j]];
        if (d->in_loop[i] && is_entered)
            head = i;
    }
    memset(d->in_loop, 0, (size_t)d->exit * sizeof *d->in_loop);
    return head;
}

/* Whether control never leaves `block` because what follows it are only traps. */
static bool only_traps(const struct dominance *d, int block)
{
    const struct basic_block *from = &d->flow->blocks[block];
    for (int i = 0; i < from->successor_count; i++) {
        if (is_open(d, from->successors[i]))
            return false;
    }
    return true;
}

/* Number the blocks that do not lead to the exit. Those of a loop without an end meet where it
 * begins: this leads to the exit, as if it were two, the end of each turn and the start of the
 * next. A walk against the edges finishes last in a loop that leads to no other (Kosaraju's way to
 * strongly connected components). */
static void number_endless(struct dominance *d, int *trial)
{
    const int reached = d->count;
    for (int block = 0; block < d->exit; block++)
        walk(d, block);
    const int rest = d->count - reached;
    memcpy(trial, d->order + reached, (size_t)rest * sizeof *trial);
    d->count = reached;
    for (int i = 0; i < rest; i++) {
        d->position[trial[i]] = UNSEEN;
        d->next[trial[i]] = 0;
    }
    for (int i = rest - 1; i >= 0; i--) {
        if (!is_open(d, trial[i]))
            continue;
        d->dead[trial[i]] = only_traps(d, trial[i]);
        if (d->dead[trial[i]])
            continue;
        int head = mark_loop(d, trial[i]);
        d->leaves[head] = true;
        walk(d, head);
    }
}

/* Number all blocks, the exit last. */
static void number_blocks(struct compilation *c, struct dominance *d)
{
    const struct block_list *last = &d->flow->predecessors[d->exit];
    d->position[d->exit] = ON_STACK;
    for (int i = 0; i < last->count; i++)
        walk(d, last->blocks[i]);
    if (d->count < d->exit)
        number_endless(d, filled(c, d->exit, 0));
    d->position[d->exit] = d->count;
    d->order[d->count++] = d->exit;
}

/* The nearest block that post-dominates both a and b. */
static int join(const struct dominance *d, int a, int b)
{
    while (a != b) {
        if (d->position[a] < d->position[b])
            a = d->immediate[a];
        else
            b = d->immediate[b];
    }
    return a;
}

/* The immediate post-dominator of `block`, as far as those of its successors are known by now. */
static int join_point(const struct dominance *d, int block)
{
    const struct basic_block *from = &d->flow->blocks[block];
    int point = -1;
    for (int i = 0; i < from->successor_count; i++) {
        int successor = from->successors[i];
        if (d->immediate[successor] < 0)
            continue;
        point = point < 0 ? successor : join(d, point, successor);
    }
    return point;
}

static void find_post_dominators(struct dominance *d)
{
    d->immediate[d->exit] = d->exit;
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = d->count - 2; i >= 0; i--) {
            int block = d->order[i];
            int point = d->leaves[block] ? d->exit : join_point(d, block);
            changed |= point != d->immediate[block];
            d->immediate[block] = point;
        }
    }
}

void find_reconvergence(struct compilation *c, struct ptx_function *f, const struct flow *flow)
{
    int nodes = flow->block_count + 1;
    struct dominance d = {
        .flow = flow,
        .exit = flow->block_count,
        .order = filled(c, nodes, 0),
        .position = filled(c, nodes, UNSEEN),
        .leaves = compilation_array(c, (size_t)nodes, sizeof *d.leaves),
        .dead = compilation_array(c, (size_t)nodes, sizeof *d.dead),
        .in_loop = compilation_array(c, (size_t)nodes, sizeof *d.in_loop),
        .immediate = filled(c, nodes, -1),
        .stack = filled(c, nodes, 0),
        .next = filled(c, nodes, 0),
    };
    number_blocks(c, &d);
    find_post_dominators(&d);
    for (int i = 0; i < flow->block_count; i++) {
        struct ptx_instr *last = &f->instrs[flow->blocks[i].end - 1];
        int join = d.leaves[i] ? join_point(&d, i) : d.immediate[i];
        if (is_branch(last))
            last->reconverge =
                join < 0 || join == d.exit ? f->instr_count : flow->blocks[join].first;
    }
}

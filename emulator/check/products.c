/* SPDX-License-Identifier: MIT */
#include "check/products.h"

#include <stdlib.h>

#include "machine/hash_table.h"
#include "machine/observer_memory.h"

/* A register of a warp. */
enum use { FREE, FACTOR, SUM };
struct held {
    bool written; /* since the last fence */
    uint8_t use; /* of a product under way: enum use */
    uint32_t group; /* of that product */
};

/* A warp in the frame of its kernel, where products are. */
struct warp_products {
    uint64_t warp; /* the key: its address */
    struct dim block;
    const void *frame;
    struct held *held; /* by register */
    int count;
    uint32_t groups; /* committed */
    uint32_t open; /* products since the last group */
    bool fenced;
};

struct check_products {
    struct reports *reports;
    struct hash_table warps;
    bool listens;
};

enum trouble { LACKS_FENCE, LACKS_GROUP, TOUCHED, TROUBLES };

static void report(struct check_products *products, const struct warp *warp,
                   const struct ptx_instr *instr, uint32_t lanes, enum trouble trouble)
{
    static const char *const whats[TROUBLES] = {
        "product without a fence",
        "wait for no group",
        "register of a product that is under way",
    };
    static const char *const whys[TROUBLES] = {
        "wgmma.fence must come first, and again behind whatever writes registers of the product",
        "the products before it are in no group: wgmma.commit_group must come in between",
        "the product may still read or write it: wgmma.wait_group must come first",
    };
    const int lane = __builtin_ctz(lanes);
    const struct finding finding = {.kind = CHECK_SYNC,
                                    .launch = warp_launch(warp),
                                    .what = whats[trouble],
                                    .why = whys[trouble],
                                    .parties = {{.act = instr->text,
                                                 .instr = instr,
                                                 .block = warp_id(warp).block,
                                                 .thread = warp_thread(warp, lane)}},
                                    .party_count = 1};
    if (!reports_again(products->reports, CHECK_SYNC, instr, products, trouble))
        reports_add(products->reports, &finding);
}

/* The same warp ran another block before. */
static bool is_of(const struct warp_products *found, const struct warp *warp)
{
    const struct dim block = warp_id(warp).block;

    return found->block.x == block.x && found->block.y == block.y && found->block.z == block.z;
}

static void on_instruction(void *self, const struct instruction_event *event)
{
    struct check_products *products = self;
    const struct ptx_instr *instr = event->instr;
    struct warp_products *warp =
        hash_table_find(&products->warps, sizeof(*warp), (uintptr_t)event->warp);

    if (!warp || !is_of(warp, event->warp) || warp->frame != warp_frame(event->warp) ||
        !event->executing || instr->opcode == OP_WGMMA_MMA)
        return;
    for (int i = 0; i < instr->read_count + instr->write_count; i++) {
        struct held *held = &warp->held[instr->registers[i]];
        const bool writes = i >= instr->read_count;
        if (held->use == SUM || (held->use == FACTOR && writes))
            report(products, event->warp, instr, event->executing, TOUCHED);
        /* Where nvcc gives a register its first value is its own choice, and ptxas knows of it. */
        held->written |= writes && instr->opcode != OP_MOV;
    }
}

static struct warp_products *warp_of(struct check_products *products, const struct warp *warp)
{
    const int count = warp_function(warp)->register_count;
    struct warp_products *found =
        hash_table_make(&products->warps, sizeof(*found), (uintptr_t)warp);

    if (!found->held || !is_of(found, warp)) {
        free(found->held);
        *found = (struct warp_products){.warp = found->warp, .block = warp_id(warp).block};
        found->frame = warp_frame(warp);
        found->count = count;
        found->held = observer_allocate((size_t)count + 1, sizeof(*found->held));
    }
    if (!products->listens)
        warp_listen(warp, products, on_instruction);
    products->listens = true;
    return found;
}

/* The registers of operand `index`: are any written since the last fence? They are in use now. */
static bool take(struct warp_products *warp, const struct ptx_operand *operand, enum use use)
{
    bool written = false;

    for (int i = 0; i < operand->count; i++) {
        if (operand->elements[i].kind != OPERAND_REGISTER)
            continue;
        struct held *held = &warp->held[operand->elements[i].number];
        written |= held->written && held->use == FREE;
        held->use = use;
        held->group = warp->groups;
    }
    return written;
}

static void begin(struct check_products *products, const struct collective_event *event,
                  struct warp_products *warp)
{
    const bool sums = take(warp, &event->instr->operands[0], SUM);
    const bool factors = take(warp, &event->instr->operands[1], FACTOR);

    if (!warp->fenced || sums || factors)
        report(products, event->warp, event->instr, event->lanes, LACKS_FENCE);
    warp->open++;
}

static void wait(struct check_products *products, const struct collective_event *event,
                 struct warp_products *warp)
{
    const uint64_t but = event->instr->operands[0].bits;

    if (warp->open && but == 0)
        report(products, event->warp, event->instr, event->lanes, LACKS_GROUP);
    for (int i = 0; i < warp->count; i++)
        if (warp->held[i].use && warp->groups - warp->held[i].group > but)
            warp->held[i].use = FREE;
}

void check_products_step(struct check_products *products, const struct collective_event *event)
{
    const struct ptx_instr *instr = event->instr;
    struct warp_products *warp = warp_of(products, event->warp);

    if (warp->frame != warp_frame(event->warp))
        return;
    if (instr->opcode == OP_WGMMA_MMA) {
        begin(products, event, warp);
    } else if (ptx_has(instr, MOD_COMMIT_GROUP)) {
        warp->groups++;
        warp->open = 0;
    } else if (ptx_has(instr, MOD_WAIT_GROUP)) {
        wait(products, event, warp);
    } else {
        warp->fenced = true;
        for (int i = 0; i < warp->count; i++)
            warp->held[i].written = false;
    }
}

struct check_products *check_products_new(struct reports *reports)
{
    struct check_products *products = observer_allocate(1, sizeof(*products));

    products->reports = reports;
    return products;
}

void check_products_forget(struct check_products *products)
{
    for (size_t i = 0; i < products->warps.room; i++)
        free(((struct warp_products *)hash_table_at(&products->warps, sizeof(struct warp_products),
                                                    i))
                 ->held);
    hash_table_free(&products->warps);
    products->listens = false;
}

void check_products_free(struct check_products *products)
{
    check_products_forget(products);
    free(products);
}

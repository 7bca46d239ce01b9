/* SPDX-License-Identifier: MIT */
/* Runs as C. For
 *
 *     add.s32 %r3, %r1, %r2;  @%p1 mov.u32 %r1, %r3;
 *
 * it prints, shortened:
 *
 *     for (int i = 0; i < 32; i++) {
 *         const uint32_t bit = 1u << i; int on = (active & bit) != 0;
 *         int p0 = (q0 & bit) != 0;
 *         uint32_t r128 = ((u32 *)(R + 128))[i];
 *         ...
 *         { ... const T a = (T)r128; const T b = (T)r256; r384 = (uint32_t)((U)a + (U)b); }
 *         held += on && !p0;
 *         if (p0) { ... r128 = ... }
 *         *at = on ? r128 : *at;
 *     }
 *
 * Variables are named by where a register lies: r by bytes, p by number. */
#include "compile.h"
#include "machine/warp.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* scalar.h. */
static const unsigned char scalar_text[] = {
#include "scalar_text.inc"
};

static const char prelude[] = "typedef uint32_t __attribute__((may_alias)) u32;\n"
                              "typedef uint64_t __attribute__((may_alias)) u64;\n";

struct printer {
    FILE *file;
    const struct code *code;
    struct live *live;
    int first, end; /* the run */
    char *state; /* by register: of the enum below */
};
enum { UNKNOWN, LOADED, COMPUTED };

static const struct ptx_register *register_at(const struct printer *p, int number)
{
    return &p->code->function->registers[number];
}

static bool is_predicate(const struct printer *p, int number)
{
    return register_at(p, number)->type == PTX_PRED;
}

/* The bits between lanes of a register. */
static int bits_of(const struct printer *p, int number)
{
    return ptx_type_size(register_at(p, number)->type) == 8 ? 64 : 32;
}

/* A variable for the register, which has its value if it may be needed. */
static void declare(struct printer *p, int number, bool load)
{
    const uint32_t slot = register_at(p, number)->slot;
    const int bits = bits_of(p, number);
    if (p->state[number] != UNKNOWN)
        return;
    p->state[number] = load ? LOADED : COMPUTED;
    if (is_predicate(p, number))
        fprintf(p->file, load ? "int p%u = (q%u & bit) != 0;\n" : "int p%u;\n", slot, slot);
    else if (load)
        fprintf(p->file, "uint%d_t r%u = ((u%d *)(R + %u))[i];\n", bits, slot, bits, slot);
    else
        fprintf(p->file, "uint%d_t r%u;\n", bits, slot);
}

static void declare_all(struct printer *p)
{
    for (int pc = p->first; pc < p->end; pc++) {
        const struct ptx_instr *instr = p->code->ops[pc].instr;
        for (int i = 0; i < instr->read_count; i++)
            declare(p, instr->registers[i], true);
        for (int i = 0; i < instr->write_count; i++)
            declare(p, instr->registers[instr->read_count + i], instr->guard >= 0);
    }
}

static uint64_t constant_at(const struct printer *p, const struct slot *slot)
{
    const char *at = p->code->pool + slot->offset;
    return slot->bytes == 8 ? *(const lane_u64 *)at : *(const lane_u32 *)at;
}

/* Is it a constant that may be an address, or half of one? It is read where it lies, so that the
 * text is the same wherever memory is. */
static bool is_far(const struct printer *p, const struct slot *slot)
{
    return slot->file == FILE_POOL && slot->bytes && constant_at(p, slot) >> 24;
}

/* A source's bits. */
static void print_slot(const struct printer *p, const struct slot *slot)
{
    const int bits = slot->bytes == 8 ? 64 : 32;
    if (slot->bytes == 0) {
        fprintf(p->file, "%sp%u", slot->negated ? "!" : "", slot->offset / 4);
    } else if (slot->file == FILE_REGISTERS) {
        fprintf(p->file, "r%u", slot->offset);
    } else if (is_far(p, slot)) {
        fprintf(p->file, "k%u", slot->offset);
    } else if (slot->file == FILE_POOL) {
        fprintf(p->file, "UINT%d_C(%" PRIu64 ")", bits, constant_at(p, slot));
    } else {
        fprintf(p->file, "((u%d *)(S + %u))[i]", bits, slot->offset);
    }
}

static void print_source(const struct printer *p, char name, const struct slot *slot,
                         const struct recipe_source *source)
{
    const char *view = source->view;
    fprintf(p->file, "const %s %c = (%s)%s(", source->type, name, source->type,
            !strcmp(view, "lane_f32")   ? "f32_of"
            : !strcmp(view, "lane_f64") ? "f64_of"
                                        : "");
    print_slot(p, slot);
    fprintf(p->file, "); ");
}

static void print_op(const struct printer *p, const struct op *op)
{
    const struct recipe *recipe = recipe_of(op);
    const struct slot *sources[] = {&op->a, &op->b, &op->c};
    if (op->guard >= 0) {
        const char *not = op->guard_flip ? "!" : "";
        fprintf(p->file, "held += on && !%sp%d;\nif (%sp%d) ", not, op->guard, not, op->guard);
    }
    fprintf(p->file, "{ typedef %s T; typedef %s U; enum { WIDTH = 8 * sizeof(T) };\n  ",
            recipe->type, recipe->twin);
    for (int i = 0; i < 3 && recipe->sources[i].view; i++)
        print_source(p, (char)('a' + i), sources[i], &recipe->sources[i]);
    if (!*recipe->d)
        fprintf(p->file, "p%u = (%s) ? 1 : 0; }\n", op->d.offset / 4, recipe->text);
    else
        fprintf(p->file, "r%u = %s(%s); }\n", op->d.offset,
                !strcmp(recipe->d, "lane_f32")   ? "bits_of_f32"
                : !strcmp(recipe->d, "lane_f64") ? "bits_of_f64"
                                                 : "",
                recipe->text);
}

/* Do `what` for each register that the run writes and that is read behind it, once. */
static void each_result(struct printer *p, void (*what)(const struct printer *, int))
{
    memset(p->state, UNKNOWN, (size_t)p->code->function->register_count);
    for (int pc = p->first; pc < p->end; pc++) {
        const struct ptx_instr *instr = p->code->ops[pc].instr;
        for (int i = 0; i < instr->write_count; i++) {
            const int reg = instr->registers[instr->read_count + i];
            if (p->state[reg] == UNKNOWN && live_after(p->live, p->end - 1, reg))
                what(p, reg);
            p->state[reg] = COMPUTED;
        }
    }
}

static void print_mask(const struct printer *p, int number)
{
    if (is_predicate(p, number))
        fprintf(p->file, "uint32_t w%u = 0;\n", register_at(p, number)->slot);
}

static void print_result(const struct printer *p, int number)
{
    const uint32_t slot = register_at(p, number)->slot;
    if (is_predicate(p, number))
        fprintf(p->file, "w%u |= p%u ? bit : 0;\n", slot, slot);
    else
        fprintf(p->file, "{ u%d *at = &((u%d *)(R + %u))[i]; *at = on ? r%u : *at; }\n",
                bits_of(p, number), bits_of(p, number), slot, slot);
}

static void print_predicate(const struct printer *p, int number)
{
    const uint32_t slot = register_at(p, number)->slot;
    if (is_predicate(p, number))
        fprintf(p->file, "P[%u] = (P[%u] & ~active) | (w%u & active);\n", slot, slot, slot);
}

/* What is the same for all lanes, in front of the loop: for all that the compiler knows, the loop
 * might write there. */
static void print_shared(struct printer *p)
{
    memset(p->state, UNKNOWN, (size_t)p->code->function->register_count);
    for (int pc = p->first; pc < p->end; pc++) {
        const struct op *op = &p->code->ops[pc];
        const struct slot *sources[] = {&op->a, &op->b, &op->c};
        for (int i = 0; i < op->instr->read_count + op->instr->write_count; i++) {
            const int reg = op->instr->registers[i];
            const uint32_t slot = register_at(p, reg)->slot;
            if (is_predicate(p, reg) && p->state[reg] == UNKNOWN)
                fprintf(p->file, "const uint32_t q%u = P[%u];\n", slot, slot);
            p->state[reg] = LOADED;
        }
        for (int i = 0; i < 3 && recipe_of(op)->sources[i].view; i++)
            if (is_far(p, sources[i]))
                fprintf(p->file, "const uint%d_t k%u = *(u%d *)(base[%d] + %u);\n",
                        8 * sources[i]->bytes, sources[i]->offset, 8 * sources[i]->bytes, FILE_POOL,
                        sources[i]->offset);
    }
}

/* The body is made twice: where no lane is missing, nothing is masked. */
static void print_run(struct printer *p)
{
    fprintf(
        p->file,
        "static inline __attribute__((always_inline))\n"
        "uint32_t body_%d(char *const *base, const uint32_t active)\n{\n"
        "char *const R = base[%d];\nu32 *const P = (u32 *)base[%d];\nchar *const S = base[%d];\n"
        "uint32_t held = 0;\n",
        p->first, FILE_REGISTERS, FILE_PREDICATES, FILE_SPECIALS);
    print_shared(p);
    each_result(p, print_mask);
    fprintf(p->file, "#pragma GCC ivdep\nfor (int i = 0; i < 32; i++) {\n"
                     "const uint32_t bit = 1u << i;\n"
                     "const int on = active == ~0u || (active & bit) != 0;\n");
    memset(p->state, UNKNOWN, (size_t)p->code->function->register_count);
    declare_all(p);
    for (int pc = p->first; pc < p->end; pc++)
        print_op(p, &p->code->ops[pc]);
    each_result(p, print_result);
    fprintf(p->file, "}\n");
    each_result(p, print_predicate);
    fprintf(p->file,
            "return held;\n}\n"
            "uint32_t run_%d(char *const *base, uint32_t active)\n{\n"
            "return active == ~0u ? body_%d(base, ~0u) : body_%d(base, active);\n}\n",
            p->first, p->first, p->first);
}

int print_runs(FILE *file, const struct code *code)
{
    struct printer printer = {.file = file, .code = code, .live = live_find(code)};
    int count = 0;
    fprintf(file, "%.*s%s", (int)sizeof scalar_text, (const char *)scalar_text, prelude);
    printer.state = malloc((size_t)code->function->register_count + 1);
    for (int pc = 0; printer.state && pc < code->op_count; pc++) {
        const int length = run_length(code, pc);
        if (!length)
            continue;
        printer.first = pc;
        printer.end = pc + length;
        print_run(&printer);
        pc += length - 1;
        count++;
    }
    free(printer.state);
    live_free(printer.live);
    return count;
}

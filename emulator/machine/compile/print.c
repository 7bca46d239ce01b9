/* SPDX-License-Identifier: MIT */
/* Runs as C. Instructions that change registers of their lanes alone, a row, become one loop over
 * the lanes. For
 *
 *     add.s32 %r3, %r1, %r2;  @%p1 mov.u32 %r1, %r3;
 *
 * it prints, shortened:
 *
 *     for (int i = 0; i < 32; i++) {
 *         const uint32_t bit = 1u << i, on = whole ? ~0u : -(active >> i & 1);
 *         int p0 = (q0 & bit) != 0;
 *         uint32_t r128 = ((lane_u32 *)(R + 128))[i];
 *         ...
 *         { ... const T a = (T)r128; const T b = (T)r256; r384 = (uint32_t)((U)a + (U)b); }
 *         held += on && !p0;
 *         if (p0) { ... r128 = ... }
 *         *at = MASKED(r128, on, *at);
 *     }
 *
 * Variables are named by where a register lies: r by bytes, p by number. A long row, or one outside
 * of loops, is a function, which those rows share that are alike but for where their registers lie
 * and for small constants, as in unrolled code: a compiler takes long over each. */
#include "compile.h"
#include "machine/launch.h"
#include "machine/shape.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* scalar.h, progress.h and reach.h. */
static const unsigned char scalar_text[] = {
#include "scalar_text.inc"
};
static const unsigned char progress_text[] = {
#include "progress_text.inc"
};
static const unsigned char reach_text[] = {
#include "reach_text.inc"
};

struct printer {
    FILE *file;
    const struct code *code;
    struct live *live;
    int first, end; /* the row in hand */
    int lapped; /* where the last laps end */
    char *state; /* of what lies in a slot (state_of): of the enum below */
    FILE *functions; /* that rows share, */
    char **shared; /* and their texts, in which numbers stand for registers */
    size_t shared_count;
    struct name {
        char kind; /* what lies there: r, p, k; or a small constant, c */
        uint32_t number;
    } * names; /* of the row in hand */
    int name_count;
};
enum { UNKNOWN, LOADED, COMPUTED };
enum { MOST_NAMES = 256, LONG = 32 };

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

/* What the row has of the register, and of those that share its slot. */
static char *state_of(const struct printer *p, int number)
{
    const struct ptx_register *reg = register_at(p, number);
    const size_t predicates = (size_t)p->code->function->predicate_count;
    return &p->state[is_predicate(p, number) ? reg->slot : predicates + reg->slot / 4 / WARP_SIZE];
}

static size_t state_count(const struct ptx_function *function)
{
    return (size_t)function->predicate_count + function->register_file_bytes / 4 / WARP_SIZE;
}

/* A variable for the register, which has its value if it may be needed. */
static void declare(struct printer *p, int number, bool load)
{
    const uint32_t slot = register_at(p, number)->slot;
    const int bits = bits_of(p, number);
    char *state = state_of(p, number);
    if (*state != UNKNOWN)
        return;
    *state = load ? LOADED : COMPUTED;
    if (is_predicate(p, number))
        fprintf(p->file, load ? "int p%u = (q%u & bit) != 0;\n" : "int p%u;\n", slot, slot);
    else if (load)
        fprintf(p->file, "uint%d_t r%u = ((lane_u%d *)(R + %u))[i];\n", bits, slot, bits, slot);
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
        fprintf(p->file, "((lane_u%d *)(S + %u))[i]", bits, slot->offset);
    }
}

/* `fixed`: code depends on a constant, as vector shifts do. */
static void print_source(const struct printer *p, char name, const struct slot *slot,
                         const struct recipe_source *source, bool fixed)
{
    const char *view = source->view;
    fprintf(p->file, "const %s %c = (%s)%s(", source->type, name, source->type,
            !strcmp(view, "lane_f32")   ? "f32_of"
            : !strcmp(view, "lane_f64") ? "f64_of"
                                        : "");
    if (slot->file == FILE_POOL && slot->bytes && !is_far(p, slot) && !fixed)
        fprintf(p->file, "(uint%d_t)(%" PRIu64 ")", 8 * slot->bytes, constant_at(p, slot));
    else
        print_slot(p, slot);
    fprintf(p->file, fixed && name == 'a' && slot->bytes == 8 ? ") | none; " : "); ");
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
        print_source(p, (char)('a' + i), sources[i], &recipe->sources[i],
                     strstr(recipe->text, "WIDTH") != NULL);
    if (!*recipe->d)
        fprintf(p->file, "p%u = (%s) ? 1 : 0; }\n", op->d.offset / 4, recipe->text);
    else
        fprintf(p->file, "r%u = %s(%s); }\n", op->d.offset,
                !strcmp(recipe->d, "lane_f32")   ? "bits_of_f32"
                : !strcmp(recipe->d, "lane_f64") ? "bits_of_f64"
                                                 : "",
                recipe->text);
}

/* Do `what` for each register that the row writes and that is read after it, once. */
static void each_result(struct printer *p, void (*what)(const struct printer *, int))
{
    memset(p->state, UNKNOWN, state_count(p->code->function));
    for (int pc = p->first; pc < p->end; pc++) {
        const struct ptx_instr *instr = p->code->ops[pc].instr;
        for (int i = 0; i < instr->write_count; i++) {
            const int reg = instr->registers[instr->read_count + i];
            char *state = state_of(p, reg);
            if (*state != UNKNOWN || !live_after(p->live, p->end - 1, reg))
                continue;
            what(p, reg);
            *state = COMPUTED;
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
        fprintf(p->file,
                "{ lane_u%d *at = &((lane_u%d *)(R + %u))[i]; "
                "*at = MASKED(r%u, (int%d_t)(int32_t)on, *at); }\n",
                bits_of(p, number), bits_of(p, number), slot, slot, bits_of(p, number));
}

static void print_predicate(const struct printer *p, int number)
{
    const uint32_t slot = register_at(p, number)->slot;
    if (is_predicate(p, number))
        fprintf(p->file, "P[%u] = (P[%u] & ~active) | (w%u & active);\n", slot, slot, slot);
}

/* What is the same for all lanes, before the loop: for all that the compiler knows, the loop
 * might write there. */
static void print_shared(struct printer *p)
{
    memset(p->state, UNKNOWN, state_count(p->code->function));
    for (int pc = p->first; pc < p->end; pc++) {
        const struct op *op = &p->code->ops[pc];
        const struct slot *sources[] = {&op->a, &op->b, &op->c};
        for (int i = 0; i < op->instr->read_count + op->instr->write_count; i++) {
            const int reg = op->instr->registers[i];
            const uint32_t slot = register_at(p, reg)->slot;
            if (is_predicate(p, reg) && *state_of(p, reg) == UNKNOWN)
                fprintf(p->file, "const uint32_t q%u = P[%u];\n", slot, slot);
            *state_of(p, reg) = LOADED;
        }
        for (int i = 0; i < 3 && recipe_of(op)->sources[i].view; i++)
            if (is_far(p, sources[i]))
                fprintf(p->file, "const uint%d_t k%u = *(lane_u%d *)(base[%d] + %u);\n",
                        8 * sources[i]->bytes, sources[i]->offset, 8 * sources[i]->bytes, FILE_POOL,
                        sources[i]->offset);
    }
}

/* The interpreter is called. */
static void print_step(const struct printer *p, int pc)
{
    const struct op *op = &p->code->ops[pc];
    const bool plain = op->quiet && op->guard < 0;
    if (plain && op->handler == do_nothing)
        return;
    if (plain)
        fprintf(p->file, "EXECUTE(%d);\n", pc);
    else
        fprintf(p->file, "if (SELDOM(!progress->step(progress, %d)))\nreturn false;\n", pc);
}

static void print_row(struct printer *p)
{
    fprintf(p->file, "{\nuint32_t held = 0;\n");
    print_shared(p);
    each_result(p, print_mask);
    fprintf(p->file,
            "#pragma GCC ivdep\n%sfor (int i = %s; i < %s; i++) {\n"
            "const uint32_t bit = 1u << i;\n"
            "const uint32_t on = whole ? ~0u : -(active >> i & 1);\n",
            p->names ? "#pragma GCC unroll 1\n" : "", p->names ? "from" : "0",
            p->names ? "to" : "32");
    memset(p->state, UNKNOWN, state_count(p->code->function));
    declare_all(p);
    for (int pc = p->first; pc < p->end; pc++)
        print_op(p, &p->code->ops[pc]);
    each_result(p, print_result);
    fprintf(p->file, "}\n");
    each_result(p, print_predicate);
    fprintf(p->file, "progress->held += held;\n}\n");
}

/* What the text of a run begins with. */
static void print_bases(FILE *file)
{
    fprintf(file,
            "char *const *const base = progress->base;\n"
            "char *const R = base[%d];\nlane_u32 *const P = (lane_u32 *)base[%d];\n"
            "char *const S = base[%d];\nconst uint64_t none = progress->none;\n",
            FILE_REGISTERS, FILE_PREDICATES, FILE_SPECIALS);
}

/* The number that the register, or constant, has in the row, from 0 on. */
static int name_of(struct printer *p, char kind, uint32_t number)
{
    int at = 0;
    while (at < p->name_count && (p->names[at].kind != kind || p->names[at].number != number))
        at++;
    if (at == p->name_count && at < MOST_NAMES)
        p->names[p->name_count++] = (struct name){kind, number};
    return at;
}

/* Is `before`, as a word of its own if it begins with a letter, what `at` follows in the text? */
static bool follows(const char *text, const char *at, const char *before)
{
    const size_t length = strlen(before);
    if ((size_t)(at - text) < length || strncmp(at - length, before, length) != 0)
        return false;
    const char *first = at - length;
    return !isalpha((unsigned char)*first) || first == text ||
           !(isalnum((unsigned char)first[-1]) || first[-1] == '_');
}

/* Name registers and constants in the order in which they come: rows that differ in
 * nothing else become the same. */
static void print_named(struct printer *p, FILE *file, const char *text)
{
    static const struct {
        const char *before, *name;
        char kind;
    } forms[] = {{"r", "", 'r'},      {"p", "", 'p'},     {"q", "", 'p'},   {"w", "", 'p'},
                 {"k", "", 'k'},      {"R + ", "o", 'r'}, {"P[", "o", 'p'}, {"] + ", "o", 'k'},
                 {"2_t)(", "o", 'c'}, {"4_t)(", "o", 'c'}};
    const size_t count = sizeof forms / sizeof *forms;
    for (const char *at = text; *at;) {
        size_t i = 0, plain = strcspn(at, "0123456789");
        const char *digits = at + plain;
        while (i < count && !follows(text, digits, forms[i].before))
            i++;
        if (i == count)
            plain += strspn(digits, "0123456789");
        fwrite(at, 1, plain, file);
        at += plain;
        if (i == count || !*at)
            continue;
        const uint32_t number = (uint32_t)strtoul(at, (char **)&at, 10);
        fprintf(file, "%s%d", forms[i].name, name_of(p, forms[i].kind, number));
    }
}

/* The number of the function with that text, which is the printer's from now on. Without memory
 * there is no such function, and so no library. */
static size_t share(struct printer *p, char *text)
{
    size_t at = 0;
    while (at < p->shared_count && strcmp(p->shared[at], text) != 0)
        at++;
    char **shared = realloc(p->shared, (p->shared_count + 1) * sizeof *shared);
    p->shared = shared ? shared : p->shared;
    if (at < p->shared_count || !shared) {
        free(text);
        return at;
    }
    p->shared[p->shared_count++] = text;
    fprintf(p->functions,
            "BESIDE_INTERPRETER static inline __attribute__((always_inline))\n"
            "void row_%zu(struct progress *const progress, const uint32_t *const o, "
            "const bool whole, const uint32_t active, const int from, const int to)\n{\n",
            at);
    print_bases(p->functions);
    for (int i = 0; i < p->name_count; i++)
        fprintf(p->functions, "const uint32_t o%d = o[%d];\n", i, i);
    fprintf(p->functions, "%s}\nSHARED(row_%zu)\n", text, at);
    return at;
}

/* The text of the row, with or without names; NULL: there is no memory. */
static char *row_text(struct printer *p)
{
    FILE *const file = p->file;
    char *text = NULL;
    size_t size;
    p->file = open_memstream(&text, &size);
    if (p->file) {
        print_row(p);
        fclose(p->file);
    }
    p->file = file;
    return text;
}

static char *named_text(struct printer *p, const char *text)
{
    char *named = NULL;
    size_t size;
    FILE *file = open_memstream(&named, &size);
    if (file) {
        print_named(p, file, text);
        fclose(file);
    }
    return named;
}

/* `whole`: no lane is missing. */
static void print_shared_row(struct printer *p, bool whole)
{
    struct name names[MOST_NAMES];
    p->names = names;
    p->name_count = 0;
    char *text = row_text(p), *named = text ? named_text(p, text) : NULL;
    p->names = NULL;
    free(text);
    if (!named || p->name_count == MOST_NAMES) {
        free(named);
        print_row(p);
        return;
    }
    const size_t number = share(p, named);
    fprintf(p->file, "{\nstatic const uint32_t o[] = {");
    for (int i = 0; i < p->name_count; i++)
        fprintf(p->file, "%" PRIu32 ", ", names[i].number);
    fprintf(p->file, "};\nCALL_%s(row_%zu);\n}\n", whole ? "WHOLE" : "ANY", number);
}

/* In a loop. */
static void print_hot_row(struct printer *p, bool whole)
{
    if (p->end - p->first >= LONG) {
        print_shared_row(p, whole);
        return;
    }
    if (!whole)
        fprintf(p->file, "if (whole)\n");
    print_row(p);
    if (whole)
        return;
    fprintf(p->file, "else\n");
    print_shared_row(p, false);
}

/* What a short one saves is not worth the compiler's time, least of all where lanes are missing. */
static void print_row_or_steps(struct printer *p, int run)
{
    enum { SHORT = 2, SHORT_MASKED = 4 };
    const int length = p->end - p->first;
    if (length < SHORT_MASKED) {
        fprintf(p->file, length < SHORT ? "{\n" : "if (!whole) {\n");
        for (int pc = p->first; pc < p->end; pc++)
            print_step(p, pc);
        fprintf(p->file, length < SHORT ? "}\n" : "} else\n");
    }
    if (length < SHORT)
        return;
    if (is_in_loop(p->code, run))
        print_hot_row(p, !is_for_parts(p->code, run));
    else
        print_shared_row(p, true);
}

/* Where it goes back to the beginning of its run, the run goes on. */
static void print_branch(const struct printer *p, int run, int pc)
{
    const struct op *op = &p->code->ops[pc];
    fprintf(p->file, "if (SELDOM(!progress->branch(progress, %d, active", pc);
    if (op->guard >= 0)
        fprintf(p->file, " & (P[%d] ^ %uu)", op->guard, op->guard_flip);
    fprintf(p->file, "))%s)\nreturn false;\n", op->instr->target == run ? "" : " || true");
}

/* Are at least LONG instructions of the row at `pc` of one kind, as in an unrolled product? */
static bool is_repeated(const struct code *code, int pc, int end)
{
    for (int at = pc; at < pc + LONG; at++)
        if (at == end || code->ops[at].handler != code->ops[pc].handler ||
            part_of(&code->ops[at]) != PART_ROW)
            return false;
    return true;
}

/* Take the row at `pc` in hand. Returns where its last instruction is. LONG of one kind are a row
 * of their own: there may be more such. */
static int take_row(struct printer *p, int pc, int end)
{
    const bool repeated = is_repeated(p->code, pc, end);
    p->first = pc;
    for (p->end = pc + (repeated ? LONG : 1); !repeated && p->end < end; p->end++)
        if (part_of(&p->code->ops[p->end]) != PART_ROW || is_repeated(p->code, p->end, end))
            break;
    return p->end - 1;
}

static void print_ops(struct printer *p, int run, int end)
{
    for (int pc = run; pc < end; pc++) {
        const struct op *op = &p->code->ops[pc];
        const enum run_part part = part_of(op);
        if (part == PART_ROW) {
            pc = take_row(p, pc, end);
            print_row_or_steps(p, run);
        } else if (part == PART_BRANCH) {
            print_branch(p, run, pc);
        } else {
            print_step(p, pc);
        }
    }
}

/* The numbers of a slot, as `view`s. */
static void print_lanes(const struct printer *p, const char *view, const struct slot *slot)
{
    if (slot->file == FILE_REGISTERS)
        fprintf(p->file, "(%s *)(R + %u)", view, slot->offset);
    else
        fprintf(p->file, "(%s *)(base[%d] + %u)", view, slot->file, slot->offset);
}

/* What an address counts from; an address itself is read where it lies. */
static void print_offset(const struct printer *p, int pc)
{
    const struct op *op = &p->code->ops[pc];
    if (op->offset >> 24)
        fprintf(p->file, "*(const uint64_t *)(OP(%d) + %zu)", pc, offsetof(struct op, offset));
    else
        fprintf(p->file, "UINT64_C(%" PRIu64 ")", (uint64_t)op->offset);
    if (op->relative == RELATIVE_DYNAMIC_SHARED)
        fprintf(p->file, " + %" PRIu64, (uint64_t)p->code->function->dynamic_shared_offset);
}

static void print_request(const struct printer *p, int pc)
{
    const struct op *op = &p->code->ops[pc];
    const bool is_32 = op->address == ADDRESS_32, is_constant = op->address == ADDRESS_CONSTANT;
    const char *view = is_32 ? "lane_u32" : "lane_u64";
    char extra[32];
    snprintf(extra, sizeof extra, "%d, %u", op->index_signed, op->index_shift);
    fprintf(p->file, "{\n");
    if (!is_constant) {
        fprintf(p->file, "const %s *const pointer = ", view);
        print_lanes(p, view, &op->pointer);
        fprintf(p->file, ";\n");
    }
    if (op->address == ADDRESS_INDEXED) {
        fprintf(p->file, "const lane_u32 *const index = ");
        print_lanes(p, "lane_u32", &op->b);
        fprintf(p->file, ";\n");
    }
    fprintf(p->file, "REQUEST(%d, %d, (%s)(%s", pc, op->request, is_32 ? "uint32_t" : "uint64_t",
            is_constant ? "" : "*pointer + ");
    if (op->address == ADDRESS_INDEXED)
        fprintf(p->file, "index_bytes(*index, %s) + ", extra);
    print_offset(p, pc);
    fprintf(p->file, "), ");
    if (op->address == ADDRESS_INDEXED)
        fprintf(p->file, "fits_indexed(pointer, index, %s, ~0u, reach));\n", extra);
    else
        fprintf(p->file, is_constant ? "1);\n" : "fits_%d(pointer, ~0u, reach));\n",
                is_32 ? 32 : 64);
    if (op->instr->opcode != OP_ST && op->vector == 1 && op->bytes >= 4) {
        fprintf(p->file, "load_%d(progress, %d, ", op->bytes == 8 ? 64 : 32, pc);
        print_lanes(p, op->bytes == 8 ? "lane_u64" : "lane_u32", &op->d);
        fprintf(p->file, ", %d, reach, at);\n}\n", op->number % LOADS_FORESEEN);
    } else {
        fprintf(p->file, "MOVE(%d);\n}\n", pc);
    }
}

static void print_lap_op(const struct printer *p, int head, int pc)
{
    const struct op *op = &p->code->ops[pc];
    const bool last = op->instr->target == head;
    if (op->request) {
        print_request(p, pc);
    } else if (op->instr->opcode != OP_BRA) {
        print_step(p, pc);
    } else {
        fprintf(p->file, "if (SELDOM(%s", last ? "laps == most" : "0");
        if (op->guard >= 0)
            fprintf(p->file, " || (P[%d] ^ %uu) != %s", op->guard, op->guard_flip,
                    last ? "~0u" : "0");
        fprintf(p->file, "))\nLEAVE(%d);\n", pc);
    }
}

/* The loop at `head` for a whole warp, as long as all is as in the turn before; or, `once`, what is
 * in no such loop. */
static void print_laps(struct printer *p, int head, int end, bool once)
{
    fprintf(p->file, "static const int stops_%d[] = {%d", head, head);
    for (int pc = head; pc < end; pc++)
        if (p->code->ops[pc].request || p->code->ops[pc].instr->opcode == OP_BRA)
            fprintf(p->file, ", %d", pc);
    fprintf(p->file,
            ", ~%d};\nstatic bool laps_%d(struct progress *const progress, const uint32_t most)\n"
            "{\nconst int *const stops = stops_%d;\n"
            "const bool whole = true, tells = progress->tells;\nconst uint32_t active = ~0u;\n"
            "enum { LENGTH = %d };\n",
            end, head, head, end - head);
    print_bases(p->file);
    fprintf(p->file,
            once ? "const uint32_t laps = 0;\n{\n" : "for (uint32_t laps = 0;; laps++) {\n");
    for (int pc = head; pc < end; pc++) {
        if (part_of(&p->code->ops[pc]) != PART_ROW) {
            print_lap_op(p, head, pc);
            continue;
        }
        pc = take_row(p, pc, end);
        print_hot_row(p, true);
    }
    if (once)
        fprintf(p->file, "LEAVE(%d);\n", end);
    fprintf(p->file, "}\n}\n");
}

/* In a loop the body is made twice: where no lane is missing, nothing is masked. */
static void print_run(struct printer *p, int run, int end)
{
    const int lap = lap_length(p->code, run), once = once_length(p->code, run, run >= p->lapped);
    if (run >= p->lapped)
        p->lapped = run + lap + once;
    if (lap || once)
        print_laps(p, run, run + (lap ? lap : once), once > 0);
    fprintf(p->file,
            "BESIDE_INTERPRETER static inline __attribute__((always_inline))\n"
            "bool body_%d(struct progress *const progress, const bool whole)\n{\n"
            "const uint32_t active = whole ? ~0u : progress->active;\n",
            run);
    print_bases(p->file);
    fprintf(p->file, "for (;;) {\n");
    if (lap)
        fprintf(p->file,
                "const uint32_t most = whole ? progress->laps(progress, stops_%d) : 0;\n"
                "if (most)\nreturn laps_%d(progress, most);\n",
                run, run);
    if (once)
        fprintf(p->file,
                "if (whole && progress->once(progress, stops_%d))\nreturn laps_%d(progress, 0);\n",
                run, run);
    print_ops(p, run, end);
    if (part_of(&p->code->ops[end - 1]) != PART_BRANCH)
        fprintf(p->file, "return true;\n");
    fprintf(p->file,
            "}\n}\nBESIDE_INTERPRETER bool run_%d(struct progress *progress)\n{\n"
            "return %s ? body_%d(progress, true) : body_%d(progress, false);\n}\n",
            run, is_for_parts(p->code, run) ? "progress->active == ~0u" : "1", run, run);
}

int print_runs(FILE *file, const struct code *code)
{
    char *bodies = NULL;
    size_t size;
    struct printer printer = {.functions = file, .code = code, .live = live_find(code)};
    int count = 0;
    printer.file = open_memstream(&bodies, &size);
    fprintf(
        file, "%.*s#define OP_BYTES %zu\n#define SHAPE_BYTES %zu\n#define LOADS_ARE %s\n%.*s%.*s",
        (int)sizeof scalar_text, (const char *)scalar_text, sizeof(struct op), sizeof(struct shape),
        is_long(code) ? "noinline" : "always_inline", (int)sizeof progress_text,
        (const char *)progress_text, (int)sizeof reach_text, (const char *)reach_text);
    if (!printer.file) {
        live_free(printer.live);
        return 0;
    }
    printer.state = malloc(state_count(code->function) + 1);
    for (int pc = 0; printer.state && pc < code->op_count; pc++) {
        const int length = run_length(code, pc);
        if (!length)
            continue;
        print_run(&printer, pc, pc + length);
        pc += length - 1;
        count++;
    }
    fclose(printer.file);
    fputs(bodies ? bodies : "", file);
    free(bodies);
    for (size_t i = 0; i < printer.shared_count; i++)
        free(printer.shared[i]);
    free(printer.shared);
    free(printer.state);
    live_free(printer.live);
    return count;
}

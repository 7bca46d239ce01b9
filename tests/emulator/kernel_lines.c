/* SPDX-License-Identifier: MIT */
#include "kernel_lines.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { SUMS = 10 };

/* What is left out of the families that `is_plain` names: of one opcode or of any (-1), what has
 * this word, or all (NULL). The other families have templates below, which leave out
 *   activemask, elect        which lanes go together, and which leads, is the GPU's affair
 *   atomics of floats        which NaN they leave in memory is not said
 *   alloca and its kin       give addresses, which are the device's
 *   mapa, cp, mbarrier, tex, suld, sust, sured  need clusters, copies or images around them
 *   nanosleep, trap, brkpt   have no result */
static const struct {
    int opcode;
    const char *word;
} left_out[] = {
    {-1, "approx"}, /* how near an approximation comes is the GPU's affair */
    {-1, "full"}, /* the same */
    {-1, "pack"}, /* ptxas leaves the upper half of a 64-bit register as it is */
    {OP_CVTA, NULL}, /* addresses are the device's; templates use what comes of it */
    {OP_ISSPACEP, NULL}, /* the same */
    {-1, "cc"}, /* has a template, as has what reads the carry and mov */
    {OP_ADDC, NULL},
    {OP_SUBC, NULL},
    {OP_MADC, NULL},
    {OP_MOV, NULL},
    /* ptxas 13.0 gets them wrong where it knows a source, or under a guard. */
    {OP_VADD2, NULL},
    {OP_VADD4, NULL},
    {OP_VSUB2, NULL},
    {OP_VSUB4, NULL},
};

/* ptxas 13.0 writes the results of these where a guard holds them back. */
static bool ignores_guard(enum opcode opcode)
{
    return opcode == OP_SET || opcode == OP_TESTP;
}

void put(struct kernel *k, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(k->line, sizeof k->line, format, arguments);
    va_end(arguments);
    fprintf(k->file, "    %s\n", k->line);
}

uint32_t any(struct kernel *k, uint32_t count)
{
    return below(&k->random, count);
}

void any_register(struct kernel *k, size_t bytes, char text[8])
{
    static const char letters[] = {[0] = 'p', [2] = 'h', [4] = 'r', [8] = 'd'};
    snprintf(text, 8, "%%%c%u", letters[bytes], any(k, POOL));
}

static const char *slot_bits(const char *reg)
{
    return reg[1] == 'h' ? "b16" : reg[1] == 'r' ? "b32" : "b64";
}

void keep(struct kernel *k, const char *reg, const char *line)
{
    const int at = k->count * SLOT_BYTES;
    if (k->count == KERNEL_SLOTS)
        abort();
    struct kernel_slot *slot = &k->slots[k->count++];
    snprintf(slot->line, sizeof slot->line, "%s", line);
    snprintf(slot->result, sizeof slot->result, "%.*s", (int)sizeof slot->result - 1, reg);
    if (reg[1] == 'p') {
        fprintf(k->file, "    selp.b32 %%t0, 1, 0, %s;\n", reg);
        reg = "%t0";
    }
    fprintf(k->file, "    st.global.%s [%s+%d], %s;\n", reg[1] == 't' ? "b32" : slot_bits(reg),
            k->base, at, reg);
}

void keep_line(struct kernel *k, const char *reg)
{
    char line[sizeof k->line];
    memcpy(line, k->line, sizeof line);
    keep(k, reg, line);
}

/* Which NaN comes out of an operation is not always said: one for all. */
static void settle_nan(struct kernel *k, enum ptx_type type, const char *reg)
{
    FILE *file = k->file;
    const char *name = ptx_type_name(type == PTX_TF32 ? PTX_F32 : type);
    if (type == PTX_E4M3X2 || type == PTX_E5M2X2)
        return; /* their NaN has one form */
    if (type == PTX_F16X2 || type == PTX_BF16X2) {
        fprintf(file, "    setp.nan.%s %%q0|%%q1, %s, %s;\n", name, reg, reg);
        fprintf(file, "    @%%q0 and.b32 %s, %s, 0xffff0000; @%%q0 or.b32 %s, %s, 0x7fff;\n", reg,
                reg, reg, reg);
        fprintf(file, "    @%%q1 and.b32 %s, %s, 0xffff; @%%q1 or.b32 %s, %s, 0x7fff0000;\n", reg,
                reg, reg, reg);
        return;
    }
    if (type == PTX_F16 || type == PTX_BF16)
        fprintf(file, "    and.b16 %%h8, %s, 0x7fff; setp.gt.u16 %%q0, %%h8, 0x%s;\n", reg,
                type == PTX_F16 ? "7c00" : "7f80");
    else
        fprintf(file, "    setp.nan.%s %%q0, %s, %s;\n", name, reg, reg);
    fprintf(file, "    @%%q0 mov.%s %s, 0x7fff%s;\n", slot_bits(reg), reg,
            reg[1] == 'h'   ? ""
            : reg[1] == 'r' ? "0000"
                            : "000000000000");
}

uint64_t any_number(uint64_t *random, size_t bytes)
{
    static const uint16_t edges_16[] = {0,      1,      2,      7,      31,     0x7fff, 0x8000,
                                        0xffff, 0x3c00, 0xbc00, 0x7bff, 0x7c00, 0xfc00, 0x7e01,
                                        0x03ff, 0x0400, 0x3f80, 0x7f80, 0xff80, 0x4248};
    static const uint32_t edges_32[] = {
        0,          1,          31,         32,         0xff,       0x7fffffff, 0x80000000,
        0xffffffff, 0x3f800000, 0xbf800000, 0x3effffff, 0x007fffff, 0x00800000, 0x7f7fffff,
        0x7f800000, 0xff800000, 0x7fc00001, 0xffa00000, 0x4b000001, 0x4f000000, 0xcf000000};
    static const uint64_t edges_64[] = {
        0,
        1,
        63,
        0x7fffffffffffffff,
        0x8000000000000000,
        0xffffffffffffffff,
        0xffffffff,
        0x3ff0000000000000,
        0xbfe0000000000001,
        0x000fffffffffffff,
        0x0010000000000000,
        0x7fefffffffffffff,
        0x7ff0000000000000,
        0xfff8000000000001,
        0x43e0000000000000,
        0xc1e0000000200000,
    };
#define EDGE(edges) (edges)[below(random, sizeof(edges) / sizeof *(edges))]
    const uint64_t word = (uint64_t)below(random, UINT32_MAX) << 32 | below(random, UINT32_MAX);
    switch (below(random, 8)) {
    case 0: /* floats that are near each other */
        return bytes == 8 ? UINT64_C(0x3fe0000000000000) + (word >> 10) : 0x3f000000 + (word >> 39);
    case 1:
    case 2:
        return bytes == 8 ? EDGE(edges_64) : bytes == 4 ? EDGE(edges_32) : EDGE(edges_16);
    case 3: /* halves of the next smaller kind */
        return bytes == 8   ? (uint64_t)EDGE(edges_32) << 32 | EDGE(edges_32)
               : bytes == 4 ? (uint64_t)EDGE(edges_16) << 16 | EDGE(edges_16)
                            : word & 0xff;
    case 4:
        return below(random, 100);
    default:
        return word;
    }
#undef EDGE
}

void fill_input(uint64_t seed, uint64_t input[INPUT_WORDS])
{
    uint64_t random = seed * 2 + 1;
    for (int i = 0; i < INPUT_WORDS; i++)
        input[i] = any_number(&random, 2u << below(&random, 3));
}

/* A constant as an operand of this type. */
static void any_constant(struct kernel *k, enum ptx_type type, char *text)
{
    const size_t size = ptx_type_size(type);
    const uint64_t number = any_number(&k->random, size < 2 ? 2 : size);
    if (type == PTX_F32)
        snprintf(text, DRAFT_MAX_TEXT, "0f%08X", (uint32_t)number);
    else if (type == PTX_F64)
        snprintf(text, DRAFT_MAX_TEXT, "0d%016llX", (unsigned long long)number);
    else if (size <= 2)
        snprintf(text, DRAFT_MAX_TEXT, "%u", (uint32_t)number & (size < 2 ? 0x7f : 0x7fff));
    else if (size == 4)
        snprintf(text, DRAFT_MAX_TEXT, "0x%x", (uint32_t)number);
    else
        snprintf(text, DRAFT_MAX_TEXT, "0x%llx", (unsigned long long)number);
}

static bool is_shift(enum opcode opcode)
{
    return opcode == OP_SHL || opcode == OP_SHR;
}

/* What an operand must not exceed, in a register: more means something undefined, or what GPUs and
 * manual say differently (bfe). 0: it may be anything. */
static unsigned highest(const struct draft *draft, int operand, const struct isa_operand *takes)
{
    if (draft->opcode == OP_FNS && operand == 2)
        return 31;
    if (is_shift(draft->opcode) && operand == 2 && ptx_type_size(draft->types[0]) == 8)
        return 127; /* ptxas 13.0 loses an amount that was a float before */
    return takes->below ? (unsigned)takes->below - 1 : 0;
}

/* How large a constant may be there at most; 0: any. ptxas 13.0 folds larger ones wrongly. */
static unsigned highest_constant(const struct draft *draft, int operand,
                                 const struct isa_operand *takes)
{
    const enum opcode opcode = draft->opcode;
    if (((is_shift(opcode) || opcode == OP_BFE) && operand >= 2) ||
        (opcode == OP_BFI && operand >= 3))
        return (unsigned)ptx_type_size(draft->types[0]) * 8 - 1;
    return highest(draft, operand, takes);
}

static bool divides(const struct draft *draft, int operand)
{
    return (draft->opcode == OP_DIV || draft->opcode == OP_REM) && operand == 2 &&
           !ptx_type_is_float(draft->types[0]);
}

/* A value to read; instructions in front of the draft's make it one that may be read there. */
static void any_value(struct kernel *k, const struct draft *draft, int operand,
                      const struct isa_operand *takes, char *text)
{
    const bool in_bits = ptx_type_is_float(takes->type) && takes->type != PTX_F32 &&
                         takes->type != PTX_F64; /* no constant has its type */
    const unsigned most = highest(draft, operand, takes);
    size_t size = ptx_type_size(takes->type);
    char reg[8];
    size = size < 2 ? 2 : size;
    if (takes->widens && !ptx_type_is_float(takes->type))
        size <<= any(k, 8 / (uint32_t)size == 4 ? 3 : 8 / (uint32_t)size);
    any_register(k, size, reg);
    if (takes->letter != 'r' && !in_bits && !any(k, 5)) {
        const unsigned most_constant = highest_constant(draft, operand, takes);
        if (most_constant)
            snprintf(text, DRAFT_MAX_TEXT, "%u", any(k, most_constant + 1));
        else if (divides(draft, operand))
            snprintf(text, DRAFT_MAX_TEXT, "%u", 1 + any(k, 100));
        else
            any_constant(k, takes->type, text);
    } else if (most) {
        snprintf(text, DRAFT_MAX_TEXT, "%%t%d", operand);
        put(k, "and.b32 %s, %s, %u;", text, reg, most);
        keep_line(k, text);
    } else if (divides(draft, operand)) {
        snprintf(text, DRAFT_MAX_TEXT, "%%%c8", reg[1]);
        put(k, "or.%s %s, %s, 1;", slot_bits(reg), text, reg);
        keep_line(k, text);
    } else {
        snprintf(text, DRAFT_MAX_TEXT, "%s", reg);
    }
}

/* Operands for the draft; its results in `results`. Returns how many, -1: it has an operand of
 * another kind. */
static int put_operands(struct kernel *k, struct draft *draft, char results[2][8])
{
    struct isa_operands takes;
    int count = 0;
    isa_operands_of(draft->form, draft->types, draft->type_count, 0, true, &takes);
    draft->operand_count = takes.count;
    for (int i = 0; i < takes.count; i++) {
        const struct isa_operand *item = &takes.items[i];
        const size_t size = ptx_type_size(item->type);
        const bool integer = !ptx_type_is_float(item->type);
        char *text = draft->operands[i];
        switch (item->letter) {
        case 'd':
            any_register(k,
                         size == 1 || (item->widens && integer && size < 8 && !any(k, 4)) ? 2 * size
                                                                                          : size,
                         results[count++]);
            snprintf(text, DRAFT_MAX_TEXT, "%s", results[0]);
            if (item->second == 'P' || (item->second && any(k, 2))) {
                snprintf(results[count], 8, "%%p%u", (results[0][2] - '0' + 1u) % POOL);
                snprintf(text, DRAFT_MAX_TEXT, "%s|%s", results[0], results[count++]);
            }
            break;
        case 'p':
            snprintf(text, DRAFT_MAX_TEXT, "%s%%p%u", any(k, 2) ? "!" : "", any(k, POOL));
            break;
        case 'n':
            snprintf(text, DRAFT_MAX_TEXT, "%u", any(k, 256));
            break;
        case 'a':
        case 'r':
            any_value(k, draft, i, item, text);
            break;
        default:
            return -1;
        }
    }
    return count;
}

/* May the suffixes stand together, on the GPUs that the kernel is for? */
static bool is_allowed(const struct kernel *k, const struct draft *draft)
{
    struct isa_suffixes suffixes = {.word_count = draft->word_count,
                                    .type_count = draft->type_count};
    char why[200];
    int since;
    for (int i = 0; i < draft->word_count; i++)
        suffixes.words[i] = draft->words[i];
    memcpy(suffixes.types, draft->types, (size_t)draft->type_count * sizeof *draft->types);
    return isa_form_of(draft->opcode, &suffixes,
                       (struct isa_target){.capability = k->age == KERNEL_NEW ? 90 : 75}, &since,
                       "", why, sizeof why) == draft->form &&
           since <= (k->age == KERNEL_NEW ? 90 : 11);
}

static bool is_left_out(const struct draft *draft)
{
    const bool sum = draft->opcode == OP_ADD || draft->opcode == OP_SUB || draft->opcode == OP_MUL;
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if ((left_out[i].opcode < 0 || left_out[i].opcode == (int)draft->opcode) &&
            (!left_out[i].word || has_word(draft, left_out[i].word)))
            return true;
    /* Where no rounding is written, two operations may become one. */
    return sum && draft->type_count && ptx_type_is_float(draft->types[0]) &&
           !(has_word(draft, "rn") || has_word(draft, "rz") || has_word(draft, "rm") ||
             has_word(draft, "rp"));
}

static bool is_plain(enum opcode opcode)
{
    enum {
        arithmetic,
        video,
        bits,
        compare,
        move,
        memory,
        cluster,
        copy,
        texture,
        surface,
        query,
        stack,
        mbarrier,
        collective,
        mma,
        wmma,
        wgmma,
        register_pool,
        control
    };
    static const int families[OPCODE_COUNT] = {
#define FORM(...)
#define INSTRUCTION(id, text, family, ...) [OP_##id] = (family),
#include "isa/instructions.def"
#undef INSTRUCTION
#undef FORM
    };
    return families[opcode] <= move;
}

/* Suffixes for some form of the opcode. */
static bool choose_form(struct kernel *k, struct draft *draft, enum opcode opcode)
{
    uint32_t forms = 0;
    while (isa_rows[opcode].forms[forms].operands)
        forms++;
    *draft = (struct draft){.opcode = opcode, .form = &isa_rows[opcode].forms[any(k, forms)]};
    choose_suffixes(&k->random, draft);
    return is_allowed(k, draft);
}

/* Write the draft, behind a guard at times, and keep its results. */
static void put_instruction(struct kernel *k, const struct draft *draft, char results[2][8],
                            int count, bool guarded)
{
    char line[sizeof k->line], text[sizeof k->line];
    put_draft(draft, text, sizeof text - 8);
    if (guarded)
        put(k, "@%s%%p%u %.100s", any(k, 2) ? "!" : "", any(k, POOL), text);
    else
        put(k, "%.110s", text);
    memcpy(line, k->line, sizeof line);
    const enum ptx_type type = draft->types[0];
    if (count && results[0][1] != 'p' && ptx_type_is_float(type) && draft->opcode != OP_SELP &&
        draft->opcode != OP_SLCT && draft->opcode != OP_ATOM)
        settle_nan(k, type, results[0]);
    for (int i = 0; i < count; i++)
        keep(k, results[i], line);
}

void put_plain(struct kernel *k)
{
    struct draft draft;
    char results[2][8];
    enum opcode opcode;
    do
        opcode = (enum opcode)any(k, OPCODE_COUNT);
    while (!is_plain(opcode) || !choose_form(k, &draft, opcode) || is_left_out(&draft));
    const int count = put_operands(k, &draft, results);
    if (count > 0)
        put_instruction(k, &draft, results, count, !any(k, 8) && !ignores_guard(opcode));
}

void put_carries(struct kernel *k)
{
    static const char *const types[] = {"u32", "s32", "u64", "s64"};
    const char *type = k->age == KERNEL_OLD ? types[any(k, 2)] : ANY(k, types);
    const bool product = k->age == KERNEL_NEW && any(k, 2), less = any(k, 2);
    const uint32_t last = 1 + any(k, 3);
    for (uint32_t i = 0; i <= last; i++) {
        char reg[4][8];
        const size_t size = type[1] == '3' ? 4 : 8;
        for (int j = 0; j < 4; j++)
            any_register(k, size, reg[j]);
        const char *cc = i < last ? ".cc" : "", *c = i ? "c" : "";
        if (product && !less && any(k, 2))
            put(k, "mad%s.%s%s.%s %s, %s, %s, %s;", c, any(k, 2) ? "lo" : "hi", cc, type, reg[0],
                reg[1], reg[2], reg[3]);
        else
            put(k, "%s%s%s.%s %s, %s, %s;", less ? "sub" : "add", c, cc, type, reg[0], reg[1],
                reg[2]);
        keep_line(k, reg[0]);
    }
}

/* {%r0, %r1} and the like from register `first` on. */
static void put_list(char letter, uint32_t first, uint32_t count, char text[48])
{
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, 48 - used, "%s%%%c%u",
                                 i           ? ", "
                                 : count > 1 ? "{"
                                             : "",
                                 letter, (first + i) % POOL);
    snprintf(text + used, 48 - used, count > 1 ? "}" : "");
}

/* Keep the registers of such a list. */
static void keep_list(struct kernel *k, char letter, uint32_t first, uint32_t count)
{
    char line[sizeof k->line], reg[48];
    memcpy(line, k->line, sizeof line);
    for (uint32_t i = 0; i < count; i++) {
        put_list(letter, first + i, 1, reg);
        keep(k, reg, line);
    }
}

void put_move(struct kernel *k)
{
    static const char *const specials[] = {"%tid.x",       "%ntid.x",      "%ctaid.x",
                                           "%nctaid.x",    "%laneid",      "%lanemask_lt",
                                           "%lanemask_ge", "%lanemask_eq", "WARP_SZ"};
    const size_t size = 4u << any(k, 2);
    const uint32_t count = size == 8 && any(k, 2) ? 4 : 2, first = any(k, POOL);
    const char letter = size == 2 * count ? 'h' : 'r';
    char whole[8], parts[48];
    any_register(k, size, whole);
    put_list(letter, first, count, parts);
    switch (any(k, 3)) {
    case 0:
        put(k, "mov.b%zu %s, %s;", 8 * size, whole, parts);
        keep_line(k, whole);
        break;
    case 1:
        put(k, "mov.b%zu %s, %s;", 8 * size, parts, whole);
        keep_list(k, letter, first, count);
        break;
    default:
        any_register(k, 4, whole);
        put(k, "mov.u32 %s, %s;", whole, specials[any(k, k->age == KERNEL_NEW ? 9 : 4)]);
        keep_line(k, whole);
    }
}

void put_load(struct kernel *k)
{
    static const char *const ways[] = {
        "global",          "global.ca", "global.cg",         "global.cv",
        "volatile.global", "global.nc", "relaxed.gpu.global"};
    static const char *const types[] = {"u8",  "s8",  "b16", "u16", "s16", "b32", "u32",
                                        "s32", "f32", "b64", "u64", "s64", "f64"};
    static const uint8_t sizes[] = {1, 1, 2, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8};
    const uint32_t kind = any(k, sizeof sizes);
    const size_t size = sizes[kind];
    char reg[8], index[8];
    any_register(k, size < 2 ? 2u << any(k, 3) : size, reg);
    if (any(k, 3)) {
        put(k, "ld.%s.%s %s, [%%in+%zu];", ways[any(k, k->age == KERNEL_NEW ? 7 : 6)], types[kind],
            reg, any(k, 800) * 8 + size * any(k, 8 / (uint32_t)size));
    } else {
        any_register(k, 4, index);
        fprintf(k->file, "    and.b32 %%t1, %s, %d; mad.lo.u32 %%t1, %%t1, 8, %%table;\n", index,
                TABLE_WORDS - 1);
        put(k, "ld.const.%s %s, [%%t1];", types[kind], reg);
    }
    keep_line(k, reg);
}

/* The thread's own bytes of shared, local and global memory, each by its space and generically. */
static const struct place {
    const char *space, *base;
} places[] = {
    {".local", "%own_l"}, {".shared", "%own_s"}, {".global", "%own_g"},
    {"", "%gen_s"},       {"", "%own_g"},        {"", "%gen_l"},
};

void put_own(struct kernel *k)
{
    static const char letters[] = {'h', 'h', 'r', 'd'};
    static const char *const orders[] = {"", "", "", ".volatile", ".relaxed.cta", ".relaxed.gpu"};
    /* The first GPUs have no generic addresses, and nothing orders accesses to local memory. */
    const uint32_t where = any(k, k->age == KERNEL_NEW ? 6 : 3);
    const struct place place = places[where];
    const uint32_t power = any(k, 4), size = 1u << power;
    const char *order = where % 5 ? orders[any(k, k->age == KERNEL_NEW ? 6 : 4)] : "";
    const uint32_t count = 1u << any(k, size == 8 ? 2 : 3), first = any(k, POOL);
    const uint32_t at = any(k, OWN_BYTES / (size * count)) * size * count;
    const char *vector = count == 4 ? ".v4" : count == 2 ? ".v2" : "";
    char list[48];
    put_list(letters[power], first, count, list);
    if (any(k, 2)) {
        put(k, "st%s%s%s.b%u [%s+%u], %s;", order, place.space, vector, 8 * size, place.base, at,
            list);
        return;
    }
    const char *type = size == 8 || any(k, 2) ? "b" : any(k, 2) ? "u" : "s";
    put(k, "ld%s%s%s.%s%u %s, [%s+%u];", order, place.space, vector, type, 8 * size, list,
        place.base, at);
    keep_list(k, letters[power], first, count);
}

void put_atomic(struct kernel *k)
{
    struct draft draft;
    char result[2][8];
    do
        while (!choose_form(k, &draft, OP_ATOM))
            ;
    while (ptx_type_is_float(draft.types[0]) || has_word(&draft, "shared::cluster") ||
           (k->age == KERNEL_OLD && !has_word(&draft, "global")));
    const bool shared = has_word(&draft, "shared") || has_word(&draft, "shared::cta");
    const bool generic = !shared && !has_word(&draft, "global");
    const char *base = shared ? "%own_s" : generic && any(k, 2) ? "%gen_s" : "%own_g";
    const size_t size = ptx_type_size(draft.types[0]);
    draft.operand_count = has_word(&draft, "cas") ? 4 : 3;
    for (int i = 0; i < draft.operand_count; i++)
        any_register(k, size, draft.operands[i]);
    memcpy(result[0], draft.operands[0], sizeof result[0]);
    snprintf(draft.operands[1], DRAFT_MAX_TEXT, "[%s+%zu]", base,
             any(k, OWN_BYTES / (uint32_t)size) * size);
    put_instruction(k, &draft, result, 1, !any(k, 8));
}

void put_sum(struct kernel *k)
{
    static const char *const sums[SUMS] = {"add.u32", "min.s32", "max.u32", "min.u32", "max.s32",
                                           "and.b32", "or.b32",  "xor.b32", "add.u64", "max.s64"};
    const uint32_t sum = any(k, k->age == KERNEL_NEW ? SUMS : 8), first = any(k, POOL);
    char reg[48];
    put_list(sum < 8 ? 'r' : 'd', first, 1, reg);
    const bool shared = k->age == KERNEL_NEW && any(k, 2);
    const char *space = shared ? "shared" : "global", *base = shared ? "%sums" : "%all";
    if (any(k, 2))
        put(k, "red.%s.%s [%s+%u], %s;", space, sums[sum], base, 8 * sum, reg);
    else
        put(k, "atom.%s.%s %%%c8, [%s+%u], %s;", space, sums[sum], reg[1], base, 8 * sum, reg);
}

static bool is_eight_bits(enum ptx_type type)
{
    return type == PTX_E4M3 || type == PTX_E5M2;
}

/* A product of matrices, whose elements may be any bits: by whole warps, as they come. */
static void put_product(struct kernel *k)
{
    struct draft draft;
    struct isa_operands takes;
    do {
        while (!choose_form(k, &draft, OP_MMA))
            ;
        isa_operands_of(draft.form, draft.types, draft.type_count, 0, true, &takes);
    } while (takes.items[0].elements > POOL);
    const uint32_t first = any(k, POOL);
    const char letter = takes.items[0].type == PTX_F64 ? 'd' : 'r';
    for (int i = 0; i < takes.count; i++) {
        char *text = draft.operands[i];
        /* ptxas 13.0 makes a sum of such a product register by register, and where D lies across C
         * reads of C what it has written of D: they begin at one register. */
        const bool with_result = i == 3 && is_eight_bits(draft.types[1]);
        put_list(letter, i && !with_result ? any(k, POOL) : first,
                 (uint32_t)takes.items[i].elements, text);
        if (*text != '{')
            snprintf(text, DRAFT_MAX_TEXT, "{%%%c%u}", letter, any(k, POOL));
    }
    draft.operand_count = takes.count;
    fputs("    bar.warp.sync -1;\n", k->file);
    put_draft(&draft, k->line, sizeof k->line);
    fprintf(k->file, "    %s\n", k->line);
    for (int i = 0; letter == 'd' && i < takes.items[0].elements; i++) {
        char reg[48];
        put_list(letter, first + (uint32_t)i, 1, reg);
        settle_nan(k, PTX_F64, reg);
    }
    keep_list(k, letter, first, (uint32_t)takes.items[0].elements);
}

void put_collective(struct kernel *k)
{
    static const enum opcode opcodes[] = {OP_SHFL, OP_SHFL, OP_VOTE, OP_MATCH, OP_REDUX};
    struct draft draft;
    char results[2][8];
    const bool whole = strcmp(k->mask, "-1") == 0;
    if (whole && k->age == KERNEL_NEW && !any(k, 4)) {
        put_product(k);
        return;
    }
    const enum opcode opcode = whole && !any(k, 8) ? OP_MOVMATRIX : ANY(k, opcodes);
    while (!choose_form(k, &draft, opcode))
        ;
    const int count = put_operands(k, &draft, results);
    if (opcode == OP_SHFL && !whole) {
        fprintf(k->file, "    brev.b32 %%t4, %s; clz.b32 %%t4, %%t4;\n", k->mask);
        snprintf(draft.words[1], 32, "idx");
        snprintf(draft.operands[2], DRAFT_MAX_TEXT, "%%t4");
        snprintf(draft.operands[3], DRAFT_MAX_TEXT, "31");
    }
    if (opcode == OP_MOVMATRIX) /* for whole warps, as they come */
        fputs("    bar.warp.sync -1;\n", k->file);
    else
        snprintf(draft.operands[draft.operand_count - 1], DRAFT_MAX_TEXT, "%s", k->mask);
    put_instruction(k, &draft, results, count, false);
}

/* SPDX-License-Identifier: MIT */
#include "generate.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char generated_kernel[] =
    ".global .align 16 .b8 g[64]; .const .align 16 .b8 c[64];\n"
    ".func f0() { ret; }\n"
    ".visible .entry k(.param .u64 a, .param .align 16 .b8 b[32]) {\n"
    ".reg .pred %p<4>; .reg .b8 %c<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %d<9>;\n"
    ".reg .u16 %uh<4>; .reg .s16 %sh<4>; .reg .u32 %u<4>; .reg .s32 %s<4>; .reg .u64 %ud<4>;\n"
    ".reg .s64 %sd<4>; .reg .f16 %fh<4>; .reg .f16x2 %ff<4>; .reg .f32 %f<9>; .reg .f64 %g<9>;\n"
    ".shared .align 16 .b8 s[64]; .local .align 16 .b8 l[64];\n"
    "T: .branchtargets L;\n";
const char generated_end[] = "L: ret;\n}\n";

enum { MAX_WORDS = DRAFT_MAX_WORDS, MAX_TEXT = DRAFT_MAX_TEXT };

uint32_t below(uint64_t *random, uint32_t count)
{
    uint64_t x = *random;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *random = x;
    return (uint32_t)((x * UINT64_C(0x2545F4914F6CDD1D)) >> 33) % count;
}

/* An opcode at random, such that a new row takes a few places and leaves the others. */
static enum opcode any_opcode(uint64_t *random)
{
    const uint64_t key = (uint64_t)below(random, UINT32_MAX) * UINT64_C(0x9E3779B97F4A7C15);
    uint64_t least = UINT64_MAX;
    enum opcode chosen = 0;
    for (int opcode = 0; opcode < OPCODE_COUNT; opcode++) {
        uint64_t hash = key;
        for (const char *c = isa_rows[opcode].text; *c; c++)
            hash = (hash ^ (uint64_t)*c) * UINT64_C(0x100000001B3);
        hash ^= hash >> 29;
        hash *= UINT64_C(0xBF58476D1CE4E5B9);
        if (hash < least) {
            least = hash;
            chosen = (enum opcode)opcode;
        }
    }
    return chosen;
}

static const char *one_of(uint64_t *random, const char *const *choices, size_t count)
{
    return choices[below(random, (uint32_t)count)];
}
#define ONE_OF(random, choices) one_of(random, choices, sizeof(choices) / sizeof *(choices))

/* A word of the group. */
static void choose_word(uint64_t *random, const struct isa_group *group, char word[32])
{
    uint32_t count = 1;
    for (size_t i = 0; i < group->length; i++)
        count += group->words[i] == '|';
    uint32_t chosen = below(random, count);
    const char *at = group->words;
    while (chosen-- > 0)
        at = strchr(at, '|') + 1;
    const int length = (int)strcspn(at, "|@? "), fixed = (int)strcspn(at, "*|@? ");
    if (fixed == length) {
        snprintf(word, 32, "%.*s", length, at);
        return;
    }
    /* A few columns, and now and then a number of them that is not right. */
    const char *const depth = strchr(at, 'k');
    snprintf(word, 32, "%.*s%u%.*s", fixed, at, 4 * (1 + below(random, 8)),
             (int)(at + length - depth), depth);
}

static enum ptx_type type_named(const char *name)
{
    for (int type = PTX_PRED; type < PTX_TYPE_COUNT; type++)
        if (strcmp(ptx_type_name((enum ptx_type)type), name) == 0)
            return (enum ptx_type)type;
    return PTX_NONE;
}

void choose_suffixes(uint64_t *random, struct draft *draft)
{
    const char *rest = draft->form->modifiers;
    struct isa_group group;
    while (isa_next_group(&rest, &group))
        if (!group.optional || below(random, 2))
            choose_word(random, &group, draft->words[draft->word_count++]);
    rest = draft->form->types;
    while (isa_next_group(&rest, &group)) {
        char name[32];
        choose_word(random, &group, name);
        draft->types[draft->type_count++] = type_named(name);
    }
}

static const char *register_of(uint64_t *random, enum ptx_type type)
{
    static const char *const names[PTX_TYPE_COUNT][3] = {
        [PTX_NONE] = {"%r1", "%d1", "%f1"},   [PTX_PRED] = {"%p1", "%p2", "%p3"},
        [PTX_B8] = {"%c1", "%c2", "%c3"},     [PTX_B16] = {"%h1", "%uh1", "%fh1"},
        [PTX_B32] = {"%r1", "%s1", "%f1"},    [PTX_B64] = {"%d1", "%ud1", "%g1"},
        [PTX_B128] = {"%d1", "%d2", "%d3"},   [PTX_U8] = {"%c1", "%c2", "%c3"},
        [PTX_U16] = {"%h1", "%uh1", "%sh1"},  [PTX_U32] = {"%r1", "%u1", "%s1"},
        [PTX_U64] = {"%d1", "%ud1", "%sd1"},  [PTX_S8] = {"%c1", "%c2", "%c3"},
        [PTX_S16] = {"%h1", "%uh1", "%sh1"},  [PTX_S32] = {"%r1", "%u1", "%s1"},
        [PTX_S64] = {"%d1", "%ud1", "%sd1"},  [PTX_F16] = {"%h1", "%h2", "%fh1"},
        [PTX_F16X2] = {"%r1", "%r2", "%ff1"}, [PTX_BF16] = {"%h1", "%h2", "%h3"},
        [PTX_BF16X2] = {"%r1", "%r2", "%r3"}, [PTX_F32] = {"%r1", "%f1", "%f2"},
        [PTX_F64] = {"%d1", "%g1", "%g2"},    [PTX_TF32] = {"%r1", "%r2", "%r3"},
        [PTX_E4M3X2] = {"%h1", "%h2", "%h3"}, [PTX_E5M2X2] = {"%h1", "%h2", "%h3"},
        [PTX_U2] = {"%c1", "%c2", "%c3"},     [PTX_U4] = {"%c1", "%c2", "%c3"},
        [PTX_S2] = {"%c1", "%c2", "%c3"},     [PTX_S4] = {"%c1", "%c2", "%c3"},
        [PTX_U16X2] = {"%r1", "%r2", "%r3"},  [PTX_S16X2] = {"%r1", "%r2", "%r3"},
        [PTX_B1] = {"%c1", "%c2", "%c3"},     [PTX_E4M3] = {"%c1", "%c2", "%c3"},
        [PTX_E5M2] = {"%c1", "%c2", "%c3"},
    };
    return ONE_OF(random, names[type]);
}

static const char *constant_of(uint64_t *random, enum ptx_type type)
{
    static const char *const integers[] = {"0", "1", "32", "5", "-1", "0x7fff"};
    static const char *const singles[] = {"0f3F800000", "1.5", "0d3FF0000000000000"};
    return type == PTX_F32 || type == PTX_F64 ? ONE_OF(random, singles) : ONE_OF(random, integers);
}

static int elements_of(const struct draft *draft)
{
    for (int i = 0; i < draft->word_count; i++)
        if ((draft->words[i][0] == 'v' || draft->words[i][0] == 'x') && draft->words[i][2] == '\0')
            return draft->words[i][1] - '0';
    return 1;
}

static void put_vector(uint64_t *random, enum ptx_type type, int count, char *text)
{
    size_t used = 0;
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, MAX_TEXT - used, "%s%s", i ? ", " : "{",
                                 register_of(random, type));
    snprintf(text + used, MAX_TEXT - used, "}");
}

bool has_word(const struct draft *draft, const char *word)
{
    for (int i = 0; i < draft->word_count; i++)
        if (strcmp(draft->words[i], word) == 0)
            return true;
    return false;
}

static void put_address(uint64_t *random, const struct draft *draft, char *text)
{
    static const char *const generic[] = {"[%d1]", "[%d1+8]", "[%ud1]", "[%d2+-16]"};
    static const char *const shared[] = {"[%d1]", "[s]", "[s+16]", "[%r1]", "[%u1+4]"};
    static const char *const local[] = {"[%d1]", "[l]", "[l+16]"};
    static const char *const global[] = {"[%d1]", "[g]", "[g+16]", "[%d1+64]"};
    static const char *const constant[] = {"[%d1]", "[c]", "[c+16]"};
    static const char *const param[] = {"[a]", "[b]", "[b+16]"};
    const char *chosen = ONE_OF(random, generic);
    if (has_word(draft, "shared") || has_word(draft, "shared::cta"))
        chosen = ONE_OF(random, shared);
    else if (has_word(draft, "local"))
        chosen = ONE_OF(random, local);
    else if (has_word(draft, "global"))
        chosen = ONE_OF(random, global);
    else if (has_word(draft, "const"))
        chosen = ONE_OF(random, constant);
    else if (has_word(draft, "param") || has_word(draft, "param::entry"))
        chosen = ONE_OF(random, param);
    snprintf(text, MAX_TEXT, "%s", chosen);
}

static void put_address_in(uint64_t *random, const char *space, char *text)
{
    struct draft draft = {.word_count = 1};
    snprintf(draft.words[0], sizeof draft.words[0], "%s", space);
    put_address(random, &draft, text);
}

/* [texture, {coordinates}], or [texture] alone */
static void put_texel(uint64_t *random, const struct isa_operand *takes, char *text)
{
    const char *texture = register_of(random, PTX_U64);
    if (takes->letter == 'o') {
        snprintf(text, MAX_TEXT, "[%s]", texture);
        return;
    }
    size_t used = (size_t)snprintf(text, MAX_TEXT, "[%s, {", texture);
    for (int i = 0; i < takes->equal; i++) {
        const bool layer = i == 0 && takes->letter == 'C';
        used += (size_t)snprintf(text + used, MAX_TEXT - used, "%s%s", i ? ", " : "",
                                 register_of(random, layer ? PTX_U32 : takes->type));
    }
    snprintf(text + used, MAX_TEXT - used, "}]");
}

static void put_value(uint64_t *random, const struct isa_operand *takes, char *text)
{
    if (takes->letter == 'r' || below(random, 3) || takes->type == PTX_F16 ||
        takes->type == PTX_F16X2 || takes->type == PTX_BF16 || takes->type == PTX_BF16X2)
        snprintf(text, MAX_TEXT, "%s", register_of(random, takes->type));
    else if (takes->multiple)
        snprintf(text, MAX_TEXT, "%u", takes->multiple * (1 + below(random, 8)));
    else if (takes->below || takes->least)
        snprintf(text, MAX_TEXT, "%u",
                 (uint32_t)takes->least +
                     below(random, takes->below ? (uint32_t)takes->below : 100));
    else
        snprintf(text, MAX_TEXT, "%s", constant_of(random, takes->type));
}

static void put_result(uint64_t *random, const struct isa_operand *takes, char *text)
{
    const bool pair = takes->second == 'P' || (takes->second && below(random, 2));
    if (takes->discards && !below(random, 4))
        snprintf(text, MAX_TEXT, pair ? "_|%%p1" : "_");
    else
        snprintf(text, MAX_TEXT, "%s%s", register_of(random, takes->type), pair ? "|%p2" : "");
}

/* Of a video instruction: parts of a register, some of them wrong, and its negation. */
static void put_parts(uint64_t *random, const struct isa_operand *takes, char *text)
{
    static const char *const parts[3][6] = {
        {".b0", ".b3", ".h0", ".h1", ".b2", ".h2"},
        {".h0", ".h1", ".h10", ".h32", ".h03", ".b10"},
        {".b0", ".b20", ".b3210", ".b7654", ".b0716", ".b12"},
    };
    const size_t length = strlen(text);
    if (*text != '%')
        return;
    if (takes->parts && below(random, 2))
        snprintf(text + length, MAX_TEXT - length, "%s", ONE_OF(random, parts[takes->parts / 2]));
    if (takes->negates && below(random, 3) == 0) {
        memmove(text + 1, text, strlen(text) + 1);
        *text = '-';
    }
}

static void put_number(uint64_t *random, const struct isa_operand *takes, char *text)
{
    if (takes->sign) {
        snprintf(text, MAX_TEXT, "%d", (int)below(random, 3) - 1);
        return;
    }
    if (!takes->equal && !takes->power) {
        const uint32_t number = below(random, takes->below ? (uint32_t)takes->below : 256);
        const uint32_t unit = takes->multiple && below(random, 4) ? (uint32_t)takes->multiple : 1;
        snprintf(text, MAX_TEXT, "%u", number / unit * unit);
        return;
    }
    const int power = takes->power << below(random, 4); /* once too high */
    snprintf(text, MAX_TEXT, "%d", takes->equal ? takes->equal : power);
}

/* An operand as the form wants it. */
static void put_operand(uint64_t *random, const struct draft *draft,
                        const struct isa_operand *takes, char *text)
{
    static const char *const names[] = {"%tid.x", "%laneid", "%clock", "s", "g", "s+4", "c", "l"};
    const int elements = elements_of(draft);
    switch (takes->letter) {
    case 'd':
    case 'V':
        put_result(random, takes, text);
        break;
    case 'p':
        snprintf(text, MAX_TEXT, "%s%s", below(random, 2) ? "!" : "",
                 register_of(random, PTX_PRED));
        break;
    case 'n':
        put_number(random, takes, text);
        break;
    case 'q':
        snprintf(text, MAX_TEXT, "%s",
                 ONE_OF(random, ((const char *[]){"%p1", "!%p2", "0", "1", "2"})));
        break;
    case 'v':
    case 'w':
        if (elements > 1 || takes->braced)
            put_vector(random, takes->type, elements, text);
        else if (takes->letter == 'v')
            put_result(random, takes, text);
        else
            put_value(random, takes, text);
        break;
    case 'S':
    case 'x':
    case 'y':
        if (below(random, 2))
            put_value(random, takes, text);
        else
            snprintf(text, MAX_TEXT, "%s", ONE_OF(random, names));
        break;
    case 'm':
    case 'M':
        put_address(random, draft, text);
        break;
    case 's':
    case 'g':
        put_address_in(random, takes->letter == 's' ? "shared" : "global", text);
        break;
    case 'c':
    case 'C':
    case 'k':
    case 'o':
        put_texel(random, takes, text);
        break;
    case 'l':
    case 't':
        snprintf(text, MAX_TEXT, "%c", toupper(takes->letter));
        break;
    case 'f':
        snprintf(text, MAX_TEXT, "f0");
        break;
    default:
        put_value(random, takes, text);
    }
}

static struct draft draft_right(uint64_t *random)
{
    struct draft draft = {.opcode = any_opcode(random)};
    uint32_t forms = 0;
    while (isa_rows[draft.opcode].forms[forms].operands)
        forms++;
    draft.form = &isa_rows[draft.opcode].forms[below(random, forms)];
    choose_suffixes(random, &draft);
    struct isa_operands takes;
    int columns = 0;
    for (int i = 0; i < draft.word_count && !columns; i++)
        columns = isa_columns(draft.words[i]);
    isa_operands_of(draft.form, draft.types, draft.type_count, columns, true, &takes);
    for (int i = 0; i < takes.count; i++) {
        if (takes.items[i].letter == '(' || (takes.items[i].optional && below(random, 2)))
            continue;
        char *text = draft.operands[draft.operand_count++];
        if (takes.items[i].letter == 'D' && below(random, 2))
            snprintf(text, MAX_TEXT, "%s", register_of(random, PTX_U64));
        else if (takes.items[i].elements)
            put_vector(random, takes.items[i].type, takes.items[i].elements, text);
        else
            put_operand(random, &draft, &takes.items[i], text);
        put_parts(random, &takes.items[i], text);
    }
    return draft;
}

/* A word that some form of some instruction has, of its own more often. */
static void any_word(uint64_t *random, enum opcode own, char word[32])
{
    const enum opcode opcode = below(random, 3) ? own : any_opcode(random);
    word[0] = '\0';
    for (int tries = 0; tries < 8 && !*word; tries++) {
        uint32_t forms = 0;
        while (isa_rows[opcode].forms[forms].operands)
            forms++;
        const char *rest = isa_rows[opcode].forms[below(random, forms)].modifiers;
        struct isa_group group;
        while (isa_next_group(&rest, &group) && (!*word || below(random, 2)))
            choose_word(random, &group, word);
    }
    if (!*word)
        snprintf(word, 32, "%s", isa_modifier_names[below(random, MODIFIER_COUNT)]);
}

/* Any operand at all. */
static void any_operand(uint64_t *random, char *text)
{
    static const char *const others[] = {
        "%tid.x",     "%clock64",   "s",     "g",   "_",          "!%p1",    "%r1|%p1",
        "{%r1, %r2}", "{%h1, %h2}", "[%d1]", "[s]", "[%r1]",      "L",       "0f3F800000",
        "1.5",        "-1",         "16",    "33",  "4294967296", "%p1",     "c",
        "[g]",        "[c]",        "[l]",   "[a]", "f0",         "WARP_SZ",
    };
    if (below(random, 2))
        snprintf(text, MAX_TEXT, "%s",
                 register_of(random, (enum ptx_type)(1 + below(random, PTX_TYPE_COUNT - 1))));
    else
        snprintf(text, MAX_TEXT, "%s", ONE_OF(random, others));
}

static void spoil_word(uint64_t *random, struct draft *draft)
{
    const uint32_t kind = below(random, 3);
    if (draft->word_count && kind == 0) {
        const uint32_t at = below(random, (uint32_t)draft->word_count);
        draft->word_count--;
        memmove(draft->words[at], draft->words[at + 1],
                ((size_t)draft->word_count - at) * sizeof draft->words[0]);
    } else if (draft->word_count && kind == 1) {
        any_word(random, draft->opcode, draft->words[below(random, (uint32_t)draft->word_count)]);
    } else if (draft->word_count < MAX_WORDS) {
        any_word(random, draft->opcode, draft->words[draft->word_count++]);
    }
}

static void spoil_type(uint64_t *random, struct draft *draft)
{
    const enum ptx_type type = (enum ptx_type)(1 + below(random, PTX_TYPE_COUNT - 1));
    if (draft->type_count == 0 || !below(random, 8))
        draft->types[draft->type_count++] = type;
    else if (!below(random, 8))
        draft->type_count--;
    else
        draft->types[below(random, (uint32_t)draft->type_count)] = type;
}

/* Another operand of the same kind: an address, a vector, a pair. */
static void other_operand(uint64_t *random, char *text)
{
    static const char *const addresses[] = {"[c]",     "[s]",   "[g]",   "[l]",   "[a]",
                                            "[%u1+4]", "[%r1]", "[%h1]", "[%f1]", "[%p1]"};
    static const char *const vectors[] = {
        "{%r1}",           "{%r1, %r2}",           "{%d1, %d2}",
        "{%r1, %r2, %r3}", "{%r1, %r2, %r3, %r4}", "{%h1, %h2, %h3, %h1}"};
    static const char *const pairs[] = {"%p1|%r1", "%r1|%r2", "%r1|%p1", "%p1|%p2",
                                        "%p1|_",   "_|%p1",   "%r1|_",   "%r1|5"};
    if (*text == '[')
        snprintf(text, MAX_TEXT, "%s", ONE_OF(random, addresses));
    else if (*text == '{')
        snprintf(text, MAX_TEXT, "%s", ONE_OF(random, vectors));
    else
        snprintf(text, MAX_TEXT, "%s", ONE_OF(random, pairs));
}

static void spoil_operand(uint64_t *random, struct draft *draft)
{
    if (draft->operand_count && !below(random, 8))
        draft->operand_count--;
    else if (draft->operand_count == 0 || (draft->operand_count < 5 && !below(random, 8)))
        any_operand(random, draft->operands[draft->operand_count++]);
    else if (below(random, 3))
        any_operand(random, draft->operands[below(random, (uint32_t)draft->operand_count)]);
    else
        other_operand(random, draft->operands[below(random, (uint32_t)draft->operand_count)]);
}

void put_draft(const struct draft *draft, char *line, size_t size)
{
    size_t used = (size_t)snprintf(line, size, "%s", isa_rows[draft->opcode].text);
    for (int i = 0; i < draft->word_count; i++)
        used += (size_t)snprintf(line + used, size - used, ".%s", draft->words[i]);
    for (int i = 0; i < draft->type_count; i++)
        used += (size_t)snprintf(line + used, size - used, ".%s", ptx_type_name(draft->types[i]));
    for (int i = 0; i < draft->operand_count; i++)
        used +=
            (size_t)snprintf(line + used, size - used, "%s%s", i ? ", " : " ", draft->operands[i]);
    snprintf(line + used, size - used, ";");
}

/* A declaration in a scope of its own. */
static void put_declaration(uint64_t *random, char *line, size_t size)
{
    static const char *const spaces[] = {"shared", "local", "global", "const", "param", "reg"};
    static const char *const aligns[] = {"", ".align 4 ", ".align 3 ", ".align 16 ", ".align 0 "};
    static const char *const lengths[] = {"", "[4]", "[0]", "[2][3]", "[]", "[-1]"};
    static const char *const others[] = {
        ".pragma \"nounroll\";", ".pragma nounroll;", ".reg .b32 x<4>;", ".reg .b32 x<0>;",
        ".reg .pred x, y;",      ".reg .b32 x, x;",   ".wobbly 3;",      ".reg .q32 x;",
        ".branchtargets L;",     ".loc 1 2;",
    };
    if (below(random, 3) == 0)
        snprintf(line, size, "{ %s }", ONE_OF(random, others));
    else
        snprintf(line, size, "{ .%s %s.%s x%s; }", ONE_OF(random, spaces), ONE_OF(random, aligns),
                 ptx_type_name((enum ptx_type)(1 + below(random, PTX_TYPE_COUNT - 1))),
                 ONE_OF(random, lengths));
}

void generate(uint64_t *random, char *line, size_t size)
{
    if (below(random, 25) == 0) {
        put_declaration(random, line, size);
        return;
    }
    struct draft draft = draft_right(random);
    for (uint32_t wrongs = below(random, 3); wrongs > 0; wrongs--) {
        switch (below(random, 3)) {
        case 0:
            spoil_word(random, &draft);
            break;
        case 1:
            spoil_type(random, &draft);
            break;
        default:
            spoil_operand(random, &draft);
        }
    }
    put_draft(&draft, line, size);
}

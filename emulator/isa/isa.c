/* SPDX-License-Identifier: MIT */
/* instructions.def as arrays, and the reading of its notation. */
#include "isa.h"

#include <stdio.h>
#include <string.h>

enum { NEWEST = 1000 };

/* Capabilities: plain numbers, and the three ways that are none. */
#define STANDS_IN(manual) 10, NEWEST, false
#define UNTIL(since, last) since, last, false
#define OWN(only) only, only, true
#define SINCE(since, until, own, ...) since, until, own
#define FORM(modifiers, types, operands, ...) \
    {(modifiers), (types), (operands), SINCE(__VA_ARGS__, NEWEST, false, 0)},
#define INSTRUCTION(id, text, family, cost, effect, ...) \
    [OP_##id] = {(text), COST_##cost, EFFECT_##effect, (const struct isa_form[]){__VA_ARGS__{0}}},
const struct isa_row isa_rows[OPCODE_COUNT] = {
#include "instructions.def"
};
#undef INSTRUCTION

const char *const isa_modifier_names[MODIFIER_COUNT] = {
#define X(id, text) [MOD_##id] = (text),
    MODIFIERS(X)
#undef X
};

bool isa_next_group(const char **rest, struct isa_group *group)
{
    const char *start = *rest + strspn(*rest, " ");
    size_t length = strcspn(start, " ");
    *rest = start + length;
    if (length == 0)
        return false;
    group->first = *start == '^';
    start += group->first;
    length -= group->first;
    group->optional = start[length - 1] == '?';
    group->words = start;
    group->length = length - group->optional;
    return true;
}

static int number_at(const char *at)
{
    int number = 0;
    while (*at >= '0' && *at <= '9')
        number = number * 10 + *at++ - '0';
    return number;
}

enum { MOST_COLUMNS = 256 };
static const char rows_of_four[] = "m64n";

int isa_columns(const char *word)
{
    const size_t length = sizeof rows_of_four - 1;
    const bool is_shape = strncmp(word, rows_of_four, length) == 0 && word[length] != '0';
    const size_t digits = is_shape ? strspn(word + length, "0123456789") : 0;
    const int columns = digits <= 3 ? number_at(word + length * is_shape) : 0;
    return digits && columns <= MOST_COLUMNS && word[length + digits] == 'k' ? columns : 0;
}

/* Is `word` the one at [at, stop), or one of those that it stands for? */
static bool is_word(const char *at, const char *stop, const char *word)
{
    const size_t length = strlen(word), fixed = sizeof rows_of_four - 1;
    const char *star = memchr(at, '*', (size_t)(stop - at));
    if (!star)
        return (size_t)(stop - at) == length && memcmp(at, word, length) == 0;
    const int columns = isa_columns(word);
    const char *depth = memchr(star, 'k', (size_t)(stop - star));
    const char *own = word + fixed + strspn(word + fixed * (columns > 0), "0123456789");
    return columns && columns % number_at(star + 1) == 0 && strlen(own) == (size_t)(stop - depth) &&
           memcmp(own, depth, strlen(own)) == 0;
}

/* Since when the group has `word`: 1 where that is not said, 0 where it has not. */
static int has_word(const struct isa_group *group, const char *word)
{
    const char *end = group->words + group->length;
    for (const char *at = group->words; at < end; at++) {
        const char *stop = at;
        while (stop < end && *stop != '|' && *stop != '@')
            stop++;
        if (is_word(at, stop, word))
            return stop < end && *stop == '@' ? number_at(stop + 1) : 1;
        for (at = stop; at < end && *at != '|';)
            at++;
    }
    return 0;
}

/* What keeps suffixes from being those of a form: the worst first. */
enum misfit {
    MISFIT_TYPE_COUNT,
    MISFIT_TYPE,
    MISFIT_WORD, /* the form has no such word */
    MISFIT_PLACE, /* a word must stand right after the opcode */
    MISFIT_BOTH, /* two of one group */
    MISFIT_MISSING, /* none of a group */
    MISFIT_TARGET,
    FITS,
};

struct trial {
    enum misfit misfit;
    int matched; /* suffixes, to tell which form is nearest */
    const char *word, *other;
    struct isa_group group;
    int type_count;
    int since; /* the form and its words */
};

static void note_since(struct trial *trial, int since)
{
    trial->since = since > trial->since ? since : trial->since;
}

static void fail(struct trial *trial, enum misfit misfit, const char *word)
{
    if (misfit >= trial->misfit)
        return;
    trial->misfit = misfit;
    trial->word = word;
}

/* Which group of `modifiers` has the word? -1: none. */
static int group_of(const char *modifiers, const char *word, int *since)
{
    struct isa_group group;
    for (int i = 0; isa_next_group(&modifiers, &group); i++)
        if ((*since = has_word(&group, word)))
            return i;
    return -1;
}

static void try_types(struct trial *trial, const struct isa_form *form,
                      const struct isa_suffixes *suffixes)
{
    const char *rest = form->types;
    struct isa_group group;
    for (; isa_next_group(&rest, &group); trial->type_count++) {
        if (trial->type_count >= suffixes->type_count)
            continue;
        const char *name = ptx_type_name(suffixes->types[trial->type_count]);
        const int since = has_word(&group, name);
        if (since)
            trial->matched++;
        else
            fail(trial, MISFIT_TYPE, name);
        note_since(trial, since);
    }
    if (trial->type_count != suffixes->type_count)
        fail(trial, MISFIT_TYPE_COUNT, NULL);
}

/* Each word has its group, and no other word has it too. */
static void try_words(struct trial *trial, const struct isa_form *form,
                      const struct isa_suffixes *suffixes)
{
    const char *taken[ISA_MAX_WORDS] = {NULL};
    for (int i = 0; i < suffixes->word_count; i++) {
        const char *word = suffixes->words[i];
        int since;
        const int group = group_of(form->modifiers, word, &since);
        note_since(trial, since);
        if (group < 0) {
            fail(trial, MISFIT_WORD, word);
        } else if (taken[group]) {
            trial->other = taken[group];
            fail(trial, MISFIT_BOTH, word);
        } else {
            taken[group] = word;
            trial->matched++;
        }
    }
    const char *rest = form->modifiers;
    struct isa_group group;
    for (int i = 0; isa_next_group(&rest, &group); i++) {
        if (!taken[i] && !group.optional && trial->misfit > MISFIT_MISSING) {
            trial->group = group;
            fail(trial, MISFIT_MISSING, NULL);
        }
        if (taken[i] && group.first && (suffixes->type_first || taken[i] != suffixes->words[0]))
            fail(trial, MISFIT_PLACE, taken[i]);
    }
}

static struct trial try_form(const struct isa_form *form, const struct isa_suffixes *suffixes,
                             struct isa_target target)
{
    struct trial trial = {.misfit = FITS, .since = form->since};
    try_types(&trial, form, suffixes);
    try_words(&trial, form, suffixes);
    if (target.capability < trial.since || target.capability > form->until ||
        (form->own && !target.own))
        fail(&trial, MISFIT_TARGET, NULL);
    return trial;
}

static bool is_nearer(const struct trial *a, const struct trial *b)
{
    if ((a->misfit >= MISFIT_MISSING) != (b->misfit >= MISFIT_MISSING))
        return a->misfit > b->misfit;
    return a->matched != b->matched ? a->matched > b->matched : a->misfit > b->misfit;
}

/* "one of .lo, .hi" */
static void name_group(const struct isa_group *group, char *text, size_t size)
{
    const char *end = group->words + group->length;
    const bool several = memchr(group->words, '|', group->length);
    size_t used = (size_t)snprintf(text, size, several ? "one of ." : ".");
    for (const char *at = group->words; at < end && used + 4 < size; at++) {
        if (*at == '|')
            used += (size_t)snprintf(text + used, size - used, ", .");
        else if (*at == '@')
            at += 2; /* a capability of two digits */
        else
            text[used++] = *at;
    }
    text[used] = '\0';
}

/* Does any form of the opcode know the word, as a type or as another? */
static bool is_known(enum opcode opcode, const char *word, bool as_type)
{
    int since;
    for (const struct isa_form *form = isa_rows[opcode].forms; form->operands; form++)
        if (group_of(as_type ? form->types : form->modifiers, word, &since) >= 0)
            return true;
    return false;
}

static bool explain_unknown(enum opcode opcode, const struct isa_suffixes *suffixes, char *why,
                            size_t size)
{
    const char *name = isa_rows[opcode].text;
    for (int i = 0; i < suffixes->word_count; i++)
        if (!is_known(opcode, suffixes->words[i], false)) {
            snprintf(why, size, "unknown modifier '.%s' of '%s'", suffixes->words[i], name);
            return true;
        }
    for (int i = 0; i < suffixes->type_count; i++)
        if (!is_known(opcode, ptx_type_name(suffixes->types[i]), true)) {
            snprintf(why, size, "'%s' does not take type .%s", name,
                     ptx_type_name(suffixes->types[i]));
            return true;
        }
    return false;
}

static void explain(enum opcode opcode, const struct isa_form *form, const struct trial *trial,
                    const struct isa_suffixes *suffixes, const char *text, char *why, size_t size)
{
    char words[160];
    switch (trial->misfit) {
    case MISFIT_TYPE_COUNT:
        snprintf(why, size, "'%s' names %d types, '%s' takes %d", text, suffixes->type_count,
                 isa_rows[opcode].text, trial->type_count);
        break;
    case MISFIT_TYPE:
    case MISFIT_WORD:
        snprintf(why, size, "'.%s' does not go with the rest of '%s'", trial->word, text);
        break;
    case MISFIT_PLACE:
        snprintf(why, size, "'.%s' of '%s' belongs right behind '%s'", trial->word, text,
                 isa_rows[opcode].text);
        break;
    case MISFIT_BOTH:
        snprintf(why, size, "'.%s' and '.%s' of '%s' exclude each other", trial->other, trial->word,
                 text);
        break;
    case MISFIT_MISSING:
        name_group(&trial->group, words, sizeof words);
        snprintf(why, size, "'%s' needs %s", text, words);
        break;
    default:
        if (form->own)
            snprintf(why, size, "'%s' needs .target sm_%da", text, form->since);
        else if (form->until < NEWEST)
            snprintf(why, size, "'%s' is gone since .target sm_%d", text, form->until + 1);
        else
            snprintf(why, size, "'%s' needs .target sm_%d", text, trial->since);
    }
}

const struct isa_form *isa_form_of(enum opcode opcode, const struct isa_suffixes *suffixes,
                                   struct isa_target target, int *since, const char *text,
                                   char *why, size_t size)
{
    const struct isa_form *nearest = NULL;
    struct trial best = {.misfit = MISFIT_TYPE_COUNT, .matched = -1};
    for (const struct isa_form *form = isa_rows[opcode].forms; form->operands; form++) {
        const struct trial trial = try_form(form, suffixes, target);
        if (trial.misfit == FITS) {
            *since = trial.since;
            return form;
        }
        if (!nearest || is_nearer(&trial, &best)) {
            nearest = form;
            best = trial;
        }
    }
    if (!explain_unknown(opcode, suffixes, why, size))
        explain(opcode, nearest, &best, suffixes, text, why, size);
    return NULL;
}

static enum ptx_type type_named(const char *name, size_t length)
{
    for (int type = PTX_PRED; type < PTX_TYPE_COUNT; type++) {
        const char *known = ptx_type_name((enum ptx_type)type);
        if (strlen(known) == length && memcmp(known, name, length) == 0)
            return (enum ptx_type)type;
    }
    return PTX_NONE;
}

/* What stands after ':'. */
static enum ptx_type type_of(const char *name, size_t length, const enum ptx_type *types, int count)
{
    const enum ptx_type own = count ? types[count - 1] : PTX_NONE;
    if (length == 1 && *name == '1')
        return types[0];
    if (length == 4 && memcmp(name, "wide", 4) == 0)
        return own == PTX_U16   ? PTX_U32
               : own == PTX_S16 ? PTX_S32
               : own == PTX_U32 ? PTX_U64
                                : PTX_S64;
    return type_named(name, length);
}

static struct isa_operand read_operand(const struct isa_group *group, const enum ptx_type *types,
                                       int count)
{
    struct isa_operand operand = {.letter = *group->words,
                                  .optional = group->optional,
                                  .type = count ? types[count - 1] : PTX_NONE};
    const char *end = group->words + group->length;
    if (operand.letter == 'p')
        operand.type = PTX_PRED;
    for (const char *at = group->words + 1; at < end; at++) {
        switch (*at) {
        case '|':
            operand.second = *++at;
            break;
        case '_':
            operand.discards = true;
            break;
        case '+':
            operand.widens = true;
            break;
        case '<':
            operand.below = number_at(at + 1);
            break;
        case '>':
            operand.least = number_at(at + 1) + 1;
            break;
        case '=':
            operand.equal = number_at(at + 1);
            break;
        case '*':
            operand.multiple = number_at(at + 1);
            break;
        case '~':
            operand.power = number_at(at + 1);
            break;
        case '.':
            operand.parts = number_at(at + 1);
            break;
        case '-':
            operand.negates = true;
            break;
        case '{':
            operand.braced = operand.letter != 'D';
            if (at + 1 < end && at[1] == '/')
                operand.share = number_at(++at + 1);
            else
                operand.elements = number_at(at + 1);
            break;
        case '^':
            operand.sign = true;
            break;
        case ':':
            operand.type = type_of(at + 1, (size_t)(end - at - 1), types, count);
            at = end - 1;
            break;
        default: /* a number's digits */
            break;
        }
    }
    return operand;
}

void isa_operands_of(const struct isa_form *form, const enum ptx_type *types, int type_count,
                     int columns, bool optional, struct isa_operands *operands)
{
    const char *rest = form->operands;
    struct isa_group group;
    operands->count = 0;
    while (isa_next_group(&rest, &group))
        if (optional || !group.optional) {
            struct isa_operand *operand = &operands->items[operands->count++];
            *operand = read_operand(&group, types, type_count);
            if (operand->share)
                operand->elements = columns / operand->share;
        }
}

/* SPDX-License-Identifier: MIT */
/* Which instructions are compiled. */
#include "compile.h"

#include <ctype.h>
#include <string.h>

enum { SHORTEST = 4, LONGEST = 160 };

extern const struct recipe *const __start_recipes[], *const __stop_recipes[];

static const struct recipe *find(recipe_key *executor)
{
    for (const struct recipe *const *r = __start_recipes; r < __stop_recipes; r++)
        if ((*r)->executor == executor)
            return *r;
    return NULL;
}

/* What scalar.h and progress.h define, and what the compiler does without a call. */
static bool is_known(const char *name, size_t length)
{
    static const char *const known[] = {
        "_Generic",  "sizeof",      "canonical_f32", "quiet_f64",   "fma",           "fmaf",
        "sqrt",      "sqrtf",       "fabs",          "fabsf",       "high_u64",      "high_s64",
        "no_nan",    "cut_s32",     "cut_u32",       "cut_s64",     "cut_u64",       "rintf",
        "rint",      "floor_f32",   "floor_f64",     "ceil_f32",    "ceil_f64",      "trunc_f32",
        "trunc_f64", "f32_of_f16",  "f16_of_f32",    "bf16_of_f32", "saturated_f32", "exp2_f32",
        "MASKED",    "smaller_f32", "smaller_f64",   "larger_f32",  "larger_f64"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i]) == length && !strncmp(known[i], name, length))
            return true;
    return false;
}

/* Does the text call nothing else, and use nothing of the emulator's? */
static bool is_self_contained(const char *text)
{
    for (const char *at = text; *at;) {
        const char *word = at;
        while (isalnum((unsigned char)*at) || *at == '_')
            at++;
        const size_t length = (size_t)(at - word);
        const char *next = at + strspn(at, " ");
        if (length && !isdigit((unsigned char)*word) && *next == '(' && !is_known(word, length))
            return false;
        if (!strncmp(next, "->", 2))
            return false;
        at += length == 0;
    }
    return true;
}

/* One instruction that no vector instruction does would make the whole run one lane after the
 * other: divisions of integers, upper halves of 64 bits. */
static bool is_vectorised(const struct recipe *recipe)
{
    const bool wide = !strcmp(recipe->sources[0].view, "lane_u64");
    return (!strpbrk(recipe->text, "/%") || !strcmp(recipe->d, "lane_f32")) &&
           !(wide && strstr(recipe->text, "high_"));
}

static bool fits(const struct slot *slot, const char *view)
{
    const size_t bytes = *view == '\0' ? 0 : strstr(view, "64") ? 8 : 4;
    return slot->present && slot->bytes == bytes && (bytes || slot->file == FILE_PREDICATES);
}

static bool operands_fit(const struct op *op, const struct recipe *recipe)
{
    const struct slot *sources[] = {&op->a, &op->b, &op->c};
    const enum operand_file file = *recipe->d ? FILE_REGISTERS : FILE_PREDICATES;
    for (int i = 0; i < 3 && recipe->sources[i].view; i++)
        if (!fits(sources[i], recipe->sources[i].view))
            return false;
    return fits(&op->d, recipe->d) && op->d.file == file && !op->d.negated;
}

const struct recipe *recipe_of(const struct op *op)
{
    if (!op->quiet || op->ftz || op->always || op->request)
        return NULL;
    const struct recipe *recipe = find((recipe_key *)op->handler);
    if (!recipe && op->instr && op->instr->opcode == OP_SETP && !op->d2.present && !op->c.present)
        recipe = find((recipe_key *)op->compare);
    return recipe && is_self_contained(recipe->text) && is_vectorised(recipe) &&
                   operands_fit(op, recipe)
               ? recipe
               : NULL;
}

enum run_part part_of(const struct op *op)
{
    if (op->stretch == 0 || !op->instr)
        return PART_NONE;
    if (recipe_of(op))
        return PART_ROW;
    if (op->instr->opcode == OP_BRA)
        return PART_BRANCH;
    return op->quiet || op->request || op->instr->opcode == OP_SHFL ? PART_STEP : PART_NONE;
}

/* May laps have it: an instruction for all lanes that nobody hears of, or a plain request? */
static bool fits_lap(const struct op *op)
{
    const bool reaches = op->space == PTX_GLOBAL || op->space == PTX_SHARED ||
                         op->space == PTX_CONST || op->space == PTX_GENERIC;
    if (op->request && op->guard < 0)
        return op->move && reaches && op->relative != RELATIVE_LOCAL;
    return op->quiet && op->guard < 0;
}

bool is_in_loop(const struct code *code, int pc)
{
    for (int at = pc; at < code->op_count; at++) {
        const struct ptx_instr *instr = code->ops[at].instr;
        if (instr->target_count || (instr->opcode == OP_BRA && instr->target <= pc))
            return true;
    }
    return false;
}

bool is_long(const struct code *code)
{
    enum { LONG_CODE = 1200 };
    return code->op_count >= LONG_CODE;
}

/* Of long code, as of unrolled products, compiling what is for parts takes as long as all else. */
bool is_for_parts(const struct code *code, int pc)
{
    return !is_long(code) && is_in_loop(code, pc);
}

int lap_length(const struct code *code, int pc)
{
    enum { LONGEST_LAP = 512 };
    for (int end = pc; code->ops[pc].heads && end < code->op_count && end < pc + LONGEST_LAP;
         end++) {
        const struct op *op = &code->ops[end];
        const enum run_part part = part_of(op);
        if (part == PART_NONE || (end > pc && op->heads))
            return 0;
        if (part != PART_BRANCH && !fits_lap(op))
            return 0;
        if (part == PART_BRANCH && op->instr->target <= end)
            return op->instr->target == pc ? end + 1 - pc : 0;
        if (part == PART_BRANCH && op->guard < 0)
            return 0;
    }
    return 0;
}

int once_length(const struct code *code, int pc, bool past)
{
    enum { FEWEST_REQUESTS = 3, MOST_REPORTS = 56 };
    int end = pc, requests = 0, reports = 0;
    for (; end < code->op_count && end < pc + LONGEST && reports < MOST_REPORTS; end++) {
        const struct op *op = &code->ops[end];
        const enum run_part part = part_of(op);
        const bool passes =
            past && part == PART_BRANCH && op->guard >= 0 && op->instr->target > end;
        if (part == PART_NONE || !(passes || (part != PART_BRANCH && fits_lap(op))) ||
            (end > pc && (past ? op->heads : op->instr->leads)))
            break;
        requests += op->request != 0;
        reports += passes ? 2 : op->request != 0;
    }
    return requests < FEWEST_REQUESTS || !is_in_loop(code, pc) || lap_length(code, pc) ? 0
                                                                                       : end - pc;
}

int run_length(const struct code *code, int pc)
{
    int length = once_length(code, pc, false), paying = 0;
    if (length)
        return length;
    enum run_part part = PART_ROW;
    while (part != PART_BRANCH && length < LONGEST && pc + length < code->op_count &&
           (length == 0 || !code->ops[pc + length].instr->leads)) {
        part = part_of(&code->ops[pc + length]);
        if (part == PART_NONE)
            break;
        paying += part != PART_STEP;
        length++;
    }
    return paying < SHORTEST && !lap_length(code, pc) ? 0 : length;
}

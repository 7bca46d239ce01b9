/* SPDX-License-Identifier: MIT */
/* Instructions as text again: what the parser has understood of them. */
#ifndef PRINT_PTX_H
#define PRINT_PTX_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "ptx/ptx.h"
#include "ptx/tables.h"

/* A text that is cut off at the end of its buffer. */
struct output {
    const struct ptx_module *module;
    const struct ptx_function *function;
    char *buffer;
    size_t size, used;
};

static void __attribute__((format(printf, 2, 3))) put(struct output *out, const char *format, ...)
{
    if (out->used >= out->size)
        return;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(out->buffer + out->used, out->size - out->used, format, arguments);
    va_end(arguments);
    if (length > 0)
        out->used += (size_t)length;
}

static void put_register(struct output *out, int number)
{
    put(out, "%s", number < 0 ? "_" : out->function->registers[number].name);
}

/* !%p1, -%r1 */
static void put_negation(struct output *out, const struct ptx_operand *operand)
{
    const bool predicate = out->function->registers[operand->number].type == PTX_PRED;
    put(out, "%s", !operand->negated ? "" : predicate ? "!" : "-");
}

static void put_offset(struct output *out, int64_t offset)
{
    if (offset != 0)
        put(out, "%+" PRId64, offset);
}

static void put_address(struct output *out, const struct ptx_operand *operand)
{
    if (operand->base == BASE_NONE) {
        put(out, "[%" PRId64 "]", operand->offset);
        return;
    }
    put(out, "[");
    if (operand->base == BASE_REGISTER)
        put_register(out, operand->number);
    else
        put(out, "%s", out->module->vars[operand->number].name);
    put_offset(out, operand->offset);
    put(out, "]");
}

static void put_operand(struct output *out, const struct ptx_operand *operand, enum ptx_type type);

static void put_elements(struct output *out, const struct ptx_operand *operand, enum ptx_type type)
{
    for (int i = 0; i < operand->count; i++) {
        put(out, "%s", i > 0 ? ", " : "");
        put_operand(out, &operand->elements[i], type);
    }
}

/* [%rd1, {%f1, %f2}] */
static void put_texel(struct output *out, const struct ptx_operand *operand, enum ptx_type type)
{
    put(out, "[");
    put_register(out, operand->number);
    put(out, ", {");
    put_elements(out, operand, type);
    put(out, "}]");
}

static void put_immediate(struct output *out, uint64_t bits, enum ptx_type type)
{
    if (type == PTX_F32)
        put(out, "0f%08" PRIX64, bits);
    else if (type == PTX_F64)
        put(out, "0d%016" PRIX64, bits);
    else
        put(out, "%" PRId64, (int64_t)bits);
}

/* `type` is the type of immediates. */
static void put_operand(struct output *out, const struct ptx_operand *operand, enum ptx_type type)
{
    switch (operand->kind) {
    case OPERAND_REGISTER:
        put_negation(out, operand);
        put_register(out, operand->number);
        put(out, "%s%s", *operand->part ? "." : "", operand->part);
        break;
    case OPERAND_PAIR:
        put_register(out, operand->number);
        put(out, "|");
        put_register(out, operand->second);
        break;
    case OPERAND_IMMEDIATE:
        put_immediate(out, operand->bits, type);
        break;
    case OPERAND_SPECIAL:
        put(out, "%s", special_names[operand->number]);
        break;
    case OPERAND_SYMBOL:
        put(out, "%s", out->module->vars[operand->number].name);
        put_offset(out, operand->offset);
        break;
    case OPERAND_ADDRESS:
        if (operand->count)
            put_texel(out, operand, type);
        else
            put_address(out, operand);
        break;
    case OPERAND_VECTOR:
    case OPERAND_LIST:
        put(out, operand->kind == OPERAND_LIST ? "(" : "{");
        put_elements(out, operand, type);
        put(out, operand->kind == OPERAND_LIST ? ")" : "}");
        break;
    case OPERAND_LABEL:
        put(out, "%s", operand->name);
        break;
    case OPERAND_FUNCTION:
        put(out, "%s", out->module->functions[operand->number].name);
        break;
    case OPERAND_SINK:
        put(out, "_");
        break;
    }
}

static bool is_empty_list(const struct ptx_operand *operand)
{
    return operand->kind == OPERAND_LIST && operand->count == 0;
}

/* Write `instr` as PTX, without a newline. Returns buffer. */
static char *ptx_print(const struct ptx_module *module, const struct ptx_function *function,
                       const struct ptx_instr *instr, char *buffer, size_t size)
{
    struct output out = {module, function, buffer, size, 0};
    if (size > 0)
        buffer[0] = '\0';
    if (instr->guard >= 0)
        put(&out, "@%s%s ", instr->guard_negated ? "!" : "",
            function->registers[instr->guard].name);
    put(&out, "%s", instr->text);
    const char *between = " ";
    for (int i = 0; i < instr->operand_count; i++) {
        const struct ptx_operand *operand = &instr->operands[i];
        if (is_empty_list(operand))
            continue;
        int elements = operand->kind == OPERAND_VECTOR ? operand->count : 1;
        put(&out, "%s", between);
        put_operand(&out, operand, element_type(instr, i, elements));
        between = ", ";
    }
    put(&out, ";");
    return buffer;
}

#endif

/* SPDX-License-Identifier: MIT */
#include "expect.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const stage_names[] = {"nothing", "parse", "load", "launch"};

/* Where we are in the text. */
struct reader {
    const char *at;
    int line;
    struct expectation *expectation;
    char *error; /* 256 bytes */
};

static bool fail(struct reader *reader, const char *format, ...)
{
    const int prefix = snprintf(reader->error, 256, "line %d: ", reader->line);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reader->error + prefix, 256 - (size_t)prefix, format, arguments);
    va_end(arguments);
    return false;
}

static void skip_blanks(struct reader *reader)
{
    reader->at += strspn(reader->at, " \t\r");
}

/* Take `text` if it comes next. */
static bool take(struct reader *reader, const char *text)
{
    skip_blanks(reader);
    if (strncmp(reader->at, text, strlen(text)) != 0)
        return false;
    reader->at += strlen(text);
    return true;
}

/* Take `word` if it comes next as a whole. */
static bool take_word(struct reader *reader, const char *word)
{
    skip_blanks(reader);
    if (isalnum((unsigned char)reader->at[strnlen(reader->at, strlen(word))]))
        return false;
    return take(reader, word);
}

static bool at_end_of_line(struct reader *reader)
{
    skip_blanks(reader);
    return *reader->at == '\n' || *reader->at == '\0';
}

static bool read_count(struct reader *reader, uint32_t *count)
{
    char *end;

    skip_blanks(reader);
    if (!isdigit((unsigned char)*reader->at))
        return fail(reader, "a number is missing");
    *count = (uint32_t)strtoul(reader->at, &end, 10);
    reader->at = end;
    return true;
}

static bool read_dim(struct reader *reader, struct dim *dim)
{
    *dim = (struct dim){1, 1, 1};
    if (!read_count(reader, &dim->x))
        return false;
    if (!take(reader, "x"))
        return true;
    if (!read_count(reader, &dim->y))
        return false;
    return !take(reader, "x") || read_count(reader, &dim->z);
}

static bool read_capability(struct reader *reader)
{
    uint32_t major = 0, minor = 0;

    if (!read_count(reader, &major))
        return false;
    if (!take(reader, "."))
        return fail(reader, "a compute capability looks like 7.5");
    if (!read_count(reader, &minor))
        return false;
    reader->expectation->capability = (int)(major * 10 + minor);
    reader->expectation->only = take_word(reader, "only");
    return true;
}

static bool read_type(struct reader *reader, enum ptx_type *type)
{
    size_t length;

    skip_blanks(reader);
    length = strcspn(reader->at, " :~+\n");
    for (*type = PTX_B8; *type <= PTX_BF16X2; (*type)++) {
        const char *name = ptx_type_name(*type);
        if (strlen(name) == length && strncmp(name, reader->at, length) == 0) {
            reader->at += length;
            return true;
        }
    }
    return fail(reader, "unknown type '%.*s'", (int)length, reader->at);
}

/* Exponent and fraction widths of the floating-point types. */
struct float_layout {
    int exponent, fraction;
};

static struct float_layout layout_of(enum ptx_type type)
{
    switch (type) {
    case PTX_F16:
        return (struct float_layout){5, 10};
    case PTX_BF16:
        return (struct float_layout){8, 7};
    case PTX_F32:
        return (struct float_layout){8, 23};
    default:
        return (struct float_layout){11, 52};
    }
}

double expect_real(enum ptx_type type, uint64_t bits)
{
    const struct float_layout layout = layout_of(type);
    const int top = (1 << layout.exponent) - 1, bias = top / 2;
    const int exponent = (int)(bits >> layout.fraction) & top;
    const uint64_t fraction = bits & ((UINT64_C(1) << layout.fraction) - 1);
    double magnitude;

    if (exponent == top)
        magnitude = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        magnitude = ldexp((double)fraction, 1 - bias - layout.fraction);
    else
        magnitude = ldexp((double)(fraction | UINT64_C(1) << layout.fraction),
                          exponent - bias - layout.fraction);
    return bits >> (layout.exponent + layout.fraction) & 1 ? -magnitude : magnitude;
}

/* Half precision holds few numbers: look for the one written. */
static bool encode_half(enum ptx_type type, double real, uint64_t *bits)
{
    for (*bits = 0; *bits < 0x10000; (*bits)++) {
        const double candidate = expect_real(type, *bits);
        if (candidate == real && !signbit(candidate) == !signbit(real))
            return true;
    }
    return false;
}

static bool encode(struct reader *reader, enum ptx_type type, const char *text, struct value *value)
{
    float single;

    value->real = strtod(text, NULL);
    if (isnan(value->real)) {
        value->kind = VALUE_NAN;
        value->bits = ~UINT64_C(0) >> 1 >> (64 - 8 * ptx_type_size(type));
        return true;
    }
    if (type == PTX_F64) {
        memcpy(&value->bits, &value->real, sizeof value->bits);
    } else if (type == PTX_F32) {
        single = strtof(text, NULL);
        memcpy(&value->bits, &single, sizeof single);
    } else if (!encode_half(type, value->real, &value->bits)) {
        return fail(reader, "%s cannot hold %s: give its bits", ptx_type_name(type), text);
    }
    return true;
}

bool expect_is_float(enum ptx_type type)
{
    return type == PTX_F16 || type == PTX_BF16 || type == PTX_F32 || type == PTX_F64;
}

/* Does `bits`, read as 64 bits, lie within the type: as unsigned, or sign-extended? */
static bool fits(enum ptx_type type, uint64_t bits, bool negative)
{
    const unsigned width = 8 * (unsigned)ptx_type_size(type);

    if (width == 64)
        return true;
    return negative ? (int64_t)bits >= -(INT64_C(1) << (width - 1)) : bits >> width == 0;
}

static bool read_value(struct reader *reader, enum ptx_type type, struct value *value)
{
    char word[64];
    const size_t length = strcspn(reader->at, ", \t\r\n");
    const char *dots = strstr(reader->at, "..");
    char *end;

    memset(value, 0, sizeof *value);
    snprintf(word, sizeof word, "%.*s", (int)length, reader->at);
    if (dots && dots < reader->at + length)
        word[dots - reader->at] = '\0';
    if (!*word || length >= sizeof word)
        return fail(reader, "a value is missing");
    reader->at += strlen(word);
    if (strcmp(word, "_") == 0) {
        value->kind = VALUE_ANYTHING;
        return true;
    }
    if (expect_is_float(type) && (strncmp(word, "0x", 2) != 0 || strchr(word, 'p'))) {
        strtod(word, &end);
        return *end ? fail(reader, "'%s' is no number", word) : encode(reader, type, word, value);
    }
    errno = 0;
    value->bits = *word == '-' ? (uint64_t)strtoll(word, &end, 0) : strtoull(word, &end, 0);
    if (*end || errno || !fits(type, value->bits, *word == '-'))
        return fail(reader, "'%s' is no %s", word, ptx_type_name(type));
    if (expect_is_float(type))
        value->real = expect_real(type, value->bits);
    return true;
}

static void append(struct array *array, struct value value)
{
    /* Powers of two: grow where the count reaches one. */
    if ((array->count & (array->count - 1)) == 0) {
        const size_t capacity = array->count ? 2 * array->count : 1;
        array->values = realloc(array->values, capacity * sizeof *array->values);
        if (!array->values)
            abort();
    }
    array->values[array->count++] = value;
}

/* One item of a list: a value, `value xN`, or `first..last`. */
static bool read_item(struct reader *reader, struct array *array)
{
    struct value value, last;
    uint32_t times = 1;

    if (!read_value(reader, array->type, &value))
        return false;
    if (take(reader, "..")) {
        if (!read_value(reader, array->type, &last))
            return false;
        if (expect_is_float(array->type) || last.bits < value.bits ||
            last.bits - value.bits > 65536)
            return fail(reader, "a range counts integers up, at most 65536 of them");
        for (; value.bits <= last.bits; value.bits++)
            append(array, value);
        return true;
    }
    if (take(reader, "x") && !read_count(reader, &times))
        return false;
    while (times--)
        append(array, value);
    return true;
}

/* Behind a comma at the end of a line the list goes on in the next, which is a comment too. */
static bool next_line(struct reader *reader)
{
    if (!at_end_of_line(reader))
        return true;
    if (*reader->at == '\n')
        reader->at++;
    reader->line++;
    return take(reader, "//") || fail(reader, "a list ends in a comma");
}

static bool read_list(struct reader *reader, struct array *array)
{
    do {
        if (!next_line(reader))
            return false;
        skip_blanks(reader);
        if (!read_item(reader, array))
            return false;
    } while (take(reader, ","));
    return true;
}

static bool read_closeness(struct reader *reader, struct array *array)
{
    char *end;

    if (take(reader, "~"))
        array->closeness = CLOSE_RELATIVE;
    else if (take(reader, "+-"))
        array->closeness = CLOSE_ABSOLUTE;
    else
        return true;
    array->tolerance = strtod(reader->at, &end);
    if (end == reader->at || !expect_is_float(array->type) || array->role != ROLE_OUT)
        return fail(reader, "a tolerance is a number, and for an out of floats");
    reader->at = end;
    if (array->closeness == CLOSE_RELATIVE && take(reader, "ulp"))
        array->closeness = CLOSE_ULPS;
    return true;
}

static bool read_array(struct reader *reader, enum array_role role)
{
    struct expectation *expectation = reader->expectation;
    struct array *array;

    expectation->arrays =
        realloc(expectation->arrays, (expectation->array_count + 1) * sizeof *expectation->arrays);
    if (!expectation->arrays)
        abort();
    array = &expectation->arrays[expectation->array_count++];
    *array = (struct array){.role = role, .line = reader->line};
    if (role == ROLE_IMAGE && !read_count(reader, &array->width))
        return false;
    if (!read_type(reader, &array->type) || !read_closeness(reader, array))
        return false;
    if (!take(reader, ":"))
        return fail(reader, "':' and values are missing");
    if (!read_list(reader, array))
        return false;
    if (array->width && array->count % array->width)
        return fail(reader, "the last row of the image is not full");
    if ((role == ROLE_TEXTURE || role == ROLE_IMAGE || role == ROLE_SURFACE) &&
        array->type != PTX_U32 && array->type != PTX_S32 && array->type != PTX_F32)
        return fail(reader, "textures and surfaces are of u32, s32 or f32");
    if (role == ROLE_OUT) {
        const size_t size = ptx_type_size(array->type);
        array->offset = (expectation->out_bytes + size - 1) / size * size;
        expectation->out_bytes = array->offset + array->count * size;
    }
    return true;
}

static bool read_error(struct reader *reader)
{
    struct expectation *expectation = reader->expectation;
    const char *end;

    for (int stage = STAGE_PARSE; stage <= STAGE_LAUNCH; stage++)
        if (take_word(reader, stage_names[stage]))
            expectation->error = (enum stage)stage;
    if (!expectation->error || !take(reader, "\""))
        return fail(reader, "error takes parse, load or launch, and a \"regex\"");
    end = reader->at + strcspn(reader->at, "\"\n");
    if (*end != '"' || end == reader->at ||
        (size_t)(end - reader->at) >= sizeof expectation->pattern)
        return fail(reader, "the regular expression is empty, too long, or lacks its quote");
    memcpy(expectation->pattern, reader->at, (size_t)(end - reader->at));
    reader->at = end + 1;
    return true;
}

/* One clause of a comment; others are prose. */
static bool read_clause(struct reader *reader, bool *prose)
{
    struct expectation *expectation = reader->expectation;
    uint32_t bytes = 0;

    if (take_word(reader, "grid"))
        return read_dim(reader, &expectation->grid);
    if (take_word(reader, "block"))
        return read_dim(reader, &expectation->block);
    if (take_word(reader, "gpu"))
        return read_capability(reader);
    if (take_word(reader, "in"))
        return read_array(reader, ROLE_IN);
    if (take_word(reader, "texture"))
        return read_array(reader, ROLE_TEXTURE);
    if (take_word(reader, "image"))
        return read_array(reader, ROLE_IMAGE);
    if (take_word(reader, "surface"))
        return read_array(reader, ROLE_SURFACE);
    if (take_word(reader, "value"))
        return read_array(reader, ROLE_VALUE);
    if (take_word(reader, "out"))
        return read_array(reader, ROLE_OUT);
    if (take_word(reader, "error"))
        return read_error(reader);
    if (take_word(reader, "shared")) {
        if (!read_count(reader, &bytes))
            return false;
        expectation->shared = bytes;
        return true;
    }
    *prose = true;
    return true;
}

/* Prose starts with a capital letter, so that a misspelt clause is not taken for it. */
static bool read_comment(struct reader *reader)
{
    bool prose = false;

    skip_blanks(reader);
    if (isupper((unsigned char)*reader->at) || at_end_of_line(reader))
        return true;
    while (!at_end_of_line(reader)) {
        if (!read_clause(reader, &prose))
            return false;
        if (prose)
            return fail(reader, "neither a clause nor a capital letter: '%.*s'",
                        (int)strcspn(reader->at, "\n"), reader->at);
    }
    return true;
}

bool expect_read(const char *text, struct expectation *expectation, char *error)
{
    struct reader reader = {text, 1, expectation, error};
    const char *target = strstr(text, ".target sm_");

    memset(expectation, 0, sizeof *expectation);
    expectation->grid = (struct dim){1, 1, 1};
    expectation->block = (struct dim){WARP_SIZE, 1, 1};
    if (target)
        expectation->capability = atoi(target + strlen(".target sm_"));
    while (*reader.at) {
        if (take(&reader, "//") && !read_comment(&reader))
            return false;
        reader.at += strcspn(reader.at, "\n");
        if (*reader.at) {
            reader.at++;
            reader.line++;
        }
    }
    if (!expectation->error && !expectation->out_bytes)
        return fail(&reader, "the file expects nothing: neither an out nor an error");
    return true;
}

void expect_free(struct expectation *expectation)
{
    for (size_t i = 0; i < expectation->array_count; i++)
        free(expectation->arrays[i].values);
    free(expectation->arrays);
}

void expect_store(const struct array *array, void *memory)
{
    const size_t size = ptx_type_size(array->type);

    for (size_t i = 0; i < array->count; i++)
        memcpy((uint8_t *)memory + i * size, &array->values[i].bits, size);
}

/* The distance of neighbouring numbers of the type about `real`. */
static double ulp(enum ptx_type type, double real)
{
    const struct float_layout layout = layout_of(type);
    const int lowest = 2 - (1 << (layout.exponent - 1));
    int exponent;

    frexp(real, &exponent);
    if (real == 0 || exponent - 1 < lowest)
        exponent = lowest + 1;
    return ldexp(1, exponent - 1 - layout.fraction);
}

/* Zeros, infinities and NaN have no neighbourhood: they are what they are. */
static bool is_close(const struct array *array, const struct value *value, double got)
{
    double limit = array->tolerance;

    if (array->closeness == CLOSE_ULPS)
        limit *= ulp(array->type, value->real);
    else if (array->closeness == CLOSE_RELATIVE)
        limit *= fabs(value->real);
    return isfinite(value->real) && isfinite(got) && fabs(got - value->real) <= limit;
}

bool expect_matches(const struct array *array, size_t i, const void *memory)
{
    const struct value *value = &array->values[i];
    const size_t size = ptx_type_size(array->type);
    const uint64_t mask = ~UINT64_C(0) >> (64 - 8 * size);
    uint64_t got = 0;

    memcpy(&got, (const uint8_t *)memory + i * size, size);
    if (value->kind == VALUE_ANYTHING)
        return true;
    if (value->kind == VALUE_NAN)
        return isnan(expect_real(array->type, got));
    if (got == (value->bits & mask))
        return true;
    return array->closeness != CLOSE_BITS && is_close(array, value, expect_real(array->type, got));
}

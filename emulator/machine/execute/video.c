/* SPDX-License-Identifier: MIT */
/* Video instructions, which work on bytes and halves of registers, on one alone or on several at
 * once.
 *
 * Since Kepler no GPU has all of them, and ptxas replaces them by other instructions. When a
 * result is too large these do not always do what the manual says. The emulator does what they
 * do. */
#include "machine/execute/lanes.h"

/* What .sat does to a result. */
enum video_saturation {
    SATURATE_NOT,
    SATURATE, /* takes the nearest value that the type has */
    SATURATE_BELOW, /* raises it to 0; the manual says that it has an upper limit, too */
    SATURATE_ABOVE, /* takes the greatest for what is too great or below 0; the manual: 0 */
};

static int64_t average(int64_t sum)
{
    return (sum + (sum >= 0)) >> 1;
}

static int64_t distance(int64_t x, int64_t y)
{
    return x < y ? y - x : x - y;
}

/* Of the result of a shift, 34 bits are kept if it is saturated afterwards. */
static int64_t shifted_left(const struct op *op, int64_t x, unsigned count)
{
    const uint64_t shifted = (uint64_t)x << count;
    return op->video.saturation ? (int64_t)(shifted << 30) >> 30 : (int64_t)shifted;
}

static unsigned shift_count(const struct ptx_instr *instr, int64_t y)
{
    return ptx_has(instr, MOD_WRAP) ? (unsigned)y & 31 : y < 32 ? (unsigned)y : 32;
}

static bool compares(const struct ptx_instr *instr, int64_t x, int64_t y)
{
    return (ptx_has(instr, MOD_EQ) && x == y) || (ptx_has(instr, MOD_NE) && x != y) ||
           (ptx_has(instr, MOD_LT) && x < y) || (ptx_has(instr, MOD_LE) && x <= y) ||
           (ptx_has(instr, MOD_GT) && x > y) || (ptx_has(instr, MOD_GE) && x >= y);
}

/* The factors and the third source are read as signed numbers. If the result is unsigned and
 * scaled, the sum is shifted as an unsigned number. */
static int64_t product(const struct op *op, int64_t x, int64_t y, uint32_t third)
{
    const struct ptx_instr *instr = op->instr;
    const bool minus = instr->operands[1].negated != instr->operands[2].negated;
    const int64_t xy = (int64_t)(int32_t)x * (int32_t)y, c = (int32_t)third;
    const int64_t sum = minus                        ? c - xy
                        : instr->operands[3].negated ? xy - c
                                                     : xy + c + ptx_has(instr, MOD_PO);
    const int scale = ptx_has(instr, MOD_SHR7) ? 7 : ptx_has(instr, MOD_SHR15) ? 15 : 0;
    return op->video.is_signed || !scale ? sum >> scale : (int64_t)((uint64_t)sum >> scale);
}

static int64_t result_of(const struct op *op, int64_t x, int64_t y, uint32_t c)
{
    switch (op->instr->opcode) {
    case OP_VADD:
    case OP_VADD2:
    case OP_VADD4:
        return x + y;
    case OP_VSUB:
    case OP_VSUB2:
    case OP_VSUB4:
        return x - y;
    case OP_VAVRG2:
    case OP_VAVRG4:
        return average(x + y);
    case OP_VABSDIFF:
    case OP_VABSDIFF2:
    case OP_VABSDIFF4:
        return distance(x, y);
    case OP_VMIN:
    case OP_VMIN2:
    case OP_VMIN4:
        return x < y ? x : y;
    case OP_VMAX:
    case OP_VMAX2:
    case OP_VMAX4:
        return x > y ? x : y;
    case OP_VSHL:
        return shifted_left(op, x, shift_count(op->instr, y));
    case OP_VSHR:
        return x >> shift_count(op->instr, y);
    case OP_VMAD:
        return product(op, x, y, c);
    default:
        return compares(op->instr, x, y);
    }
}

static int64_t saturated(const struct video *video, int64_t result)
{
    const int64_t highest = (INT64_C(1) << (video->limit - video->is_signed)) - 1;
    const int64_t lowest = video->is_signed ? -highest - 1 : 0;
    const bool above = result > highest, below = result < lowest;
    switch (video->saturation) {
    case SATURATE:
        return above ? highest : below ? lowest : result;
    case SATURATE_BELOW:
        return below ? 0 : result;
    case SATURATE_ABOVE:
        return above || result < 0 ? highest : result;
    default:
        return result;
    }
}

/* .min and .max compare the result and the third source, both signed or both unsigned. */
static uint32_t joined(const struct op *op, int64_t result, uint32_t third)
{
    const int64_t x = op->video.narrow ? (int32_t)result : result;
    const int64_t c = op->video.is_signed ? (int32_t)third : (int64_t)third;
    const bool less = op->video.is_signed ? x < c : (uint64_t)x < (uint64_t)c;
    return (uint32_t)(less == ptx_has(op->instr, MOD_MIN) ? x : c);
}

static inline int64_t part_of(const struct video_source *source, int k, uint64_t both)
{
    return lane_part(both, source->index[k], source->bits, source->is_signed);
}

static uint32_t video_of(const struct op *op, uint32_t a, uint32_t b, uint32_t c)
{
    const struct video *video = &op->video;
    const uint64_t both = a | (uint64_t)b << 32;
    uint32_t sum = c, parts = 0;
    for (int k = 0; k < video->count; k++) {
        const int64_t x = part_of(&video->a, k, both), y = part_of(&video->b, k, both);
        const int64_t result = saturated(video, result_of(op, x, y, c));
        if (video->joins)
            return joined(op, result, c);
        sum += video->into[k] ? (uint32_t)result : 0;
        parts |= (uint32_t)result << (video->shift + k * (32 / video->count)) & video->into[k];
    }
    return video->sums ? sum : (c & ~video->written) | parts;
}

EXECUTOR(video_lanes)
{
    lane_u32 *d = slot_lanes(warp, op->d);
    const lane_u32 *a = slot_lanes(warp, op->a), *b = slot_lanes(warp, op->b);
    const lane_u32 *c = slot_lanes(warp, op->c);
    FOR_LANES(lanes, d[i] = video_of(op, a[i], b[i], c[i]));
}

static uint8_t part_bits(const struct ptx_operand *operand, int count)
{
    return (uint8_t)(*operand->part == 'b' ? 8 : *operand->part == 'h' ? 16 : 32 / count);
}

/* A selector of several parts counts through the parts of both sources, that of one part only
 * through those of its own source. */
static struct video_source source_of(const struct ptx_operand *operand, int count, bool second,
                                     enum ptx_type type)
{
    struct video_source source = {.bits = part_bits(operand, count),
                                  .is_signed = ptx_type_is_signed(type)};
    const bool named = *operand->part, among_both = named && count > 1;
    for (int k = 0; k < count && k < VIDEO_RESULTS; k++) {
        const int digit = named ? operand->part[count - k] - '0' : k;
        source.index[k] = (uint8_t)(digit + (second && !among_both ? 32 / source.bits : 0));
    }
    return source;
}

/* A single result for the upper half is not shifted to there on GPUs, though the manual says so. */
static void bind_destinations(struct video *video, const struct ptx_operand *d)
{
    const uint8_t bits = part_bits(d, video->count);
    const uint32_t field = (uint32_t)((UINT64_C(1) << bits) - 1);
    for (int k = 0; k < video->count && k < VIDEO_RESULTS; k++) {
        const char digit = (char)('0' + k);
        const bool one = video->count == 1;
        const int at = !one ? k * bits : *d->part ? (d->part[1] - '0') * bits : 0;
        video->into[k] = one || !*d->part || strchr(d->part, digit) ? field << at : 0;
        video->written |= video->into[k];
        video->shift = one && bits == 8 ? (uint8_t)at : 0;
    }
    video->limit = bits;
}

static enum video_saturation saturation_of(const struct ptx_instr *instr, const struct video *video)
{
    if (!ptx_has(instr, MOD_SAT))
        return SATURATE_NOT;
    if (video->count > 1 || instr->opcode == OP_VMAD || instr->opcode == OP_VSHL)
        return SATURATE;
    if (*instr->operands[0].part && instr->opcode != OP_VSHR)
        return SATURATE_ABOVE;
    return video->is_signed ? SATURATE : SATURATE_BELOW;
}

static int results_of(const struct ptx_instr *instr)
{
    const char *name = isa_rows[instr->opcode].text;
    const char last = name[strlen(name) - 1];
    return last == '2' ? 2 : last == '4' ? 4 : 1;
}

static void bind_product(struct binder *binder)
{
    const struct ptx_operand *sources = binder->instr->operands + 1;
    const bool minus = sources[0].negated != sources[1].negated;
    struct video *video = &binder->op->video;
    video->is_signed = video->a.is_signed || video->b.is_signed || minus || sources[2].negated;
    if (minus + sources[2].negated + ptx_has(binder->instr, MOD_PO) > 1)
        bind_refuse(binder, "one of '.po', a product's '-' and the third source's '-' at most");
}

void bind_video(struct binder *binder)
{
    const struct ptx_instr *instr = binder->instr;
    const struct ptx_operand *operands = instr->operands;
    const enum ptx_type *sources = instr->types + instr->type_count - 2;
    const bool is_shift = instr->opcode == OP_VSHL || instr->opcode == OP_VSHR;
    struct op *op = binder->op;
    struct video *video = &op->video;

    video->count = (uint8_t)results_of(instr);
    video->a = source_of(&operands[1], video->count, false, sources[0]);
    video->b = source_of(&operands[2], video->count, true, sources[1]);
    video->is_signed = ptx_type_is_signed(instr->types[0]);
    video->sums = ptx_has(instr, MOD_ADD);
    video->joins = ptx_has(instr, MOD_MIN) || ptx_has(instr, MOD_MAX);
    bind_destinations(video, &operands[0]);
    if (instr->opcode == OP_VMAD)
        bind_product(binder);
    video->saturation = (uint8_t)saturation_of(instr, video);
    if (is_shift)
        video->limit = 32;
    video->narrow = instr->opcode == OP_VADD || instr->opcode == OP_VSUB ||
                    (is_shift && video->saturation != SATURATE_NOT);
    bind_operands(binder);
    if (*operands[0].part && instr->operand_count < 4)
        bind_refuse(binder, "a part of the destination needs a third source for the others");
    if (!op->c.present)
        op->c = op->b; /* the function reads it and does not use it */
    op->handler = video_lanes;
}

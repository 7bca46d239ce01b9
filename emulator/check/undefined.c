/* SPDX-License-Identifier: MIT */
#include "check/undefined.h"

#include <stdlib.h>

#include "machine/fragment.h"
#include "machine/hash_table.h"
#include "machine/observer_memory.h"
#include "ptx/tables.h"

/* The registers of a frame of a warp; a lane's bytes are there once some were undefined. */
struct frame_registers {
    const void *frame;
    struct undefined_lanes **registers;
    int count;
};

struct undefined {
    undefined_use *use;
    void *self;
    struct hash_table frames; /* struct frame_registers */
};

enum { ALL_BYTES = 0xFF };

struct undefined *undefined_new(undefined_use *use, void *self)
{
    struct undefined *undefined = observer_allocate(1, sizeof(*undefined));

    undefined->use = use;
    undefined->self = self;
    return undefined;
}

void undefined_reset(struct undefined *undefined)
{
    for (size_t i = 0; i < undefined->frames.room; i++) {
        struct frame_registers *frame = hash_table_at(&undefined->frames, sizeof(*frame), i);
        for (int k = 0; k < frame->count; k++)
            free(frame->registers[k]);
        free(frame->registers);
    }
    hash_table_free(&undefined->frames);
}

void undefined_free(struct undefined *undefined)
{
    if (!undefined)
        return;
    undefined_reset(undefined);
    free(undefined);
}

bool undefined_any(const struct undefined *undefined)
{
    return undefined->frames.room > 0;
}

/* Frames and their registers. */

/* The registers of the warp's current frame. Another function may have had its place before. */
static struct frame_registers *frame_of(struct undefined *undefined, const struct warp *warp)
{
    const void *frame = warp_frame(warp);
    const int count = warp_function(warp)->register_count;
    struct frame_registers *found =
        hash_table_make(&undefined->frames, sizeof(*found), (uintptr_t)frame);

    if (found->registers && found->count == count)
        return found;
    for (int i = 0; i < found->count; i++)
        free(found->registers[i]);
    free(found->registers);
    *found = (struct frame_registers){
        frame, observer_allocate((size_t)count + 1, sizeof(*found->registers)), count};
    return found;
}

static const struct undefined_lanes *held(const struct frame_registers *frame, int number)
{
    const struct undefined_lanes *lanes = frame->registers[number];

    return lanes && lanes->any ? lanes : NULL;
}

static void set(struct frame_registers *frame, int number, int lane, uint8_t bytes, bool result,
                const struct origin *origin)
{
    struct undefined_lanes *lanes = frame->registers[number];
    const uint32_t bit = 1u << lane;

    if (!lanes)
        lanes = frame->registers[number] = observer_allocate(1, sizeof(*lanes));
    lanes->any |= bit;
    lanes->results = result ? lanes->results | bit : lanes->results & ~bit;
    lanes->bytes[lane] = bytes;
    lanes->origins[lane] = *origin;
}

static void clear(struct frame_registers *frame, int number, uint32_t lanes)
{
    if (number >= 0 && frame->registers[number])
        frame->registers[number]->any &= ~lanes;
}

static void clear_operand(struct frame_registers *frame, const struct ptx_operand *operand,
                          uint32_t lanes)
{
    if (operand->kind == OPERAND_REGISTER || operand->kind == OPERAND_PAIR)
        clear(frame, operand->number, lanes);
    if (operand->kind == OPERAND_PAIR)
        clear(frame, operand->second, lanes);
    for (int i = 0; operand->kind == OPERAND_VECTOR && i < operand->count; i++)
        clear_operand(frame, &operand->elements[i], lanes);
}

/* The undefined bytes of an operand, of one lane. */
static uint8_t bytes_of(const struct frame_registers *frame, const struct ptx_operand *operand,
                        int lane)
{
    const struct undefined_lanes *lanes =
        operand->kind == OPERAND_REGISTER ? held(frame, operand->number) : NULL;

    return lanes && lanes->any >> lane & 1 ? lanes->bytes[lane] : 0;
}

static bool is_result(const struct frame_registers *frame, const struct ptx_operand *operand,
                      int lane)
{
    return bytes_of(frame, operand, lane) && frame->registers[operand->number]->results >> lane & 1;
}

static const struct origin *origin_of(const struct frame_registers *frame,
                                      const struct ptx_operand *operand, int lane)
{
    return &frame->registers[operand->number]->origins[lane];
}

/* The lanes that have any undefined byte in a source. */
static uint32_t undefined_sources(const struct frame_registers *frame,
                                  const struct ptx_operand *operand)
{
    const struct undefined_lanes *lanes;
    uint32_t any = 0;

    switch (operand->kind) {
    case OPERAND_REGISTER:
        lanes = held(frame, operand->number);
        return lanes ? lanes->any : 0;
    case OPERAND_VECTOR:
        for (int i = 0; i < operand->count; i++)
            any |= undefined_sources(frame, &operand->elements[i]);
        return any;
    default:
        return 0;
    }
}

/* Uses. */

static void use(struct undefined *undefined, struct frame_registers *frame,
                const struct instruction_event *event, int number, uint32_t lanes, const char *act)
{
    const struct undefined_lanes *found = number >= 0 ? held(frame, number) : NULL;

    EACH_LANE(lane, found ? found->any & lanes : 0)
        undefined->use(undefined->self, event->warp, event->instr, (int)lane, act,
                       &found->origins[lane]);
    clear(frame, number, lanes); /* report each once */
}

/* Copies: what each does to the bytes. */

/* The first of `operands` of which a lane has anything undefined, or what of it that is. */
static const struct ptx_operand *first_undefined(const struct frame_registers *frame,
                                                 const struct ptx_operand *operands, int count,
                                                 int lane)
{
    const struct ptx_operand *found = NULL;

    for (int i = 0; i < count && !found; i++)
        found = operands[i].kind == OPERAND_VECTOR
                    ? first_undefined(frame, operands[i].elements, operands[i].count, lane)
                : bytes_of(frame, &operands[i], lane) ? &operands[i]
                                                      : NULL;
    return found;
}

static const struct ptx_operand *undefined_source(const struct frame_registers *frame,
                                                  const struct ptx_instr *instr, int lane)
{
    return first_undefined(frame, &instr->operands[1], instr->operand_count - 1, lane);
}

static uint8_t low_bytes(enum ptx_type type)
{
    const size_t size = ptx_type_size(type);

    return (uint8_t)(size >= 8 ? ALL_BYTES : (1u << size) - 1);
}

/* Bytes of `bits` that are `value` throughout. */
static uint8_t bytes_that_are(uint64_t bits, uint8_t value)
{
    uint8_t bytes = 0;

    for (int i = 0; i < 8; i++)
        bytes |= (uint8_t)(((uint8_t)(bits >> 8 * i) == value) << i);
    return bytes;
}

/* and, or: bytes that the other source decides are defined. */
static uint8_t masked(const struct ptx_instr *instr, const struct ptx_operand *other, uint8_t bytes)
{
    const uint8_t decides = instr->opcode == OP_AND ? 0 : 0xFF;

    return other->kind == OPERAND_IMMEDIATE ? bytes & (uint8_t)~bytes_that_are(other->bits, decides)
                                            : bytes;
}

/* A predicate's value decides the other's: false and ..., true or .... */
static bool decided(const struct frame_registers *frame, const struct instruction_event *event,
                    int lane)
{
    for (int i = 1; i <= 2; i++) {
        const struct ptx_operand *operand = &event->instr->operands[i];
        if (operand->kind != OPERAND_REGISTER || bytes_of(frame, operand, lane))
            continue;
        const bool value =
            (warp_register(event->warp, operand->number, lane) != 0) != operand->negated;
        if (value == (event->instr->opcode == OP_OR))
            return true;
    }
    return false;
}

/* A shift by whole bytes moves them; else what is undefined spreads to all. */
static uint8_t shifted(const struct ptx_instr *instr, uint8_t bytes, bool *result)
{
    const struct ptx_operand *by = &instr->operands[2];

    if (by->kind != OPERAND_IMMEDIATE || by->bits % 8) {
        *result = true;
        return ALL_BYTES;
    }
    const unsigned count = by->bits >= 64 ? 8 : (unsigned)by->bits / 8;
    const enum ptx_type type = ptx_type_of(instr);
    if (instr->opcode == OP_SHL)
        return (uint8_t)(bytes << count) & low_bytes(type);
    const uint8_t top = (uint8_t)(low_bytes(type) ^ low_bytes(type) >> 1);
    const uint8_t sign =
        ptx_type_is_signed(type) && bytes & top ? (uint8_t) ~(low_bytes(type) >> count) : 0;
    return (uint8_t)(bytes >> count | sign) & low_bytes(type);
}

/* Integers that get wider or narrower. */
static uint8_t converted(const struct ptx_instr *instr, uint8_t bytes, bool *result)
{
    const enum ptx_type to = instr->types[0], from = instr->types[instr->type_count - 1];
    const uint8_t low = low_bytes(from);

    if (ptx_type_is_float(to) || ptx_type_is_float(from) || ptx_has(instr, MOD_SAT)) {
        *result = true;
        return ALL_BYTES;
    }
    bytes &= low;
    if (ptx_type_is_signed(from) && bytes & (low ^ low >> 1))
        bytes |= (uint8_t)~low;
    return bytes & low_bytes(to);
}

/* prmt with a constant selector: byte by byte. */
static uint8_t permuted(const struct frame_registers *frame, const struct ptx_instr *instr,
                        int lane, bool *result)
{
    const struct ptx_operand *selector = &instr->operands[3];
    const unsigned both = (bytes_of(frame, &instr->operands[1], lane) & 0xF) |
                          (unsigned)(bytes_of(frame, &instr->operands[2], lane) & 0xF) << 4;
    uint8_t bytes = 0;

    if (selector->kind != OPERAND_IMMEDIATE) {
        *result = true;
        return 0xF;
    }
    for (int i = 0; i < 4; i++)
        bytes |= (uint8_t)((both >> (selector->bits >> 4 * i & 7) & 1) << i);
    return bytes;
}

static bool is_predicate(const struct ptx_instr *instr)
{
    return ptx_type_of(instr) == PTX_PRED;
}

/* The bytes of the result that are undefined, of an instruction some of whose sources are. */
static uint8_t outcome(const struct frame_registers *frame, const struct instruction_event *event,
                       int lane, bool *result)
{
    const struct ptx_instr *instr = event->instr;
    const struct ptx_operand *a = &instr->operands[1], *b = &instr->operands[2];
    const uint8_t x = bytes_of(frame, a, lane);
    const uint8_t y = instr->operand_count > 2 ? bytes_of(frame, b, lane) : 0;

    switch (instr->opcode) {
    case OP_MOV:
        return x;
    case OP_CVT:
        return converted(instr, x, result);
    case OP_AND:
    case OP_OR:
        if (is_predicate(instr))
            return !decided(frame, event, lane);
        return masked(instr, b, x) | masked(instr, a, y);
    case OP_SHL:
    case OP_SHR:
        return shifted(instr, x, result);
    case OP_PRMT:
        return permuted(frame, instr, lane, result);
    default:
        break;
    }
    *result = true;
    return ALL_BYTES;
}

static void set_operand(struct frame_registers *frame, const struct ptx_operand *operand, int lane,
                        const struct undefined_lanes *out)
{
    const bool result = out->results >> lane & 1;

    if (operand->kind == OPERAND_REGISTER || operand->kind == OPERAND_PAIR)
        set(frame, operand->number, lane, out->bytes[lane], result, &out->origins[lane]);
    if (operand->kind == OPERAND_PAIR && operand->second >= 0)
        set(frame, operand->second, lane, out->bytes[lane], result, &out->origins[lane]);
    for (int i = 0; operand->kind == OPERAND_VECTOR && i < operand->count; i++)
        set_operand(frame, &operand->elements[i], lane, out);
}

/* The instruction's result has the undefined bytes of `out`. */
static void give(struct frame_registers *frame, const struct instruction_event *event,
                 const struct undefined_lanes *out)
{
    const struct ptx_operand *d = &event->instr->operands[0];

    clear_operand(frame, d, event->executing);
    EACH_LANE(i, out->any)
        set_operand(frame, d, i, out);
}

/* A lane's undefined bytes come from the lane `of` of `from`. */
static void note(struct undefined_lanes *out, int lane, uint8_t bytes, bool result,
                 const struct frame_registers *frame, const struct ptx_operand *from, int of)
{
    if (!bytes)
        return;
    out->any |= 1u << lane;
    out->results |= (uint32_t)result << lane;
    out->bytes[lane] = bytes;
    out->origins[lane] = *origin_of(frame, from, of);
}

static void propagate(struct frame_registers *frame, const struct instruction_event *event,
                      uint32_t lanes)
{
    struct undefined_lanes out = {0};

    EACH_LANE(lane, lanes) {
        const struct ptx_operand *from = undefined_source(frame, event->instr, lane);
        bool result = from && is_result(frame, from, lane);
        const uint8_t bytes = from ? outcome(frame, event, lane, &result) : 0;
        note(&out, lane, bytes, result, frame, from, lane);
    }
    give(frame, event, &out);
}

/* selp takes one of its sources, or, where the predicate is undefined, nobody knows which. */
static void propagate_selection(struct frame_registers *frame,
                                const struct instruction_event *event)
{
    const struct ptx_instr *instr = event->instr;
    const struct ptx_operand *p = &instr->operands[3];
    struct undefined_lanes out = {0};

    EACH_LANE(lane, event->executing) {
        const bool unknown = bytes_of(frame, p, lane);
        const bool yes = p->kind == OPERAND_REGISTER &&
                         (warp_register(event->warp, p->number, lane) != 0) != p->negated;
        const struct ptx_operand *from = unknown ? p : &instr->operands[yes ? 1 : 2];
        note(&out, lane, unknown ? ALL_BYTES : bytes_of(frame, from, lane),
             unknown || is_result(frame, from, lane), frame, from, lane);
    }
    give(frame, event, &out);
}

/* A vector into a register, or a register into a vector, part by part. */
static void propagate_parts(struct frame_registers *frame, const struct instruction_event *event)
{
    const struct ptx_operand *d = &event->instr->operands[0], *a = &event->instr->operands[1];
    const bool packs = a->kind == OPERAND_VECTOR;
    const struct ptx_operand *vector = packs ? a : d;
    const int part = (int)ptx_type_size(ptx_type_of(event->instr)) / vector->count;
    const uint8_t part_bytes = (uint8_t)((1u << part) - 1);

    clear_operand(frame, d, event->executing);
    EACH_LANE(lane, event->executing) {
        uint8_t whole = packs ? 0 : bytes_of(frame, a, lane);
        const struct ptx_operand *from = a;
        for (int i = 0; i < vector->count; i++) {
            const struct ptx_operand *element = &vector->elements[i];
            const uint8_t bytes = packs ? bytes_of(frame, element, lane) & part_bytes
                                        : whole >> i * part & part_bytes;
            if (packs && bytes) {
                whole |= (uint8_t)(bytes << i * part);
                from = element;
            } else if (bytes && element->kind == OPERAND_REGISTER) {
                set(frame, element->number, lane, bytes, is_result(frame, a, lane),
                    origin_of(frame, a, lane));
            }
        }
        if (packs && whole)
            set(frame, d->number, lane, whole, is_result(frame, from, lane),
                origin_of(frame, from, lane));
    }
}

/* Each half of what a lane gets is a half of what some lane had. */
static void propagate_shuffle(struct frame_registers *frame, const struct instruction_event *event)
{
    enum { HALF = (1 << HALF_BYTES) - 1 };
    const struct ptx_operand *a = &event->instr->operands[1];
    struct undefined_lanes out = {0};
    uint32_t from[WARP_SIZE];

    warp_shuffled(event->warp, event->executing, from);
    EACH_LANE(lane, event->executing) {
        for (int half = 0; half < 2; half++) {
            const uint32_t source = from[lane] >> 16 * half & 0xFFFF;
            const int of = (int)(source & (SHUFFLED_UPPER - 1)) - 1;
            const int shift = source & SHUFFLED_UPPER ? HALF_BYTES : 0;
            const uint8_t bytes = of < 0 ? 0 : bytes_of(frame, a, of) >> shift & HALF;
            const uint8_t others = out.any >> lane & 1 ? out.bytes[lane] : 0;
            if (bytes)
                note(&out, lane, (uint8_t)(bytes << half * HALF_BYTES | others),
                     is_result(frame, a, of), frame, a, of);
        }
    }
    give(frame, event, &out);
}

/* What is undefined of matrices that are multiplied, and where that comes from: rows of the first,
 * columns of the second, elements of the third. */
struct undefined_matrices {
    uint32_t rows, columns, elements[WARP_SIZE];
    struct origin of_row[WARP_SIZE], of_column[WARP_SIZE], of_element[WARP_SIZE];
};

/* The bytes of a register that an element is in. */
static uint8_t element_bytes(const struct fragment *fragment, int element)
{
    const int bit = element % fragment_packed(fragment) * fragment->width;
    const int last = (bit + fragment->width - 1) / 8;

    return (uint8_t)((2u << last) - (1u << bit / 8));
}

static void note_matrix(struct undefined_matrices *found, const struct frame_registers *frame,
                        const struct instruction_event *event, int which)
{
    const struct fragment *fragment = warp_fragment(event->warp, which);
    const struct ptx_operand *vector = &event->instr->operands[which];

    EACH_LANE(lane, event->executing) {
        for (int i = 0; i < fragment_elements(fragment); i++) {
            const struct ptx_operand *reg = &vector->elements[i / fragment_packed(fragment)];
            const struct position at = fragment_position(fragment, (int)lane, i);
            if (!(bytes_of(frame, reg, (int)lane) & element_bytes(fragment, i)))
                continue;
            const struct origin *origin = origin_of(frame, reg, (int)lane);
            if (which == 1) {
                found->rows |= 1u << at.row;
                found->of_row[at.row] = *origin;
            } else if (which == 2) {
                found->columns |= 1u << at.column;
                found->of_column[at.column] = *origin;
            } else {
                found->elements[at.row] |= 1u << at.column;
                found->of_element[at.row] = *origin;
            }
        }
    }
}

static const struct origin *origin_at(const struct undefined_matrices *found, struct position at)
{
    return found->rows >> at.row & 1                  ? &found->of_row[at.row]
           : found->columns >> at.column & 1          ? &found->of_column[at.column]
           : found->elements[at.row] >> at.column & 1 ? &found->of_element[at.row]
                                                      : NULL;
}

/* Each element of a product is made of a row, a column and what is added to it. */
static void propagate_product(struct frame_registers *frame, const struct instruction_event *event)
{
    const struct fragment *fragment = warp_fragment(event->warp, 0);
    const struct ptx_operand *d = &event->instr->operands[0];
    struct undefined_matrices found = {0};

    for (int which = 1; which <= 3; which++)
        note_matrix(&found, frame, event, which);
    clear_operand(frame, d, event->executing);
    EACH_LANE(lane, event->executing) {
        for (int i = 0; i < fragment_elements(fragment); i++) {
            const struct ptx_operand *reg = &d->elements[i / fragment_packed(fragment)];
            const struct origin *origin =
                origin_at(&found, fragment_position(fragment, (int)lane, i));
            if (!origin || reg->kind != OPERAND_REGISTER)
                continue;
            const uint8_t others = bytes_of(frame, reg, (int)lane);
            set(frame, reg->number, (int)lane, others | element_bytes(fragment, i), true, origin);
        }
    }
}

/* The source of each lane goes into the result of all. */
static void propagate_crossing(struct frame_registers *frame, const struct instruction_event *event,
                               uint32_t lanes)
{
    struct undefined_lanes out = {0};

    EACH_LANE(i, event->executing) {
        const int lane = i, of = lanes >> lane & 1 ? lane : __builtin_ctz(lanes);
        note(&out, lane, ALL_BYTES, true, frame, undefined_source(frame, event->instr, of), of);
    }
    give(frame, event, &out);
}

/* Instructions. */

static uint32_t undefined_operands(const struct frame_registers *frame,
                                   const struct ptx_instr *instr)
{
    uint32_t any = 0;

    for (int i = 1; i < instr->operand_count; i++)
        any |= undefined_sources(frame, &instr->operands[i]);
    return any;
}

/* How reports call the use of a register, by the instruction's effect; NULL: it is no use. */
static const char *const acts[EFFECT_COUNT] = {
    [EFFECT_VOTES] = "use in a vote",      [EFFECT_WAITS] = "use in a barrier",
    [EFFECT_UPDATES] = "use in an atomic", [EFFECT_COPIES] = "use in a copy",
    [EFFECT_BRANCHES] = "use in a branch",
};

static void use_operand(struct undefined *undefined, struct frame_registers *frame,
                        const struct instruction_event *event, const struct ptx_operand *operand,
                        const char *act)
{
    const bool is_address = operand->kind == OPERAND_ADDRESS;

    if (is_address && operand->base == BASE_REGISTER)
        use(undefined, frame, event, operand->number, event->executing, "use as an address");
    else if (operand->kind == OPERAND_REGISTER && act)
        use(undefined, frame, event, operand->number, event->executing, act);
    for (int i = 0; i < operand->count; i++)
        use_operand(undefined, frame, event, &operand->elements[i],
                    is_address ? "use as a coordinate" : act);
}

static void propagate_lanewise(struct frame_registers *frame, const struct instruction_event *event)
{
    const struct ptx_instr *instr = event->instr;
    const uint32_t lanes = undefined_operands(frame, instr) & event->executing;

    if (!lanes)
        clear_operand(frame, &instr->operands[0], event->executing);
    else if (instr->opcode == OP_MOV && (instr->operands[0].kind == OPERAND_VECTOR ||
                                         instr->operands[1].kind == OPERAND_VECTOR))
        propagate_parts(frame, event);
    else
        propagate(frame, event, lanes);
}

static void on_instruction(void *self, const struct instruction_event *event)
{
    struct undefined *undefined = self;
    const struct ptx_instr *instr = event->instr;
    const enum effect effect = ptx_effect_of(instr);
    struct frame_registers *frame = frame_of(undefined, event->warp);

    if (instr->guard >= 0)
        use(undefined, frame, event, instr->guard, event->active,
            effect == EFFECT_BRANCHES ? "use in a branch" : "use as a guard");
    for (int i = 0; i < instr->operand_count && effect != EFFECT_NOTHING; i++)
        if (!writes_operand(instr, i))
            use_operand(undefined, frame, event, &instr->operands[i], acts[effect]);
    if (!writes_operand(instr, 0))
        return;
    switch (effect) {
    case EFFECT_LANEWISE:
    case EFFECT_COMPARES:
        propagate_lanewise(frame, event);
        return;
    case EFFECT_SELECTS:
        propagate_selection(frame, event);
        return;
    case EFFECT_SHUFFLES:
    case EFFECT_CROSSES:
    case EFFECT_MULTIPLIES: /* when all lanes have come */
        return;
    default:
        clear_operand(frame, &instr->operands[0], event->executing);
    }
}

void undefined_collective(struct undefined *undefined, const struct collective_event *event)
{
    const enum effect effect = ptx_effect_of(event->instr);
    const struct instruction_event at = {event->worker, event->warp, event->instr, event->lanes,
                                         event->lanes};

    if (!undefined_any(undefined) ||
        (effect != EFFECT_SHUFFLES && effect != EFFECT_CROSSES && effect != EFFECT_MULTIPLIES))
        return;
    struct frame_registers *frame = frame_of(undefined, event->warp);
    const uint32_t lanes = undefined_operands(frame, event->instr) & event->lanes;
    if (!lanes)
        clear_operand(frame, &event->instr->operands[0], event->lanes);
    else if (effect == EFFECT_SHUFFLES)
        propagate_shuffle(frame, &at);
    else if (effect == EFFECT_MULTIPLIES)
        propagate_product(frame, &at);
    else
        propagate_crossing(frame, &at, lanes);
}

/* Loads and stores. */

static const struct ptx_operand *element(const struct ptx_operand *operand, uint32_t k)
{
    return operand->kind == OPERAND_VECTOR ? &operand->elements[k] : operand;
}

void undefined_load(struct undefined *undefined, const struct access_event *event, int lane,
                    struct register_byte to, uint8_t bytes)
{
    const struct ptx_operand *operand = element(&event->instr->operands[0], to.element);
    const struct origin origin = {event->instr, event->addresses[lane], event->bytes,
                                  event->space == PTX_SHARED};

    if (!undefined_any(undefined))
        warp_listen(event->warp, undefined, on_instruction);
    struct frame_registers *frame = frame_of(undefined, event->warp);
    if (operand->kind != OPERAND_REGISTER)
        return;
    const size_t size = ptx_type_size(ptx_type_of(event->instr));
    if (event->instr->opcode != OP_WMMA_LOAD && ptx_type_is_signed(ptx_type_of(event->instr)) &&
        size < 8 && bytes >> (size - 1) & 1)
        bytes |= (uint8_t)(ALL_BYTES << size);
    if (to.at) /* the bytes below have been loaded before */
        bytes = (uint8_t)(bytes << to.at) | bytes_of(frame, operand, to.lane);
    set(frame, operand->number, to.lane, bytes, false, &origin);
}

const struct undefined_lanes *undefined_stored(struct undefined *undefined,
                                               const struct access_event *event, uint32_t k)
{
    const struct ptx_operand *operand = element(&event->instr->operands[1], k);

    return operand->kind == OPERAND_REGISTER
               ? held(frame_of(undefined, event->warp), operand->number)
               : NULL;
}

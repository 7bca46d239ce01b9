/* SPDX-License-Identifier: MIT */
/* From the addresses of a memory instruction to host pointers: state spaces, bounds, alignment. */
#include "access.h"
#include "frames.h"
#include "launch.h"
#include "shape.h"

#include <inttypes.h>

uint64_t address_base(const struct warp *warp, const struct op *op)
{
    switch (op->relative) {
    case RELATIVE_LOCAL:
        return warp->path->frame->local_base;
    case RELATIVE_DYNAMIC_SHARED:
        return warp->block->launch->code->function->dynamic_shared_offset;
    default:
        return 0;
    }
}

/* The bits of an address that count. Machine code reaches these spaces by 32-bit registers,
 * whatever PTX calculates with. */
static uint64_t address_bits(enum ptx_space space)
{
    const bool narrow = space == PTX_SHARED || space == PTX_LOCAL || space == PTX_PARAM;
    return narrow ? UINT32_MAX : UINT64_MAX;
}

/* A generic address that is used as one of its space keeps its window, to be refused by name. */
static uint64_t cut_address(uint64_t address, uint64_t bits)
{
    const uint64_t window = address & WINDOW_MASK;
    return window == SHARED_WINDOW || window == LOCAL_WINDOW || window == PARAM_WINDOW
               ? address
               : address & bits;
}

void gather_addresses(const struct warp *warp, const struct op *op, uint64_t *addresses)
{
    const uint64_t offset = (uint64_t)op->offset + address_base(warp, op);
    const uint64_t bits = address_bits(op->space);
    if (op->address == ADDRESS_64 && bits == UINT64_MAX) {
        const lane_u64 *base = slot_lanes(warp, op->pointer);
        for (int i = 0; i < WARP_SIZE; i++)
            addresses[i] = base[i] + offset;
    } else if (op->address == ADDRESS_64) {
        const lane_u64 *base = slot_lanes(warp, op->pointer);
        for (int i = 0; i < WARP_SIZE; i++)
            addresses[i] = cut_address(base[i] + offset, bits);
    } else if (op->address == ADDRESS_INDEXED) {
        const lane_u64 *base = slot_lanes(warp, op->pointer);
        const lane_u32 *index = slot_lanes(warp, op->b);
        for (int i = 0; i < WARP_SIZE; i++)
            addresses[i] = cut_address(
                base[i] + index_bytes(index[i], op->index_signed, op->index_shift) + offset, bits);
    } else if (op->address == ADDRESS_32) {
        const lane_u32 *base = slot_lanes(warp, op->pointer);
        for (int i = 0; i < WARP_SIZE; i++)
            addresses[i] = (base[i] + offset) & bits;
    } else {
        for (int i = 0; i < WARP_SIZE; i++)
            addresses[i] = offset & bits;
    }
}

static const char *verb(enum access_kind kind)
{
    return kind == ACCESS_LOAD ? "load" : kind == ACCESS_STORE ? "store" : "atomic";
}

/* "out-of-bounds store of 4 bytes at shared address 0x80" and why. Returns whether the others go
 * on, where the machine is lenient; the lane has then left the request. */
static bool refuse(struct warp *warp, const struct op *op, int lane, enum fault_kind fault,
                   struct request *request, const char *detail)
{
    char what[120];
    const bool in_memory = request->space == PTX_GLOBAL || request->space == PTX_GENERIC;
    snprintf(what, sizeof what, "%s %s of %u bytes at %s%s0x%" PRIx64,
             fault == FAULT_MISALIGNED ? "misaligned" : "out-of-bounds", verb(request->kind),
             request->bytes, in_memory ? "" : ptx_space_name(request->space),
             in_memory ? "" : " address ", request->access->addresses[lane]);
    if (!warp->block->launch->machine->lenient || request->quiet) {
        warp_fault(warp, op->instr, lane, fault, what, "%s", detail);
        return false;
    }
    warp_complain(warp, op->instr, lane, fault, what, detail);
    request->lanes &= ~(1u << lane);
    return true;
}

static void range_of(const struct request *request, uint64_t *low, uint64_t *high)
{
    address_range(request->lanes, request->access->addresses, low, high);
}

static bool check_alignment(struct warp *warp, const struct op *op, struct request *request)
{
    const uint64_t *addresses = request->access->addresses, mask = request->unit - 1;
    uint64_t seen = 0;
    if (mask == 0)
        return true;
    for (int i = 0; i < WARP_SIZE; i++)
        seen |= addresses[i] & -(uint64_t)(request->lanes >> i & 1); /* no branch: it is hot */
    if ((seen & mask) == 0)
        return true;
    char detail[80];
    snprintf(detail, sizeof detail, "the address is not a multiple of %u", request->unit);
    for (int i = 0; i < WARP_SIZE; i++)
        if (request->lanes >> i & 1 && (addresses[i] & mask) != 0 &&
            !refuse(warp, op, i, FAULT_MISALIGNED, request, detail))
            return false;
    return true;
}

static bool may_write(const struct request *request, const struct allocation *allocation)
{
    return request->kind == ACCESS_LOAD || allocation->kind != MEMORY_CONSTANT;
}

/* Constant memory is reached by 32 bits too. The variable that holds the address by these; NULL:
 * none, or no constant load. */
static const struct allocation *find_constant(const struct machine *machine,
                                              const struct request *request, uint64_t address)
{
    const struct allocation_list *live = &machine->memory->live;
    for (size_t i = 0; request->space == PTX_CONST && i < live->count; i++) {
        const struct allocation *constant = live->items[i];
        const uint64_t at = (uint32_t)(address - constant->address);
        if (constant->kind == MEMORY_CONSTANT && constant->machine == machine->number &&
            allocation_holds(constant, constant->address + at, constant->address + at,
                             request->bytes))
            return constant;
    }
    return NULL;
}

static void point(struct access *access, int lane, const struct allocation *allocation)
{
    access->pointers[lane] = allocation_host(allocation, access->addresses[lane]);
}

/* The lanes touch several allocations, or something else. */
static bool reach_each_lane(struct warp *warp, const struct op *op, struct request *request)
{
    const struct machine *machine = warp->block->launch->machine;
    EACH_LANE(i, request->lanes) {
        const uint64_t address = request->access->addresses[i];
        const uint32_t bytes = request->sizes ? request->sizes[i] : request->bytes;
        const struct allocation *allocation = memory_reach(machine, address, bytes);
        if (allocation && may_write(request, allocation)) {
            point(request->access, i, allocation);
            continue;
        }
        const struct allocation *constant = find_constant(machine, request, address);
        if (constant && !allocation) {
            request->access->addresses[i] =
                constant->address + (uint32_t)(address - constant->address);
            point(request->access, i, constant);
            continue;
        }
        char detail[240] = "constant memory is only read";
        if (!allocation)
            memory_describe(machine, address, bytes, detail, sizeof detail);
        if (!refuse(warp, op, i, FAULT_ADDRESS, request, detail))
            return false;
    }
    return true;
}

static bool reach_global(struct warp *warp, const struct op *op, struct request *request)
{
    uint64_t low, high;
    range_of(request, &low, &high);
    if (!allocation_holds(warp->last_allocation, low, high, request->bytes)) {
        const struct machine *machine = warp->block->launch->machine;
        const struct allocation *allocation = memory_reach(machine, low, request->bytes);
        if (!allocation_holds(allocation, low, high, request->bytes))
            return reach_each_lane(warp, op, request);
        warp->last_allocation = allocation;
    }
    if (!may_write(request, warp->last_allocation))
        return reach_each_lane(warp, op, request);
    for (int i = 0; i < WARP_SIZE; i++)
        point(request->access, i, warp->last_allocation);
    return true;
}

/* Say which __shared__ variable of the kernel ends nearest below a bad address. */
static void describe_past_shared(const struct warp *warp, uint64_t address, char *text, size_t size)
{
    const struct launch_state *launch = warp->block->launch;
    const struct ptx_module *module = launch->kernel->info.module;
    const struct ptx_function *function = launch->code->function;
    const struct ptx_var *nearest = NULL;
    uint64_t nearest_end = 0;
    for (int i = 0; i < module->var_count; i++) {
        const struct ptx_var *var = &module->vars[i];
        if (var->space != PTX_SHARED || !ptx_may_use(module, function, i))
            continue;
        const uint64_t end = var->is_extern ? launch->launch.shared_bytes : var->offset + var->size;
        if (end <= launch->launch.shared_bytes && end <= address && end >= nearest_end) {
            nearest = var;
            nearest_end = end;
        }
    }
    if (!nearest) {
        snprintf(text, size, "the block has %zu bytes of shared memory",
                 launch->launch.shared_bytes);
        return;
    }
    char name[100];
    ptx_variable_name(nearest->name, name, sizeof name);
    const uint64_t start = nearest->is_extern ? function->dynamic_shared_offset : nearest->offset;
    snprintf(text, size,
             "%" PRIu64 " bytes past the end of the %" PRIu64
             "-byte __shared__ variable %s; the block has %zu bytes of shared memory",
             address - nearest_end, nearest_end - start, name, launch->launch.shared_bytes);
}

static bool refuse_outside(struct warp *warp, const struct op *op, struct request *request,
                           int lane, size_t size)
{
    const uint64_t address = request->access->addresses[lane];
    char detail[240];
    if (address > UINT32_MAX)
        snprintf(detail, sizeof detail, "it looks like a generic address, or a host pointer");
    else if (request->space == PTX_SHARED && warp->block->cluster && address >> RANK_SHIFT)
        snprintf(detail, sizeof detail, "%s",
                 "it lies in another block of the cluster, which .shared::cluster reaches, or a "
                 "generic address");
    else if (address > INT32_MAX) /* an index below 0 */
        snprintf(detail, sizeof detail, "%u bytes before its beginning; there are %zu bytes",
                 -(uint32_t)address, size);
    else if (request->space == PTX_SHARED)
        describe_past_shared(warp, address, detail, sizeof detail);
    else
        snprintf(detail, sizeof detail, "there are %zu bytes", size);
    return refuse(warp, op, lane, FAULT_ADDRESS, request, detail);
}

/* Refuse the lanes whose addresses do not fit a window of `size` bytes. */
__attribute__((noinline)) static bool check_window(struct warp *warp, const struct op *op,
                                                   struct request *request, size_t size)
{
    for (int i = 0; i < WARP_SIZE; i++) {
        const bool inside =
            request->bytes <= size && request->access->addresses[i] <= size - request->bytes;
        if (request->lanes >> i & 1 && !inside && !refuse_outside(warp, op, request, i, size))
            return false;
    }
    return true;
}

/* A window of `size` bytes that starts at `base`, for each lane `stride` bytes further. */
static bool reach_window(struct warp *warp, const struct op *op, struct request *request,
                         char *base, size_t size, size_t stride)
{
    uint64_t low, high;
    range_of(request, &low, &high);
    if ((request->bytes > size || high > size - request->bytes) &&
        !check_window(warp, op, request, size))
        return false;
    struct access *access = request->access;
    /* Also of lanes that are out, so it makes vectors: theirs may be any numbers. */
    for (int i = 0; i < WARP_SIZE; i++)
        access->pointers[i] =
            host_pointer((uintptr_t)base + access->addresses[i] + (size_t)i * stride);
    return true;
}

/* Local memory of the innermost call that reaches down to the address. */
static bool reach_local(struct warp *warp, const struct op *op, struct request *request)
{
    uint64_t low, high;
    range_of(request, &low, &high);
    const struct frame *frame = warp->path->frame;
    while (frame->caller && low < frame->local_base)
        frame = frame->caller;
    /* The window starts at address local_base. */
    return reach_window(warp, op, request, frame->local - frame->local_base,
                        frame->local_base + frame->local_bytes, frame->local_stride);
}

static bool reach_param(struct warp *warp, const struct op *op, struct request *request)
{
    const struct frame *frame = warp->path->frame;
    const size_t size = frame->code->function->param_frame_bytes;
    if (op->frame_param && op->space == PTX_PARAM)
        return reach_window(warp, op, request, frame->params, size, frame_stride(size));
    const struct launch_state *launch = warp->block->launch;
    return reach_window(warp, op, request, launch->params, launch->code->function->param_bytes, 0);
}

void access_tell(struct warp *warp, const struct op *op, const struct request *request)
{
    const struct launch_state *launch = warp->block->launch;
    struct shape *shape = request->shape;
    const uint64_t first = request->access->addresses[first_lane(request->lanes)];
    const struct access_event event = {.worker = warp->worker->number,
                                       .warp = warp,
                                       .instr = op->instr,
                                       .lanes = request->lanes,
                                       .kind = request->kind,
                                       .space = request->space,
                                       .bytes = request->bytes,
                                       .unit = request->granule ? request->granule : op->bytes,
                                       .in_row = shape && shape->reach.form == SHAPE_RUN,
                                       .alike = shape && shape->reach.form == SHAPE_SAME,
                                       .gapless = shape && shape->gapless,
                                       .low = shape ? first + (uint64_t)shape->low : 0,
                                       .high = shape ? first + (uint64_t)shape->high : 0,
                                       .part = request->part,
                                       .addresses = request->access->addresses,
                                       .remote = request->owner && request->owner != warp->block,
                                       .owner = request->owner ? request->owner->index
                                                               : warp->block->index,
                                       .pointers = request->access->pointers,
                                       .orders_blocks = op->orders_blocks && launch->lockstep,
                                       .woke = warp->path->woke,
                                       .copies = op->copies,
                                       .shape = shape,
                                       .op = op};
    if (request->in_full)
        NOTIFY(warp->block->listeners->in_full, &event);
    else
        NOTIFY(warp->block->listeners->access, &event);
}

uint8_t access_stored(const struct access_event *event, int lane, uint32_t offset)
{
    const struct op *op = event->op;
    const struct register_byte byte = access_register(event, lane, offset);
    return (uint8_t)(slot_read(event->warp, op->elements[byte.element], byte.lane) >> 8 * byte.at);
}

static bool reach(struct warp *warp, const struct op *op, struct request *request);

/* Reach for some lanes of a request, at other addresses: a fault or a refusal is the request's. */
static bool reach_part(struct warp *warp, const struct op *op, struct request *whole,
                       struct request *part)
{
    const uint32_t lanes = part->lanes;
    if (!reach(warp, op, part))
        return false;
    whole->lanes &= ~(lanes & ~part->lanes);
    for (int i = 0; i < WARP_SIZE; i++)
        if (lanes >> i & 1)
            whole->access->pointers[i] = part->access->pointers[i];
    return true;
}

/* Does any lane use an address that names a block of the cluster? */
static bool names_blocks(const struct request *request)
{
    for (int i = 0; i < WARP_SIZE; i++)
        if (request->lanes >> i & 1 && request->access->addresses[i] >> RANK_SHIFT &&
            !(request->access->addresses[i] & WINDOW_MASK))
            return true;
    return false;
}

/* The block of the cluster that the addresses of these lanes name; NULL: they are refused. */
static const struct block *find_owner(struct warp *warp, const struct op *op,
                                      struct request *request, uint32_t lanes)
{
    const struct cluster *cluster = warp->block->cluster;
    const uint64_t marked = request->access->addresses[first_lane(lanes)] >> RANK_SHIFT;
    char detail[120];
    if (!marked)
        return warp->block;
    const bool is_rank = cluster && marked <= (uint64_t)cluster->size;
    if (is_rank && cluster->blocks[marked - 1])
        return cluster->blocks[marked - 1];
    if (!is_rank)
        snprintf(detail, sizeof detail, "no block of the cluster has it");
    else
        snprintf(detail, sizeof detail,
                 "it is of the block of rank %u of the cluster, which has ended: a barrier of the "
                 "cluster must come in between",
                 (uint32_t)marked - 1);
    for (; lanes; lanes &= lanes - 1)
        if (!refuse(warp, op, first_lane(lanes), FAULT_ADDRESS, request, detail))
            break;
    return NULL;
}

/* Shared memory of the cluster: one request for each block that owns a part. */
__attribute__((noinline)) static bool reach_cluster(struct warp *warp, const struct op *op,
                                                    struct request *request)
{
    struct access *whole = request->access;
    uint32_t left = request->lanes;
    while (left) {
        const uint64_t named = whole->addresses[first_lane(left)] >> RANK_SHIFT;
        uint32_t lanes = 0;
        struct access part;
        for (int i = 0; i < WARP_SIZE; i++)
            if (left >> i & 1 && whole->addresses[i] >> RANK_SHIFT == named)
                lanes |= 1u << i;
        left &= ~lanes;
        const struct block *owner = find_owner(warp, op, request, lanes);
        if (warp->block->failed)
            return false;
        if (!owner) /* refused, and the kernel goes on */
            continue;
        for (int i = 0; i < WARP_SIZE; i++)
            part.addresses[i] = whole->addresses[i] & ((UINT64_C(1) << RANK_SHIFT) - 1);
        struct request one = *request;
        one.access = &part;
        one.lanes = lanes;
        one.unit = 1; /* those of the whole are aligned */
        one.owner = owner;
        one.of_cluster = false;
        if (!reach_part(warp, op, request, &one))
            return false;
    }
    return true;
}

static bool reach_aligned(struct warp *warp, const struct op *op, struct request *request)
{
    struct block *block = warp->block;
    bool reached;
    switch (request->space) {
    case PTX_SHARED:
        if (request->of_cluster && names_blocks(request))
            return reach_cluster(warp, op, request);
        reached =
            reach_window(warp, op, request, request->owner ? request->owner->shared : block->shared,
                         block->shared_bytes, 0);
        break;
    case PTX_LOCAL:
        reached = reach_local(warp, op, request);
        break;
    case PTX_PARAM:
        reached = reach_param(warp, op, request);
        break;
    default:
        reached = reach_global(warp, op, request);
    }
    if (reached && !request->quiet && request->lanes && block->listeners->access.count > 0)
        access_tell(warp, op, request);
    return reached;
}

static enum ptx_space space_of(uint64_t address)
{
    const uint64_t window = address & WINDOW_MASK;
    return window == SHARED_WINDOW  ? PTX_SHARED
           : window == LOCAL_WINDOW ? PTX_LOCAL
           : window == PARAM_WINDOW ? PTX_PARAM
                                    : PTX_GLOBAL;
}

/* Generic addresses: one request for each space that the lanes use. */
static bool reach_generic(struct warp *warp, const struct op *op, struct request *request)
{
    struct access *whole = request->access;
    uint32_t left = request->lanes;
    while (left) {
        const enum ptx_space space = space_of(whole->addresses[first_lane(left)]);
        uint32_t lanes = 0;
        struct access part;
        for (int i = 0; i < WARP_SIZE; i++) {
            if (!(left >> i & 1) || space_of(whole->addresses[i]) != space)
                continue;
            lanes |= 1u << i;
        }
        for (int i = 0; i < WARP_SIZE; i++)
            part.addresses[i] =
                space == PTX_GLOBAL ? whole->addresses[i] : whole->addresses[i] & ~WINDOW_MASK;
        struct request one = *request;
        one.access = &part;
        one.lanes = lanes;
        one.space = space;
        one.of_cluster = space == PTX_SHARED;
        if (!reach_part(warp, op, request, &one))
            return false;
        left &= ~lanes;
    }
    return true;
}

/* Point the refused lanes at the warp's sink, which nobody looks at. */
static void redirect(struct warp *warp, const struct request *request, uint32_t refused)
{
    for (int i = 0; i < WARP_SIZE; i++)
        if (refused >> i & 1)
            request->access->pointers[i] = warp->sink;
}

/* Fill in the pointers of all lanes asked for: those that are refused get valid ones, too. */
static bool reach(struct warp *warp, const struct op *op, struct request *request)
{
    const uint32_t wanted = request->lanes;
    const bool reached = request->space == PTX_GENERIC ? reach_generic(warp, op, request)
                                                       : check_alignment(warp, op, request) &&
                                                             reach_aligned(warp, op, request);
    if (request->lanes != wanted)
        redirect(warp, request, wanted & ~request->lanes);
    return reached;
}

bool access_memory(struct warp *warp, const struct op *op, uint32_t lanes, enum access_kind kind,
                   struct access *access)
{
    struct request request = {.kind = kind,
                              .space = op->space,
                              .lanes = lanes,
                              .bytes = (uint32_t)op->bytes * op->vector,
                              .unit = (uint32_t)op->bytes * op->vector,
                              .of_cluster = op->instr->of_cluster,
                              .access = access};
    gather_addresses(warp, op, access->addresses);
    return reach(warp, op, &request);
}

uint32_t access_part(struct warp *warp, const struct op *op, uint32_t lanes, enum access_kind kind,
                     const uint8_t *sizes, struct access *access)
{
    struct request request = {.kind = kind,
                              .space = op->space,
                              .lanes = lanes,
                              .bytes = op->bytes,
                              .unit = op->bytes,
                              .sizes = sizes,
                              .of_cluster = op->instr->of_cluster,
                              .access = access};
    gather_addresses(warp, op, access->addresses);
    return reach(warp, op, &request) ? request.lanes : 0;
}

bool access_run(struct warp *warp, const struct op *op, uint32_t lane, enum access_kind kind,
                uint32_t bytes, struct access *access)
{
    struct request request = {.kind = kind,
                              .space = op->space,
                              .lanes = lane,
                              .bytes = bytes,
                              .unit = (uint32_t)op->bytes * op->vector,
                              .of_cluster = op->instr->of_cluster && op->space == PTX_SHARED,
                              .access = access};
    gather_addresses(warp, op, access->addresses);
    return reach(warp, op, &request) && request.lanes;
}

bool access_run_of(struct warp *warp, const struct op *op, int lane, enum access_kind kind,
                   uint32_t bytes, uint32_t rank, struct access *access)
{
    struct request request = {.kind = kind,
                              .space = PTX_SHARED,
                              .lanes = 1u << lane,
                              .bytes = bytes,
                              .unit = op->bytes,
                              .of_cluster = true,
                              .access = access};
    gather_addresses(warp, op, access->addresses);
    access->addresses[lane] =
        shared_address(access->addresses[lane]) & ((UINT64_C(1) << RANK_SHIFT) - 1);
    access->addresses[lane] |= (uint64_t)(rank + 1) << RANK_SHIFT;
    return reach(warp, op, &request) && request.lanes;
}

uint32_t access_pieces(struct warp *warp, const struct op *op, const struct piece_request *pieces,
                       struct access *access)
{
    struct request request = {.kind = pieces->kind,
                              .space = pieces->space,
                              .lanes = pieces->lanes,
                              .bytes = pieces->bytes,
                              .unit = pieces->bytes,
                              .granule = pieces->granule,
                              .part = pieces->part,
                              .access = access};
    return reach(warp, op, &request) ? request.lanes : 0;
}

uint32_t access_texels(struct warp *warp, const struct op *op, uint32_t lanes,
                       enum access_kind kind, struct access *access)
{
    const struct piece_request texels = {.kind = kind,
                                         .space = PTX_GLOBAL,
                                         .lanes = lanes,
                                         .bytes = (uint32_t)op->bytes * op->vector};
    return access_pieces(warp, op, &texels, access);
}

bool access_at(struct warp *warp, const struct op *op, int lane, enum access_kind kind,
               uint64_t address, uint32_t bytes, struct access *access)
{
    struct request request = {.kind = kind,
                              .space = PTX_GLOBAL,
                              .lanes = 1u << lane,
                              .bytes = bytes,
                              .unit = 1,
                              .access = access};
    memset(access->addresses, 0, sizeof access->addresses);
    access->addresses[lane] = address;
    return reach(warp, op, &request) && request.lanes;
}

char *generic_pointer(struct warp *warp, const struct op *op, int lane, uint64_t address,
                      size_t size)
{
    struct access access;
    struct request request = {.kind = ACCESS_LOAD,
                              .space = space_of(address),
                              .lanes = 1u << lane,
                              .bytes = (uint32_t)size,
                              .unit = (uint32_t)size,
                              .quiet = true,
                              .access = &access};
    for (int i = 0; i < WARP_SIZE; i++)
        access.addresses[i] = request.space == PTX_GLOBAL ? address : address & ~WINDOW_MASK;
    return reach(warp, op, &request) ? access.pointers[lane] : NULL;
}

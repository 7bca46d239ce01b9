/* SPDX-License-Identifier: MIT */
/* What a group of NCCL's calls does: its streams are read first, then the ranks exchange what was
 * read, then each stream gets its results. A call waits here, not in the stream, until all its
 * ranks have come. */
#include "libraries/nccl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum result { REDUCED, JOINED, COPIED }; /* what a rank gets of its blocks from all ranks */

/* What each call moves. Every rank exchanges at least the terms with every other. */
static const struct kind {
    const char *name;
    bool root_sends, root_takes; /* only the root does */
    bool pieces; /* the input has a block for each rank; else one for all */
    enum result result;
    bool pair; /* with the root alone, which is the other rank */
} kinds[] = {
    {"ncclAllReduce", false, false, false, REDUCED, false},
    {"ncclReduce", false, true, false, REDUCED, false},
    {"ncclBroadcast", true, false, false, COPIED, false},
    {"ncclAllGather", false, false, false, JOINED, false},
    {"ncclReduceScatter", false, false, true, REDUCED, false},
    {"ncclSend", false, false, false, COPIED, true},
    {"ncclRecv", false, false, false, COPIED, true},
};

struct operation {
    struct nccl_terms terms;
    ncclComm_t comm;
    cudaStream_t stream;
    const void *in;
    void *out;
    size_t block; /* bytes of a block; it has terms.count elements */
    char *sent, *got; /* copies of all of `in`; of a block from each rank */
    struct nccl_transfer *transfers;
    int transfer_count;
    bool begun, done;
    struct operation *next;
};

/* A rank whose room is not full yet. */
struct joining {
    ncclComm_t *comm;
    char name[32];
    struct joining *next;
};

/* What the calls of a group leave to its end. */
static _Thread_local struct {
    int depth;
    struct operation *operations;
    struct joining *joinings;
    char line[NCCL_LINE];
} group;

void nccl_say(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(group.line, sizeof(group.line), format, arguments);
    va_end(arguments);
    __cudaEmuComplain(group.line);
}

const char *nccl_last_line(void)
{
    return group.line;
}

double nccl_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void nccl_describe(const struct nccl_terms *terms, char *text, size_t size)
{
    static const char *const operations[] = {", sum", ", product", ", maximum", ", minimum",
                                             ", average"};
    const struct kind *kind = &kinds[terms->kind];
    char root[24] = "";

    if (kind->root_sends || kind->root_takes)
        snprintf(root, sizeof(root), " with root %d", terms->root);
    snprintf(text, size, "%s of %llu %s%s%s", kind->name, (unsigned long long)terms->count,
             nccl_type_name((ncclDataType_t)terms->type),
             kind->result == REDUCED ? operations[terms->op] : "", root);
}

/* --- What moves ------------------------------------------------------------------------------- */

static const struct kind *kind_of(const struct operation *operation)
{
    return &kinds[operation->terms.kind];
}

/* Do the blocks of rank `from` go to rank `to`? */
static bool flows(const struct operation *operation, int from, int to)
{
    const struct kind *kind = kind_of(operation);
    const int root = operation->terms.root, me = operation->comm->rank;

    if (kind->pair)
        return operation->terms.kind == SEND ? from == me && to == root : to == me && from == root;
    return (!kind->root_sends || from == root) && (!kind->root_takes || to == root);
}

static size_t bytes_in(const struct operation *operation)
{
    const struct ncclComm *comm = operation->comm;
    const struct kind *kind = kind_of(operation);
    const size_t blocks = kind->pieces ? (size_t)comm->ranks : 1;

    if (kind->pair)
        return operation->terms.kind == SEND ? operation->block : 0;
    return !kind->root_sends || comm->rank == operation->terms.root ? blocks * operation->block : 0;
}

static size_t bytes_out(const struct operation *operation)
{
    const struct ncclComm *comm = operation->comm;
    const struct kind *kind = kind_of(operation);
    const size_t blocks = kind->result == JOINED ? (size_t)comm->ranks : 1;

    if (kind->pair)
        return operation->terms.kind == RECV ? operation->block : 0;
    return !kind->root_takes || comm->rank == operation->terms.root ? blocks * operation->block : 0;
}

/* The block of the input that a rank gets. */
static char *block_for(const struct operation *operation, int rank)
{
    return operation->sent + (kind_of(operation)->pieces ? (size_t)rank * operation->block : 0);
}

static void add_transfer(struct operation *operation, int peer, bool sends)
{
    const int me = operation->comm->rank;
    const bool any = flows(operation, sends ? me : peer, sends ? peer : me);
    struct nccl_transfer *transfer = &operation->transfers[operation->transfer_count++];

    *transfer = (struct nccl_transfer){
        .terms = operation->terms,
        .comm = operation->comm,
        .peer = peer,
        .sends = sends,
        .data =
            sends ? block_for(operation, peer) : operation->got + (size_t)peer * operation->block,
        .bytes = any ? operation->block : 0,
    };
    if (kind_of(operation)->pair) { /* the same on both sides */
        transfer->terms.kind = SEND;
        transfer->terms.root = 0;
    }
}

static void add_transfers(struct operation *operation)
{
    const struct ncclComm *comm = operation->comm;
    const int kind = (int)operation->terms.kind, me = comm->rank;

    if (kinds[kind].pair) {
        add_transfer(operation, operation->terms.root, kind == SEND);
        return;
    }
    for (int r = 0; r < comm->ranks; r++)
        if (r != me) {
            add_transfer(operation, r, true);
            add_transfer(operation, r, false);
        }
    if (flows(operation, me, me) && operation->block)
        memcpy(operation->got + (size_t)me * operation->block, block_for(operation, me),
               operation->block);
}

/* What comes of the blocks of all ranks. */
static void write_result(const struct operation *operation, void *to)
{
    const struct nccl_terms *terms = &operation->terms;
    const size_t bytes = bytes_out(operation);

    if (kind_of(operation)->result == REDUCED)
        nccl_reduce((ncclDataType_t)terms->type, (ncclRedOp_t)terms->op, operation->comm->ranks,
                    terms->count, operation->got, to);
    else if (kind_of(operation)->result == JOINED)
        memcpy(to, operation->got, bytes);
    else
        memcpy(to, operation->got + (size_t)terms->root * operation->block, bytes);
}

/* --- In the order of streams ------------------------------------------------------------------ */

struct visit {
    struct hosted_call call;
    struct operation *operation;
    bool *reached;
};

static void run_read(const struct hosted_call *call)
{
    const struct visit *visit = (const struct visit *)call;
    const struct operation *operation = visit->operation;
    const size_t bytes = bytes_in(operation);
    const void *from = __cudaEmuPointer(operation->in);
    const struct hosted_memory memory = {"sendbuff", from, bytes, bytes, 1, true, false};

    *visit->reached = __cudaEmuReach(call, &memory);
    if (*visit->reached && bytes)
        memcpy(operation->sent, from, bytes);
}

static void run_write(const struct hosted_call *call)
{
    const struct visit *visit = (const struct visit *)call;
    const struct operation *operation = visit->operation;
    const size_t bytes = bytes_out(operation);
    void *to = __cudaEmuPointer(operation->out);
    const struct hosted_memory memory = {"recvbuff", to, bytes, bytes, 1, false, true};

    *visit->reached = __cudaEmuReach(call, &memory);
    if (*visit->reached && bytes)
        write_result(operation, to);
}

/* `run` after the earlier work of the operation's stream. */
static ncclResult_t visit(struct operation *operation, void (*run)(const struct hosted_call *),
                          bool again)
{
    bool reached = false;
    const struct visit visit = {
        {kind_of(operation)->name, run, sizeof(visit), again}, operation, &reached};
    cudaError_t error;
    int device;

    if (cudaGetDevice(&device) || cudaSetDevice(operation->comm->device))
        return ncclUnhandledCudaError;
    error = __cudaEmuHosted(&visit.call, operation->stream);
    cudaSetDevice(device);
    return error || !reached ? ncclUnhandledCudaError : ncclSuccess;
}

static ncclResult_t begin(struct operation *operation)
{
    const struct ncclComm *comm = operation->comm;
    const size_t in = bytes_in(operation), ranks = (size_t)comm->ranks;

    operation->begun = true;
    operation->sent = malloc(in ? in : 1);
    operation->got = malloc(operation->block ? ranks * operation->block : 1);
    operation->transfers = malloc(2 * ranks * sizeof(*operation->transfers));
    if (!operation->sent || !operation->got || !operation->transfers) {
        nccl_say("%s: no host memory for %zu bytes", kind_of(operation)->name,
                 in + ranks * operation->block);
        return ncclSystemError;
    }
    const ncclResult_t result = visit(operation, run_read, false);
    if (!result)
        add_transfers(operation);
    return result;
}

/* --- Groups ----------------------------------------------------------------------------------- */

/* A rank's collectives go one after the other, its sends and receives side by side. */
static bool may_begin(const struct operation *operation)
{
    const struct operation *earlier = group.operations;

    for (; earlier != operation; earlier = earlier->next)
        if (earlier->comm == operation->comm && !earlier->done &&
            !(kind_of(earlier)->pair && kind_of(operation)->pair))
            return false;
    return true;
}

/* No earlier one of the same rank with the same peer is on its way. */
static bool is_first(const struct operation *operation, const struct nccl_transfer *transfer)
{
    const struct operation *earlier = group.operations;

    for (; earlier != operation; earlier = earlier->next) {
        const struct nccl_transfer *other = earlier->transfers;
        if (earlier->comm == operation->comm && earlier->begun && !earlier->done && other &&
            other->peer == transfer->peer && other->sends == transfer->sends)
            return false;
    }
    return true;
}

/* Returns whether anything moved. */
static bool advance(struct operation *operation, ncclResult_t *result)
{
    bool moved = !operation->begun, all = true;

    if (!operation->begun)
        *result = begin(operation);
    for (int i = 0; i < operation->transfer_count && !*result; i++) {
        struct nccl_transfer *transfer = &operation->transfers[i];
        if (!transfer->done && is_first(operation, transfer))
            moved |= nccl_room_move(transfer, result);
        all &= transfer->done;
    }
    if (all && !*result) {
        *result = bytes_out(operation) ? visit(operation, run_write, true) : ncclSuccess;
        operation->done = true;
        moved = true;
    }
    return moved;
}

/* Nothing moves: will it ever? */
static ncclResult_t wait_for_others(double waited)
{
    ncclResult_t result = ncclSuccess;

    for (struct operation *o = group.operations; o && !result; o = o->next) {
        if (o->done)
            continue;
        result = nccl_room_wait(o->comm, kind_of(o)->name);
        for (int i = 0; i < o->transfer_count && !result; i++)
            if (!o->transfers[i].done)
                result = nccl_room_expect(&o->transfers[i], kind_of(o)->name, waited);
    }
    usleep(waited < 0.001 ? 20 : 500);
    return result;
}

static ncclResult_t run_operations(void)
{
    ncclResult_t result = ncclSuccess;
    double last = nccl_clock();
    bool all = false;

    while (!all && !result) {
        bool moved = false;

        all = true;
        for (struct operation *o = group.operations; o; o = o->next)
            nccl_room_look(o->comm);
        for (struct operation *o = group.operations; o && !result; o = o->next) {
            if (!o->done && (o->begun || may_begin(o)))
                moved |= advance(o, &result);
            all &= o->done;
        }
        if (moved)
            last = nccl_clock();
        else if (!all && !result)
            result = wait_for_others(nccl_clock() - last);
    }
    return result;
}

static ncclResult_t finish_operations(ncclResult_t result)
{
    if (!result)
        result = run_operations();
    for (struct operation *o = group.operations, *next; o; o = next) {
        next = o->next;
        nccl_room_end(o->comm, result);
        free(o->sent);
        free(o->got);
        free(o->transfers);
        free(o);
    }
    group.operations = NULL;
    return result;
}

void nccl_drop(ncclComm_t comm)
{
    nccl_room_leave(comm);
    free(comm);
}

static ncclResult_t finish_joinings(void)
{
    ncclResult_t result = ncclSuccess;

    for (struct joining *joining = group.joinings, *next; joining; joining = next) {
        ncclComm_t comm = *joining->comm;
        const ncclResult_t one = nccl_room_close(comm, joining->name);
        next = joining->next;
        if (one) {
            nccl_room_end(comm, one);
            nccl_drop(comm);
            *joining->comm = NULL;
            result = one;
        }
        free(joining);
    }
    group.joinings = NULL;
    return result;
}

/* Do what was called for, unless a group is open. */
ncclResult_t nccl_group_close(void)
{
    return group.depth ? ncclSuccess : finish_operations(finish_joinings());
}

ncclResult_t ncclGroupStart(void)
{
    group.depth++;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void)
{
    if (!group.depth) {
        nccl_say("ncclGroupEnd: no group was started");
        return ncclInvalidUsage;
    }
    group.depth--;
    return nccl_group_close();
}

/* Rank `rank` of `ranks`, on this device, in the room of that name. */
ncclResult_t nccl_join(ncclComm_t *comm, int ranks, const ncclUniqueId *id, int rank, int device)
{
    if (!comm || ranks < 1 || ranks > NCCL_MOST_RANKS || rank < 0 || rank >= ranks) {
        nccl_say("ncclCommInitRank: rank %d of %d: there are 1 to %d ranks, counted from 0", rank,
                 ranks, NCCL_MOST_RANKS);
        return ncclInvalidArgument;
    }
    struct joining *joining = calloc(1, sizeof(*joining));
    *comm = calloc(1, sizeof(**comm));
    ncclResult_t result = joining && *comm ? ncclSuccess : ncclSystemError;
    if (!result) {
        **comm = (struct ncclComm){.rank = rank, .ranks = ranks, .device = device};
        result = nccl_room_enter(*comm, id->internal);
    }
    if (result) {
        free(joining);
        free(*comm);
        *comm = NULL;
        return result;
    }
    joining->comm = comm;
    memcpy(joining->name, id->internal, sizeof(joining->name) - 1);
    joining->next = group.joinings;
    group.joinings = joining;
    return ncclSuccess;
}

/* --- Calls ------------------------------------------------------------------------------------ */

/* A graph would have to wait for other ranks when it runs. */
static bool is_captured(cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;

    return !cudaStreamIsCapturing(stream, &status) && status != cudaStreamCaptureStatusNone;
}

static ncclResult_t check(const struct operation *operation)
{
    const struct nccl_terms *terms = &operation->terms;
    const struct kind *kind = kind_of(operation);
    const size_t size = nccl_size((ncclDataType_t)terms->type);

    if (!operation->comm || !size || terms->op >= ncclNumOps ||
        terms->count > SIZE_MAX / NCCL_MOST_RANKS / 8)
        return ncclInvalidArgument;
    if (terms->root < 0 || terms->root >= operation->comm->ranks) {
        nccl_say("%s: %s %d, but the ranks are 0 to %d", kind->name, kind->pair ? "peer" : "root",
                 terms->root, operation->comm->ranks - 1);
        return ncclInvalidArgument;
    }
    if ((bytes_in(operation) && !operation->in) || (bytes_out(operation) && !operation->out)) {
        nccl_say("%s: a buffer is NULL", kind->name);
        return ncclInvalidArgument;
    }
    if (is_captured(operation->stream) ||
        (kind->result == REDUCED && (size == 1 && terms->type > ncclUint8))) {
        __cudaEmuLacks(kind->name, size == 1 ? "NCCL: sums of 8-bit floats" : "NCCL in a graph");
        return ncclInvalidUsage;
    }
    return operation->comm->broken;
}

ncclResult_t nccl_call(int kind, const void *in, void *out, size_t count, ncclDataType_t type,
                       ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream)
{
    const struct operation wanted = {
        .terms = {(uint32_t)kind, (uint32_t)type, (uint32_t)op, root, count},
        .comm = comm,
        .stream = stream,
        .in = in,
        .out = out,
        .block = count * nccl_size(type),
    };
    struct operation **last = &group.operations;
    const ncclResult_t result = check(&wanted);

    if (result)
        return result;
    struct operation *operation = malloc(sizeof(*operation));
    if (!operation)
        return ncclSystemError;
    *operation = wanted;
    while (*last)
        last = &(*last)->next;
    *last = operation;
    nccl_room_begin(comm);
    return nccl_group_close();
}

/* SPDX-License-Identifier: MIT */
/* What the files of the stand-in for NCCL share. Ranks are threads or processes of one machine. */
#ifndef NCCL_STAND_IN_H
#define NCCL_STAND_IN_H

#include "libraries/stand_in.h"

#pragma GCC visibility push(default)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes" /* its functions without parameters */
#include <nccl.h>
#pragma GCC diagnostic pop
ncclResult_t ncclGroupStart(void);
ncclResult_t ncclGroupEnd(void);
#pragma GCC visibility pop
#include <stdatomic.h>
#include <stdint.h>

enum { NCCL_MOST_RANKS = 64, NCCL_LINE = 400 };

/* What ranks of one call must agree on. The counts of sends and receives are in bytes. */
struct nccl_terms {
    uint32_t kind, type, op;
    int32_t root;
    uint64_t count;
};

/* The room that the ranks of a communicator share (nccl_room.c). */
struct nccl_room;

struct ncclComm {
    struct nccl_room *room;
    size_t room_bytes;
    int rank, ranks, device;
    ncclResult_t broken; /* what ended it, or ncclSuccess */
    unsigned long looked; /* how much had moved in the room when its boxes were last looked at */
    int suspect; /* 1 + a rank that has ended, unless the boxes still have something of it */
};

/* Bytes on their way between a rank and a peer. */
struct nccl_transfer {
    struct nccl_terms terms;
    ncclComm_t comm;
    int peer;
    bool sends;
    char *data;
    size_t bytes, moved;
    bool begun, done;
};

/* A name for a new room. */
void nccl_room_name(char *name, size_t size);
/* Enter the room of that name as comm->rank of comm->ranks, or make it. Waits for nobody. */
ncclResult_t nccl_room_enter(ncclComm_t comm, const char *name);
/* Wait until all ranks have come; nobody else may from then on. Two on one device are refused. */
ncclResult_t nccl_room_close(ncclComm_t comm, const char *name);
void nccl_room_leave(ncclComm_t comm);

/* This thread now works for the rank, */
void nccl_room_begin(ncclComm_t comm);
/* looks at its boxes, */
void nccl_room_look(ncclComm_t comm);
/* moves what can be moved of a transfer (false: nothing), where *result says that the ranks do not
 * mean the same call, */
bool nccl_room_move(struct nccl_transfer *transfer, ncclResult_t *result);
/* found nothing to move: has another rank given up, or do all wait for each other? */
ncclResult_t nccl_room_wait(ncclComm_t comm, const char *call);
/* Can this transfer still be done, `waited` seconds after anything last moved? */
ncclResult_t nccl_room_expect(const struct nccl_transfer *transfer, const char *call,
                              double waited);
/* The rank's call has ended; unless with ncclSuccess, the other ranks shall end too. */
void nccl_room_end(ncclComm_t comm, ncclResult_t result);

/* Seconds of a clock that nobody sets. */
double nccl_clock(void);
/* Print a line, which ncclGetLastError() returns from then on. */
void nccl_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A call in words, as in "ncclReduce of 5 float with root 1". */
void nccl_describe(const struct nccl_terms *terms, char *text, size_t size);

/* --- nccl_group.c --- */

enum nccl_kind { ALL_REDUCE, REDUCE, BROADCAST, ALL_GATHER, REDUCE_SCATTER, SEND, RECV };

/* A call of one of these kinds, done at once or at the end of the open group. */
ncclResult_t nccl_call(int kind, const void *in, void *out, size_t count, ncclDataType_t type,
                       ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream);
/* Become rank `rank` of `ranks` in the room of this ID, on a device; complete when the group is. */
ncclResult_t nccl_join(ncclComm_t *comm, int ranks, const ncclUniqueId *id, int rank, int device);
/* Do what was called for, unless a group is open. */
ncclResult_t nccl_group_close(void);
void nccl_drop(ncclComm_t comm);
/* The last line of this thread, "" if there is none. */
const char *nccl_last_line(void);

/* --- nccl_reduce.c --- */

/* Bytes of an element; 0: no such type. */
size_t nccl_size(ncclDataType_t type);
const char *nccl_type_name(ncclDataType_t type);
/* sum[0 ... count - 1] of the `ranks` vectors of `count` elements one after the other at `all`, in
 * the order of ranks; a sum of floats that are shorter than float is rounded once. */
void nccl_reduce(ncclDataType_t type, ncclRedOp_t op, int ranks, size_t count, const void *all,
                 void *sum);

#endif

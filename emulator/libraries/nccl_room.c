/* SPDX-License-Identifier: MIT */
/* What the ranks of a communicator share: a file in /dev/shm that all of them map, in one process
 * or in several. Each ordered pair of ranks has a box for one piece of a transfer. */
#include "libraries/nccl.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PIECE = 8192 };
enum { PATIENCE = 3, JOINING = 60 }; /* seconds */

struct box {
    struct nccl_terms terms;
    atomic_bool full;
    uint32_t bytes;
    uint64_t total; /* of the transfer */
    char data[PIECE];
};

struct member {
    atomic_int process, thread; /* of its last call; 0: has not come */
    atomic_bool waits, left;
    atomic_ulong seen; /* `moves` when it last found nothing to move */
    int device;
    char host[32]; /* NCCL_HOSTID: ranks that differ in it count as on different machines */
};

struct nccl_room {
    int ranks; /* 0: its maker is not done */
    atomic_int joined, broken; /* broken: 1 + the rank that gave up */
    atomic_ulong moves;
    struct member members[NCCL_MOST_RANKS];
    struct box boxes[];
};

static struct box *box_of(const struct ncclComm *comm, int from, int to)
{
    return &comm->room->boxes[from * comm->ranks + to];
}

void nccl_room_name(char *name, size_t size)
{
    uint64_t random = 0;

    if (getrandom(&random, sizeof(random), 0) != sizeof(random))
        random = (uint64_t)time(NULL) << 20 | (uint64_t)clock();
    snprintf(name, size, "emu-nccl-%016llx", (unsigned long long)random);
}

/* A name comes from the program: only one of ours is a file. */
static bool path_of(const char *name, char *path, size_t size)
{
    static const char start[] = "emu-nccl-";
    const size_t length = sizeof(start) - 1;

    if (strncmp(name, start, length) != 0 || strnlen(name, 128) != length + 16 ||
        strspn(name + length, "0123456789abcdef") != 16) {
        nccl_say("ncclCommInitRank: this is no ID that ncclGetUniqueId() made on this machine");
        return false;
    }
    snprintf(path, size, "/dev/shm/%s", name);
    return true;
}

/* The file, of the right size. Its first rank makes it; the lock keeps the second from an empty
 * one. */
static ncclResult_t open_room(ncclComm_t comm, const char *path)
{
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct stat status;
    void *room = MAP_FAILED;

    if (file >= 0 && !flock(file, LOCK_EX) && !fstat(file, &status)) {
        if (status.st_size && (size_t)status.st_size != comm->room_bytes) {
            nccl_say("ncclCommInitRank: the ranks disagree on how many they are; rank %d says %d",
                     comm->rank, comm->ranks);
            close(file);
            return ncclInvalidArgument;
        }
        if (status.st_size || !posix_fallocate(file, 0, (off_t)comm->room_bytes))
            room = mmap(NULL, comm->room_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    if (file >= 0) {
        flock(file, LOCK_UN); /* the mapping would keep it */
        close(file);
    }
    if (room == MAP_FAILED) {
        nccl_say("ncclCommInitRank: no %zu KiB of shared memory in /dev/shm",
                 comm->room_bytes >> 10);
        return ncclSystemError;
    }
    comm->room = room;
    return ncclSuccess;
}

void nccl_room_begin(ncclComm_t comm)
{
    struct member *member = &comm->room->members[comm->rank];

    member->thread = (int)syscall(SYS_gettid);
    member->process = getpid();
}

ncclResult_t nccl_room_enter(ncclComm_t comm, const char *name)
{
    const char *host = getenv("NCCL_HOSTID");
    char path[64];
    int nobody = 0;

    comm->room_bytes =
        sizeof(struct nccl_room) + (size_t)comm->ranks * (size_t)comm->ranks * sizeof(struct box);
    if (!path_of(name, path, sizeof(path)))
        return ncclInvalidArgument;
    const ncclResult_t result = open_room(comm, path);
    if (result)
        return result;
    struct member *member = &comm->room->members[comm->rank];
    if (!atomic_compare_exchange_strong(&member->process, &nobody, getpid())) {
        nccl_say("ncclCommInitRank: two ranks are number %d", comm->rank);
        comm->room->broken = 1 + comm->rank;
        munmap(comm->room, comm->room_bytes);
        return ncclInvalidUsage;
    }
    member->device = comm->device;
    snprintf(member->host, sizeof(member->host), "%s", host ? host : "");
    nccl_room_begin(comm);
    atomic_fetch_add(&comm->room->joined, 1);
    return ncclSuccess;
}

/* Each rank has a device of its own. */
static ncclResult_t check_devices(const struct ncclComm *comm)
{
    const struct member *members = comm->room->members;

    for (int r = 0; r < comm->ranks; r++)
        if (r != comm->rank && members[r].device == comm->device &&
            strcmp(members[r].host, members[comm->rank].host) == 0) {
            nccl_say("ncclCommInitRank: ranks %d and %d are both on device %d: each needs one of "
                     "its own, as emu --devices=%d has",
                     comm->rank, r, comm->device, comm->ranks);
            return ncclInvalidUsage;
        }
    return ncclSuccess;
}

ncclResult_t nccl_room_close(ncclComm_t comm, const char *name)
{
    const double start = nccl_clock();
    char path[64];

    while (comm->room->joined < comm->ranks && !comm->room->broken &&
           nccl_clock() - start < JOINING)
        usleep(500);
    if (path_of(name, path, sizeof(path)))
        unlink(path);
    if (comm->room->joined == comm->ranks)
        return check_devices(comm);
    if (comm->room->broken)
        return ncclInvalidUsage;
    nccl_say("ncclCommInitRank: rank %d of %d has waited %d s: only %d have come; a thread that "
             "makes several needs ncclGroupStart()",
             comm->rank, comm->ranks, JOINING, (int)comm->room->joined);
    return ncclSystemError;
}

void nccl_room_leave(ncclComm_t comm)
{
    comm->room->members[comm->rank].left = true;
    munmap(comm->room, comm->room_bytes);
}

/* --- Moving ----------------------------------------------------------------------------------- */

static void send_piece(struct nccl_transfer *transfer, struct box *box)
{
    const size_t left = transfer->bytes - transfer->moved;

    box->bytes = (uint32_t)(left < PIECE ? left : PIECE);
    box->terms = transfer->terms;
    box->total = transfer->bytes;
    if (box->bytes)
        memcpy(box->data, transfer->data + transfer->moved, box->bytes);
    transfer->moved += box->bytes;
    box->full = true;
}

/* The two ranks mean the same call. */
static bool agrees(const struct nccl_transfer *transfer, const struct box *box)
{
    char mine[NCCL_LINE / 3], theirs[NCCL_LINE / 3];

    if (memcmp(&transfer->terms, &box->terms, sizeof(box->terms)) == 0 &&
        transfer->bytes == box->total)
        return true;
    nccl_describe(&transfer->terms, mine, sizeof(mine));
    nccl_describe(&box->terms, theirs, sizeof(theirs));
    nccl_say("rank %d calls %s, but rank %d %s", transfer->comm->rank, mine, transfer->peer,
             theirs);
    return false;
}

static bool take_piece(struct nccl_transfer *transfer, struct box *box, ncclResult_t *result)
{
    if (!agrees(transfer, box)) {
        *result = ncclInvalidUsage;
        return false;
    }
    if (box->bytes)
        memcpy(transfer->data + transfer->moved, box->data, box->bytes);
    transfer->moved += box->bytes;
    box->full = false;
    return true;
}

void nccl_room_look(ncclComm_t comm)
{
    comm->looked = comm->room->moves;
}

/* A transfer is done when the other rank has taken the last piece. */
bool nccl_room_move(struct nccl_transfer *transfer, ncclResult_t *result)
{
    const ncclComm_t comm = transfer->comm;
    struct box *box = transfer->sends ? box_of(comm, comm->rank, transfer->peer)
                                      : box_of(comm, transfer->peer, comm->rank);
    const bool all_sent = transfer->begun && transfer->moved == transfer->bytes;

    if (box->full == transfer->sends)
        return false;
    if (transfer->sends && !all_sent)
        send_piece(transfer, box);
    else if (!transfer->sends && !take_piece(transfer, box, result))
        return false;
    transfer->done = transfer->sends ? all_sent : transfer->moved == transfer->bytes;
    transfer->begun = true;
    comm->suspect = 0;
    atomic_fetch_add(&comm->room->moves, 1);
    return true;
}

/* --- Waiting ---------------------------------------------------------------------------------- */

/* Has the process ended? One whose parent has not asked for its exit code counts as ended. */
static bool has_ended(int process)
{
    char path[40], line[200];
    const char *state;

    snprintf(path, sizeof(path), "/proc/%d/stat", process);
    FILE *file = fopen(path, "re");
    if (!file)
        return true;
    state = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
    fclose(file);
    return state && strlen(state) > 2 && strchr("ZX", state[2]);
}

/* Every rank waits, and has looked at all boxes since anything last moved. */
static bool all_wait(const struct ncclComm *comm)
{
    const unsigned long moves = comm->room->moves;

    for (int r = 0; r < comm->ranks; r++)
        if (!comm->room->members[r].waits || comm->room->members[r].seen != moves)
            return false;
    return comm->room->moves == moves;
}

ncclResult_t nccl_room_wait(ncclComm_t comm, const char *call)
{
    struct member *member = &comm->room->members[comm->rank];
    const int broken = comm->room->broken;

    member->seen = comm->looked;
    member->waits = true;
    if (broken) {
        nccl_say("%s: rank %d stops, as rank %d has given up", call, comm->rank, broken - 1);
        return ncclRemoteError;
    }
    if (all_wait(comm)) {
        nccl_say("%s: a deadlock: all %d ranks wait, and none sends what another expects", call,
                 comm->ranks);
        return ncclInvalidUsage;
    }
    return ncclSuccess;
}

ncclResult_t nccl_room_expect(const struct nccl_transfer *transfer, const char *call, double waited)
{
    const ncclComm_t comm = transfer->comm;
    const struct member *peer = &comm->room->members[transfer->peer];

    if (peer->left || has_ended(peer->process)) {
        if (comm->suspect != 1 + transfer->peer) { /* its last pieces may be there */
            comm->suspect = 1 + transfer->peer;
            return ncclSuccess;
        }
        nccl_say("%s: rank %d waits for rank %d, which has ended", call, comm->rank,
                 transfer->peer);
        return ncclRemoteError;
    }
    if (waited > PATIENCE && !peer->waits && peer->process == getpid() &&
        peer->thread == (int)syscall(SYS_gettid)) {
        nccl_say("%s: rank %d waits for rank %d, which is of the same thread: put the calls of "
                 "both between ncclGroupStart() and ncclGroupEnd()",
                 call, comm->rank, transfer->peer);
        return ncclInvalidUsage;
    }
    return ncclSuccess;
}

void nccl_room_end(ncclComm_t comm, ncclResult_t result)
{
    int nobody = 0;

    comm->room->members[comm->rank].waits = false;
    if (result) {
        comm->broken = result;
        atomic_compare_exchange_strong(&comm->room->broken, &nobody, 1 + comm->rank);
    }
}

/* SPDX-License-Identifier: MIT */
/* NCCL: communicators, and the calls between their ranks. */
#include "libraries/nccl.h"

#include <string.h>

/* --- Communicators ---------------------------------------------------------------------------- */

ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
    if (!id)
        return ncclInvalidArgument;
    memset(id, 0, sizeof(*id));
    nccl_room_name(id->internal, sizeof(id->internal));
    return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank)
{
    int device;

    if (cudaFree(NULL) || cudaGetDevice(&device))
        return ncclUnhandledCudaError;
    const ncclResult_t result = nccl_join(comm, ranks, &id, rank, device);
    return result ? result : nccl_group_close();
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t *config)
{
    (void)config; /* how fast, and who waits where: nothing of it changes results */
    return ncclCommInitRank(comm, ranks, id, rank);
}

ncclResult_t ncclCommInitAll(ncclComm_t *comms, int count, const int *devices)
{
    ncclUniqueId id;
    ncclResult_t result = ncclSuccess;
    int existing;

    if (!comms || count < 1 || cudaGetDeviceCount(&existing) || count > existing) {
        nccl_say("ncclCommInitAll: %d ranks need as many devices", count);
        return ncclInvalidArgument;
    }
    ncclGetUniqueId(&id);
    ncclGroupStart();
    for (int i = 0; i < count && !result; i++) {
        const int device = devices ? devices[i] : i;
        result = device >= 0 && device < existing ? nccl_join(&comms[i], count, &id, i, device)
                                                  : ncclInvalidArgument;
    }
    const ncclResult_t end = ncclGroupEnd();
    return result ? result : end;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
    if (!comm)
        return ncclInvalidArgument;
    nccl_drop(comm);
    return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm)
{
    return ncclCommDestroy(comm);
}

ncclResult_t ncclCommFinalize(ncclComm_t comm)
{
    return comm ? ncclSuccess : ncclInvalidArgument;
}

/* ncclCommX(comm, &value). */
#define FIELD(name, type, field)                          \
    ncclResult_t name(const ncclComm_t comm, type *value) \
    {                                                     \
        if (!comm || !value)                              \
            return ncclInvalidArgument;                   \
        *value = comm->field;                             \
        return ncclSuccess;                               \
    }
FIELD(ncclCommCount, int, ranks)
FIELD(ncclCommUserRank, int, rank)
FIELD(ncclCommCuDevice, int, device)

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
    if (!comm || !error)
        return ncclInvalidArgument;
    *error = comm->broken;
    return ncclSuccess;
}

/* --- Calls ------------------------------------------------------------------------------------ */

ncclResult_t ncclAllReduce(const void *in, void *out, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
    return nccl_call(ALL_REDUCE, in, out, count, type, op, 0, comm, stream);
}

ncclResult_t ncclReduce(const void *in, void *out, size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream)
{
    return nccl_call(REDUCE, in, out, count, type, op, root, comm, stream);
}

ncclResult_t ncclBroadcast(const void *in, void *out, size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, cudaStream_t stream)
{
    return nccl_call(BROADCAST, in, out, count, type, 0, root, comm, stream);
}

ncclResult_t ncclBcast(void *buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                       cudaStream_t stream)
{
    return nccl_call(BROADCAST, buffer, buffer, count, type, 0, root, comm, stream);
}

ncclResult_t ncclAllGather(const void *in, void *out, size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream)
{
    return nccl_call(ALL_GATHER, in, out, count, type, 0, 0, comm, stream);
}

ncclResult_t ncclReduceScatter(const void *in, void *out, size_t count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
    return nccl_call(REDUCE_SCATTER, in, out, count, type, op, 0, comm, stream);
}

ncclResult_t ncclSend(const void *in, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream)
{
    return nccl_call(SEND, in, NULL, count, type, 0, peer, comm, stream);
}

ncclResult_t ncclRecv(void *out, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream)
{
    return nccl_call(RECV, NULL, out, count, type, 0, peer, comm, stream);
}

/* --- The rest --------------------------------------------------------------------------------- */

const char *ncclGetErrorString(ncclResult_t result)
{
    static const char *const words[] = {"no error",          "CUDA error",       "system error",
                                        "internal error",    "invalid argument", "invalid usage",
                                        "remote rank ended", "in progress"};

    return (unsigned)result < sizeof(words) / sizeof(words[0]) ? words[result] : "unknown result";
}

const char *ncclGetLastError(ncclComm_t comm)
{
    (void)comm;
    return nccl_last_line();
}

GET_VERSION(ncclResult_t, ncclGetVersion, NCCL_VERSION_CODE, ncclInvalidArgument)

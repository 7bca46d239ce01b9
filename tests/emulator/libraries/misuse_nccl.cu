/* What two ranks of NCCL may do wrong: each mistake ends both with an error, and none hangs. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nccl.h>
#include <string>
#include <thread>
#include <cuda_runtime.h>

static const char *mistake;
static float *buffers[2];
static ncclComm_t comms[2];

static bool is(const char *name)
{
    return !std::strcmp(mistake, name);
}

static ncclResult_t call(int rank)
{
    float *buffer = buffers[rank];
    ncclComm_t comm = comms[rank];

    if (is("root")) /* each takes itself for the root */
        return ncclBroadcast(buffer, buffer, 4, ncclFloat, rank, comm, NULL);
    if (is("outside"))
        return ncclReduce(buffer, buffer, 4, ncclFloat, ncclSum, 2, comm, NULL);
    if (is("count"))
        return ncclAllReduce(buffer, buffer, 4 + rank, ncclFloat, ncclSum, comm, NULL);
    if (is("short"))
        return ncclAllReduce(buffer, buffer, 9, ncclFloat, ncclSum, comm, NULL);
    if (is("deadlock")) { /* both send first */
        const ncclResult_t result = ncclSend(buffer, 4, ncclFloat, 1 - rank, comm, NULL);
        return result ? result : ncclRecv(buffer, 4, ncclFloat, 1 - rank, comm, NULL);
    }
    if (is("ended") && rank == 1)
        return ncclCommDestroy(comm);
    return ncclAllReduce(buffer, buffer, 4, ncclFloat, ncclSum, comm, NULL);
}

/* Two ranks on device 0, which is one too few unless they count as of two machines. */
static ncclResult_t join(ncclUniqueId id)
{
    ncclResult_t result = ncclGroupStart();

    for (int r = 0; r < 2 && !result; r++) {
        setenv("NCCL_HOSTID", is("device") ? "" : std::to_string(r).c_str(), 1);
        result = ncclCommInitRank(&comms[r], 2, id, is("twice") ? 0 : r);
    }
    const ncclResult_t end = ncclGroupEnd();
    return result ? result : end;
}

int main(int argc, char **argv)
{
    ncclUniqueId id;
    ncclResult_t results[2];

    mistake = argc > 1 ? argv[1] : "";
    ncclGetUniqueId(&id);
    if (is("id"))
        std::strcpy(id.internal, "../../tmp/file");
    results[0] = join(id);
    if (results[0]) {
        std::printf("%s\n", ncclGetErrorString(results[0]));
        return 0;
    }
    for (float *&buffer : buffers) {
        cudaMalloc(&buffer, 8 * sizeof(float));
        cudaMemset(buffer, 0, 8 * sizeof(float));
    }
    if (is("one_thread")) {
        std::printf("%s\n", ncclGetErrorString(call(0)));
        return 0;
    }
    std::thread other([&] { results[1] = call(1); });
    results[0] = call(0);
    other.join();
    std::printf("%s, %s\n", ncclGetErrorString(results[0]), ncclGetErrorString(results[1]));
    return 0;
}

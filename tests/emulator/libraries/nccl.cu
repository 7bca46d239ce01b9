/* NCCL: every call of every type between ranks that are of one thread, of a thread each, or of a
 * process each, against what the host works out. Numbers are small and whole, so that every type
 * holds every result. The ranks share device 0, as if on machines of their own (NCCL_HOSTID). */
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <nccl.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "../cudart/expect.h"

#define EXPECT_DONE(call) EXPECT((call) == ncclSuccess)

/* The ranks of this thread, from `first` up to `end`, each with its buffers. */
struct team {
    int ranks, first, end;
    std::vector<ncclComm_t> comms;
    std::vector<cudaStream_t> streams;
};

static int input(int rank, size_t i)
{
    return 1 + (rank * 5 + (int)i) % 3;
}

static double reduced(ncclRedOp_t op, int ranks, size_t i)
{
    double value = input(0, i);

    for (int r = 1; r < ranks; r++) {
        const double x = input(r, i);
        value = op == ncclProd  ? value * x
                : op == ncclMax ? std::fmax(value, x)
                : op == ncclMin ? std::fmin(value, x)
                                : value + x;
    }
    return op == ncclAvg ? value / ranks : value;
}

enum kind { ALL_REDUCE, REDUCE, BROADCAST, ALL_GATHER, REDUCE_SCATTER, TO_NEXT, KINDS };

static ncclResult_t call(kind kind, const void *in, void *out, size_t n, ncclDataType_t type,
                         ncclRedOp_t op, int root, int ranks, int rank, ncclComm_t comm,
                         cudaStream_t stream)
{
    switch (kind) {
    case ALL_REDUCE:
        return ncclAllReduce(in, out, n, type, op, comm, stream);
    case REDUCE:
        return ncclReduce(in, out, n, type, op, root, comm, stream);
    case BROADCAST:
        return ncclBroadcast(in, out, n, type, root, comm, stream);
    case ALL_GATHER:
        return ncclAllGather(in, out, n, type, comm, stream);
    case REDUCE_SCATTER:
        return ncclReduceScatter(in, out, n, type, op, comm, stream);
    default:
        EXPECT_DONE(ncclSend(in, n, type, (rank + 1) % ranks, comm, stream));
        return ncclRecv(out, n, type, (rank + ranks - 1) % ranks, comm, stream);
    }
}

/* What number i of the output of `rank` must be; NAN: untouched. */
static double expected(kind kind, ncclRedOp_t op, int root, int ranks, int rank, size_t n, size_t i)
{
    const size_t end = kind == ALL_GATHER ? (size_t)ranks * n : n;

    if (i >= end || (kind == REDUCE && rank != root))
        return NAN;
    switch (kind) {
    case BROADCAST:
        return input(root, i);
    case ALL_GATHER:
        return input((int)(i / n), i % n);
    case REDUCE_SCATTER:
        return reduced(op, ranks, (size_t)rank * n + i);
    case TO_NEXT:
        return input((rank + ranks - 1) % ranks, i);
    default:
        return reduced(op, ranks, i);
    }
}

template <typename T>
static void test(const team &team, ncclDataType_t type, bool whole, kind kind, ncclRedOp_t op,
                 size_t n)
{
    const int here = team.end - team.first, root = (int)n % team.ranks;
    const size_t room = team.ranks * n + 1;
    std::vector<T *> in(here), out(here);
    std::vector<T> host(room);

    for (int k = 0; k < here; k++) {
        for (size_t i = 0; i < room; i++)
            host[i] = T((float)input(team.first + k, i));
        cudaMalloc(&in[k], room * sizeof(T));
        cudaMalloc(&out[k], room * sizeof(T));
        cudaMemcpy(in[k], host.data(), room * sizeof(T), cudaMemcpyHostToDevice);
        cudaMemset(out[k], 0x55, room * sizeof(T));
    }
    EXPECT_DONE(ncclGroupStart());
    for (int k = 0; k < here; k++)
        EXPECT_DONE(call(kind, in[k], out[k], n, type, op, root, team.ranks, team.first + k,
                         team.comms[k], team.streams[k]));
    EXPECT_DONE(ncclGroupEnd());
    for (int k = 0; k < here; k++) {
        T untouched;
        std::memset((void *)&untouched, 0x55, sizeof(T));
        EXPECT_SUCCESS(cudaStreamSynchronize(team.streams[k]));
        cudaMemcpy(host.data(), out[k], room * sizeof(T), cudaMemcpyDeviceToHost);
        for (size_t i = 0; i < room; i++) {
            double wanted = expected(kind, op, root, team.ranks, team.first + k, n, i);
            if (std::isnan(wanted))
                EXPECT(!std::memcmp((void *)&host[i], (void *)&untouched, sizeof(T)));
            else
                EXPECT(std::fabs((double)(float)host[i] - (whole ? std::floor(wanted) : wanted)) <=
                       (op == ncclAvg ? 0.02 : 0));
        }
        cudaFree(in[k]);
        cudaFree(out[k]);
    }
}

template <typename T> static void test_type(const team &team, ncclDataType_t type, bool whole)
{
    static const size_t sizes[] = {1, 5, 0, 20011};

    for (int kind = 0; kind < KINDS; kind++)
        test<T>(team, type, whole, (enum kind)kind, ncclSum, sizes[kind % 2]);
    for (int op = 0; op < ncclNumOps; op++)
        test<T>(team, type, whole, REDUCE_SCATTER, (ncclRedOp_t)op, 3);
    if (type == ncclInt32)
        for (int kind = 0; kind < 2 * KINDS; kind++)
            test<T>(team, type, whole, (enum kind)(kind / 2), ncclSum, sizes[2 + kind % 2]);
}

static void test_all(const team &team)
{
    test_type<signed char>(team, ncclInt8, true);
    test_type<unsigned char>(team, ncclUint8, true);
    test_type<int>(team, ncclInt32, true);
    test_type<unsigned>(team, ncclUint32, true);
    test_type<long long>(team, ncclInt64, true);
    test_type<unsigned long long>(team, ncclUint64, true);
    test_type<__half>(team, ncclFloat16, false);
    test_type<__nv_bfloat16>(team, ncclBfloat16, false);
    test_type<float>(team, ncclFloat32, false);
    test_type<double>(team, ncclFloat64, false);
}

static std::mutex environment;

/* Ranks from `first` up to `end` of `ranks`, from their first call to their last. */
static void live(ncclUniqueId id, int ranks, int first, int end)
{
    team team = {ranks, first, end};
    int count, rank, device;
    ncclResult_t error;

    EXPECT_DONE(ncclGroupStart());
    team.comms.resize(end - first);
    team.streams.resize(end - first);
    for (int r = first; r < end; r++) {
        std::lock_guard<std::mutex> lock(environment);
        setenv("NCCL_HOSTID", std::to_string(r).c_str(), 1);
        EXPECT_DONE(ncclCommInitRankConfig(&team.comms[r - first], ranks, id, r, NULL));
        EXPECT_SUCCESS(cudaStreamCreate(&team.streams[r - first]));
    }
    EXPECT_DONE(ncclGroupEnd());
    for (int r = first; r < end; r++) {
        ncclComm_t comm = team.comms[r - first];
        EXPECT_DONE(ncclCommCount(comm, &count));
        EXPECT_DONE(ncclCommUserRank(comm, &rank));
        EXPECT_DONE(ncclCommCuDevice(comm, &device));
        EXPECT(count == ranks && rank == r && device == 0);
    }
    test_all(team);
    for (int r = first; r < end; r++) {
        EXPECT_DONE(ncclCommGetAsyncError(team.comms[r - first], &error));
        EXPECT_DONE(error);
        EXPECT_DONE(ncclCommFinalize(team.comms[r - first]));
        EXPECT_DONE(ncclCommDestroy(team.comms[r - first]));
        EXPECT_SUCCESS(cudaStreamDestroy(team.streams[r - first]));
    }
}

static int in_processes(ncclUniqueId id, int ranks)
{
    int worst = 0, status;

    for (int r = 0; r < ranks; r++)
        if (fork() == 0) {
            live(id, ranks, r, r + 1);
            std::fflush(stdout);
            _exit(failures != 0);
        }
    while (wait(&status) > 0)
        worst |= status;
    return worst;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "group";
    const int ranks = argc > 2 ? std::atoi(argv[2]) : 2;
    ncclUniqueId id;
    ncclComm_t alone;
    int version;

    EXPECT_DONE(ncclGetUniqueId(&id));
    if (!std::strcmp(mode, "processes")) {
        EXPECT(in_processes(id, ranks) == 0);
        return finish();
    }
    EXPECT_DONE(ncclGetVersion(&version));
    EXPECT(version >= 20000);
    EXPECT_DONE(ncclCommInitAll(&alone, 1, NULL));
    EXPECT_DONE(ncclBcast(NULL, 0, ncclFloat, 0, alone, NULL));
    EXPECT(ncclBcast(NULL, 1, ncclFloat, 0, alone, NULL) == ncclInvalidArgument);
    EXPECT(std::strstr(ncclGetLastError(alone), "a buffer is NULL"));
    EXPECT_DONE(ncclCommAbort(alone));
    if (!std::strcmp(mode, "threads")) {
        std::vector<std::thread> threads;
        for (int r = 0; r < ranks; r++)
            threads.emplace_back(live, id, ranks, r, r + 1);
        for (std::thread &thread : threads)
            thread.join();
    } else {
        live(id, ranks, 0, ranks);
    }
    return finish();
}

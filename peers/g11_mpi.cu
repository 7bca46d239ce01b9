/* g11: a process for each GPU. A new beginning.
 *
 * Before: in library_nccl one process had all GPUs, which must be of one machine.
 * Now:    mpirun starts a process, a rank, for each GPU, on one machine or on many. Rank 0 asks
 *         NCCL for an ID and MPI_Bcast() brings it to all; with it ncclCommInitRank() finds the
 *         others. From then on all_reduce_gpu() of each rank makes the calls for its own GPU,
 *         without a group.
 * See:    docs/peers.md#g11
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "peers.h"
#include "nccl_check.cuh"

static int rank, ranks;
static ncclComm_t comm;

/* The whole device side of this rank, from its host vector to the sum of all. */
static void all_reduce_gpu(const unsigned *in, unsigned *out, int n, int devices, struct run *run)
{
    unsigned *d_in = device_input(unsigned, in + (size_t)rank * n, n);
    unsigned *d_out = device_output(unsigned, run, n);

    if (!comm) {
        ncclUniqueId id;

        if (rank == 0)
            CHECK_NCCL(ncclGetUniqueId(&id));
        MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
        CHECK_NCCL(ncclCommInitRank(&comm, ranks, id, rank));
    }
    TIMED(run)
        CHECK_NCCL(ncclAllReduce(d_in, d_out, n, ncclUint32, ncclSum, comm, NULL));

    device_fetch(unsigned, out + (size_t)rank * n, d_out, n);
    device_free(run, d_in);
    device_free(run, d_out);
}

int main(int argc, char **argv)
{
    char device[] = "--device", number[16];
    char **arguments = (char **)calloc(argc + 3, sizeof(*arguments));
    int code;

    if (!arguments)
        return EXIT_CUDA;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank > 0 && !freopen("/dev/null", "w", stdout)) /* one report is enough */
        return EXIT_CUDA;
    snprintf(number, sizeof(number), "%d", rank);
    arguments[0] = argv[0];
    arguments[1] = device;
    arguments[2] = number;
    for (int i = 1; i < argc; i++)
        arguments[i + 2] = argv[i];
    code = peers_main(argc + 2, arguments, STEP,
                      {.all_reduce = all_reduce_gpu, .rank = rank, .ranks = ranks});
    free(arguments);
    if (code > EXIT_MISMATCH && ranks > 1)
        MPI_Abort(MPI_COMM_WORLD, code); /* the others would wait for this rank */
    if (comm)
        CHECK_NCCL(ncclCommDestroy(comm));
    MPI_Finalize();
    return code;
}

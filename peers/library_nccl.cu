/* library_nccl: the row to beat.
 *
 * Now:    NCCL's ncclAllReduce(). One host thread calls it for every GPU, so the calls stand
 *         between ncclGroupStart() and ncclGroupEnd(): alone, the first would wait for the second.
 * See:    docs/peers.md#library_nccl
 */
#include "vectors.cuh"
#include "nccl_check.cuh"

/* The whole device side, from host vectors to host vectors. */
static void all_reduce_gpu(const unsigned *in, unsigned *out, int n, int devices, struct run *run)
{
    struct team team = team_new(devices);
    struct vectors v = vectors_new(in, n, devices, run);
    ncclComm_t comms[MAX_DEVICES];

    CHECK_NCCL(ncclCommInitAll(comms, devices, NULL));
    TIMED(run) {
        start_all(&team, run);
        CHECK_NCCL(ncclGroupStart());
        for (int d = 0; d < devices; d++)
            CHECK_NCCL(ncclAllReduce(v.in[d], v.out[d], n, ncclUint32, ncclSum, comms[d],
                                     team.streams[d]));
        CHECK_NCCL(ncclGroupEnd());
        wait_for_all(&team);
    }

    vectors_fetch(&v, out, devices, run);
    for (int d = 0; d < devices; d++)
        CHECK_NCCL(ncclCommDestroy(comms[d]));
    team_free(&team);
}

int main(int argc, char **argv)
{
    return peers_main(argc, argv, STEP, {.all_reduce = all_reduce_gpu});
}

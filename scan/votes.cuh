/* How many stay: for c10 and c11. */
#ifndef VOTES_CUH
#define VOTES_CUH

/* Each lane has four numbers, and in `keep` a bit for each that stays. Returns how many numbers of
 * the warp stay; *below: in the lanes below this one. */
__device__ static int count_kept(unsigned keep, int *below)
{
    int all = 0;

    *below = 0;
    for (int j = 0; j < 4; j++) {
        const unsigned votes = __ballot_sync(0xffffffff, keep >> j & 1);

        all += __popc(votes);
        *below += __popc(votes & ((1u << threadIdx.x % 32) - 1));
    }
    return all;
}

#endif

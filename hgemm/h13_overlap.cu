/* h13: the next launch begins while this one ends. A new beginning.
 *
 * Before: between two launches of h12 the card runs dry: blocks end at different times, and the
 *         next ones prepare their barriers, meet, and wait for their first tiles.
 * Now:    as in SGEMM's s15, a launch may begin early: its blocks prepare what needs no memory, and
 *         wait in wait_and_allow() until the launch before has ended. And a block ends as soon as
 *         its stores have left shared memory: for the other's arrivals it waits in
 *         fetch_and_drain(); a barrier of the cluster would also wait until memory has the stores.
 *         The kernel takes the shape of its tiles as a parameter, for h14.
 * See:    docs/hgemm.md#h13
 */
#include "tiles_out.cuh"

/* Wait until the previous launch has ended, and let the next one begin. */
__device__ static void wait_and_allow(void)
{
    asm volatile("griddepcontrol.wait;\n\tgriddepcontrol.launch_dependents;" ::: "memory");
}

/* Fetch, and wait until both blocks have multiplied it all: then nobody arrives here any more. */
template <class S>
__device__ static void fetch_and_drain(tile_ring<S> *ring, const struct hgemm &p,
                                       const struct maps &maps)
{
    const int count = fetch_pairs<S>(ring, p, maps);

    for (int k = count; k < count + S::STAGES; k++)
        wait_for_place<S>(ring, k);
}

template <class S>
__global__ void __cluster_dims__(S::CLUSTER) __launch_bounds__(S::ALL_THREADS, 1)
    hgemm(const struct hgemm p, const __grid_constant__ struct all_maps maps)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    block_memory<S> *const block = (block_memory<S> *)shared;
    const int group = threadIdx.x / THREADS;

    start_ring<S>(&block->ring);
    wait_and_allow();
    if (group == S::GROUPS) {
        if (S::GROUPS > 1) /* else there are enough for all */
            give_registers<FEW>();
        if (threadIdx.x % THREADS == 0)
            fetch_and_drain(&block->ring, p, maps.in);
        __syncwarp();
    } else {
        if (S::GROUPS > 1)
            take_registers<MANY>();
        multiply_pairs<S>(block, p, &maps.c, group);
    }
}

template <class S> static void launch(const struct hgemm &p, int blocks)
{
    cudaLaunchAttribute early = {.id = cudaLaunchAttributeProgrammaticStreamSerialization};
    const cudaLaunchConfig_t config = {.gridDim = (unsigned)blocks,
                                       .blockDim = S::ALL_THREADS,
                                       .dynamicSmemBytes = sizeof(block_memory<S>),
                                       .attrs = &early,
                                       .numAttrs = 1};

    early.val.programmaticStreamSerializationAllowed = 1;
    CHECK(cudaLaunchKernelEx(&config, hgemm<S>, p, make_all_maps<S>(p)));
}

template <class S> static int plan(struct run *run, const struct hgemm &p)
{
    return plan_pairs<S>(run, count_pairs<S>(p), sizeof(block_memory<S>), hgemm<S>);
}

static void hgemm_gpu(const struct hgemm *p, struct run *run)
{
    typedef shape<128, 256, 4, 2> tile;
    const int blocks = plan<tile>(run, *p);
    bf16 *const work = new_work(*p);

    TIMED(run)
        launch<tile>(pad_rows(*p, work), blocks);
    CHECK(cudaFree(work));
}

int main(int argc, char **argv)
{
    return hgemm_main(argc, argv, STEP, hgemm_gpu);
}

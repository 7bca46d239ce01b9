/* Blocks that stay, for the last steps, and a warp in each that goes ahead of the others.
 *
 * In each turn every block has one tile: block b of `blocks` has tile `turn` * `blocks` + b. The
 * copy engine fetches a block's tiles into a ring of STAGES stages in shared memory. The workers
 * add up a tile AHEAD turns before they scan it, so by then all blocks have left the sums of that
 * turn. The last warp of the block leaves them, asks for those of others, and keeps the ring
 * full.
 */
#ifndef AHEAD_CUH
#define AHEAD_CUH

#include "async.cuh"
#include "block.cuh"
#include "quads.cuh"
#include "words.cuh"

#ifndef STAGES
#define STAGES 7
#define AHEAD 4
#endif
enum { WORKERS = 16, QUADS = 4, PART = 32 * QUADS, TILE = WORKERS * PART * 4 };
enum { NUMBERS = 4 * QUADS, AHEAD_THREADS = 32 * (WORKERS + 1) };
enum { ASKED = 5, MOST_BLOCKS = 32 * ASKED }; /* words that each lane asks for in a turn */

/* A block's shared memory. A stage goes through four barriers: its tile is there, its warps' sums
 * are, what lies before them is, and its tile has been read. */
template <typename T> struct stages {
    quad<T> tile[STAGES][TILE / 4];
    T sums[STAGES][WORKERS]; /* of each worker's part; in the end, of all numbers before it */
    uint64_t full[STAGES], summed[STAGES], ready[STAGES], read[STAGES];
};

/* What a launch works on. */
template <typename T> struct input {
    const T *a;
    int n, tiles;
    unsigned launch; /* counts from 1: how words of this launch are told from older ones */
    volatile unsigned long long *words; /* one for each tile */
};

/* This block's tile in a turn. */
__device__ static int tile_of(int turn)
{
    return turn * (int)gridDim.x + (int)blockIdx.x;
}

/* Where quad k of this thread lies: in a tile; among all. */
__device__ static int quad_in_tile(int k)
{
    return threadIdx.x / 32 * PART + k * 32 + threadIdx.x % 32;
}
__device__ static int quad_at(int turn, int k)
{
    return tile_of(turn) * (TILE / 4) + quad_in_tile(k);
}

/* The same of number k, where a number's neighbours are its lane's neighbours'. */
__device__ static int number_in_tile(int k)
{
    return threadIdx.x / 32 * PART * 4 + k * 32 + threadIdx.x % 32;
}
__device__ static int number_at(int turn, int k)
{
    return tile_of(turn) * TILE + number_in_tile(k);
}

/* This thread's quads of a turn, or its numbers. What is not a whole quad does not come by the copy
 * engine. */
template <typename T>
__device__ void read_part(const stages<T> *m, input<T> in, int turn, quad<T> (&quads)[QUADS])
{
    for (int k = 0; k < QUADS; k++) {
        const int at = quad_at(turn, k);

        quads[k] =
            at < in.n / 4 ? m->tile[turn % STAGES][quad_in_tile(k)] : read_quad(in.a, at, in.n);
    }
}

template <typename T>
__device__ void read_part(const stages<T> *m, input<T> in, int turn, T (&numbers)[NUMBERS])
{
    const T *tile = m->tile[turn % STAGES][0].v;

    for (int k = 0; k < NUMBERS; k++) {
        const int at = number_at(turn, k);

        numbers[k] = at < in.n / 4 * 4 ? tile[number_in_tile(k)] : at < in.n ? in.a[at] : 0;
    }
}

/* The same, as soon as the tile is there, to add it up. */
template <typename T, typename P>
__device__ void first_look(stages<T> *m, input<T> in, int turn, P &part)
{
    barrier_wait(&m->full[turn % STAGES], turn / STAGES);
    read_part(m, in, turn, part);
}

/* Hand this worker's sum, which lane 0 has, to the warp that goes ahead. */
template <typename T> __device__ void hand_over(stages<T> *m, int turn, T sum)
{
    if (threadIdx.x % 32 == 0) {
        m->sums[turn % STAGES][threadIdx.x / 32] = sum;
        barrier_arrive(&m->summed[turn % STAGES]);
    }
}

/* The part again, as soon as it is known what lies before. Returns that, and frees the stage. */
template <typename T, typename P>
__device__ T second_look(stages<T> *m, input<T> in, int turn, P &part)
{
    barrier_wait(&m->ready[turn % STAGES], turn / STAGES);
    const T before = m->sums[turn % STAGES][threadIdx.x / 32];

    read_part(m, in, turn, part);
    before_copies();
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        barrier_arrive(&m->read[turn % STAGES]);
    return before;
}

/* The tile of a turn sets out for its stage. One thread calls it. */
template <typename T> __device__ void fetch(stages<T> *m, input<T> in, int turn)
{
    const int s = turn % STAGES, first = tile_of(turn) * TILE;
    const int bytes = min((int)TILE, in.n - first) / 4 * sizeof(quad<T>);

    barrier_expect(&m->full[s], bytes);
    if (bytes > 0)
        copy_bulk(m->tile[s], in.a + first, bytes, &m->full[s]);
}

/* Add to the workers' sums of a turn what lies before this tile. `asked` are the words of that
 * turn's tiles, perhaps from before they were left; *before is the sum of all earlier turns. */
template <typename T>
__device__ void add_others(stages<T> *m, input<T> in, int turn, word<T> (&asked)[ASKED], T *before)
{
    const int lane = threadIdx.x % 32, s = turn % STAGES;
    T all = 0, here = 0;

    for (int k = 0; k < ASKED; k++) {
        const int block = k * 32 + lane, tile = turn * gridDim.x + block;

        if (block >= gridDim.x || tile >= in.tiles)
            continue;
        while ((unsigned)asked[k].half.what != in.launch)
            asked[k].whole = in.words[tile];
        all += asked[k].half.sum;
        here += block < blockIdx.x ? asked[k].half.sum : 0;
    }
    here = *before + warp_sum(here);
    *before += warp_sum(all);
    if (lane < WORKERS) {
        m->sums[s][lane] += here;
        barrier_arrive(&m->ready[s]);
    }
}

/* Leave the sum of a turn's tile, and in its stage what lies before each part of it. */
template <typename T> __device__ void leave_sum(stages<T> *m, input<T> in, int turn)
{
    const int lane = threadIdx.x % 32, s = turn % STAGES;

    barrier_wait(&m->summed[s], turn / STAGES);
    const T sum = warp_scan<T>(lane < WORKERS ? m->sums[s][lane] : 0);
    const T before = __shfl_up_sync(0xffffffff, sum, 1);

    if (lane < WORKERS)
        m->sums[s][lane] = lane > 0 ? before : 0;
    if (lane == 31)
        in.words[tile_of(turn)] = word<T>{{sum, (int)in.launch}}.whole;
}

/* What the last warp does. Block 0, which has a tile in each turn, returns the sum of all tiles. */
template <typename T> __device__ T go_ahead(stages<T> *m, input<T> in)
{
    const int lane = threadIdx.x % 32;
    word<T> asked[ASKED] = {};
    T before = 0;

    for (int turn = 0; turn < STAGES; turn++)
        if (lane == 0 && tile_of(turn) < in.tiles)
            fetch(m, in, turn);
    for (int turn = -AHEAD; tile_of(turn) < in.tiles; turn++) {
        const int refill = turn - 1 + STAGES;

        if (turn >= 0)
            add_others(m, in, turn, asked, &before);
        for (int k = 0; k < ASKED; k++) { /* for the next turn: until then they are here */
            const int block = k * 32 + lane, tile = (turn + 1) * (int)gridDim.x + block;

            if (turn + 1 >= 0 && block < gridDim.x && tile < in.tiles)
                asked[k].whole = in.words[tile];
        }
        if (tile_of(turn + AHEAD) < in.tiles)
            leave_sum(m, in, turn + AHEAD);
        if (turn > 0 && lane == 0 && tile_of(refill) < in.tiles) {
            barrier_wait(&m->read[(turn - 1) % STAGES], (turn - 1) / STAGES);
            fetch(m, in, refill);
        }
    }
    return before;
}

/* Whether this warp is the last. Then it has gone ahead, and *sum is the sum of all tiles. */
template <typename T> __device__ bool went_ahead(stages<T> *m, input<T> in, T *sum)
{
    if (threadIdx.x / 32 < WORKERS)
        return false;
    const T all = go_ahead(m, in);

    if (blockIdx.x == 0)
        *sum = all;
    return true;
}

/* The stages, in dynamic shared memory, with their barriers prepared. All threads call it. */
template <typename T> __device__ stages<T> *stages_new()
{
    extern __shared__ float4 shared[];
    stages<T> *const m = (stages<T> *)shared;

    if (threadIdx.x == 0) {
        barriers_init(m->full, STAGES);
        barriers_init(m->summed, STAGES, WORKERS);
        barriers_init(m->ready, STAGES, WORKERS);
        barriers_init(m->read, STAGES, WORKERS);
    }
    __syncthreads();
    return m;
}

/* n numbers of the host, on the device. */
template <typename T> input<T> input_on_device(const T *a, int n)
{
    input<T> in = {device_input(T, a, n), n, n > 0 ? (n - 1) / TILE + 1 : 0};
    const size_t bytes = in.tiles * sizeof(*in.words);

    CHECK(cudaMalloc((void **)&in.words, bytes));
    CHECK(cudaMemset((void *)in.words, 0, bytes));
    return in;
}

template <typename T> void input_free(struct run *run, input<T> in)
{
    device_free(run, (void *)in.a);
    CHECK(cudaFree((void *)in.words));
}

/* A launch with a block for each SM, or for each tile if these are fewer. The blocks wait for each
 * other: a cooperative launch says so, and fails where they do not all fit. */
template <typename T, typename... K>
cudaLaunchConfig_t config_ahead(void (*kernel)(K...), input<T> in, struct run *run)
{
    static cudaLaunchAttribute cooperative;
    cudaLaunchConfig_t config = {};
    int device, sms;

    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               sizeof(stages<T>)));
    run->blocks = max(1, min(in.tiles, min(sms, (int)MOST_BLOCKS)));
    run->threads = AHEAD_THREADS;
    run->shared_bytes = sizeof(stages<T>);
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    config.attrs = &cooperative;
    config.numAttrs = 1;
    config.gridDim = run->blocks;
    config.blockDim = run->threads;
    config.dynamicSmemBytes = run->shared_bytes;
    return config;
}

#endif

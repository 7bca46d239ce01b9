/* The ring of tiles of s09 and the rounds of s10, for tiles of any shape. */
#ifndef RING_CUH
#define RING_CUH

#include "bulk.cuh"

/* A block computes HIGH x WIDE of C, a thread ROWS x COLUMNS of them. DEPTH of k is a tile, STAGES
 * tiles are in the ring. SLICES teams of threads share a tile's k. With AHEAD the factors of the
 * next round are loaded between the products. BLOCKS is how many should fit a multiprocessor. */
template <int HIGH_, int WIDE_, int ROWS_, int COLUMNS_, int DEPTH_, int STAGES_, int SLICES_,
          bool AHEAD_, int BLOCKS_>
struct shape {
    enum { HIGH = HIGH_, WIDE = WIDE_, ROWS = ROWS_, COLUMNS = COLUMNS_, DEPTH = DEPTH_ };
    enum { STAGES = STAGES_, SLICES = SLICES_, AHEAD = AHEAD_, BLOCKS = BLOCKS_ };
    enum { ACROSS = WIDE / COLUMNS, DOWN = HIGH / ROWS, TEAM = ACROSS * DOWN };
    enum { THREADS = TEAM * SLICES, ROUNDS = DEPTH / SLICES, KEEP = ROWS / SLICES };
    enum { PIECES = ROWS / 4 + COLUMNS / 4 };
};

template <class S> struct tile_ring {
    float a[S::STAGES][S::HIGH][S::DEPTH], b[S::STAGES][S::DEPTH][S::WIDE];
    float turned[2][S::DEPTH][S::HIGH]; /* of A, transposed */
    uint64_t full[S::STAGES];
};

/* Where a thread's sums are in the block's tile: of a warp's 4 x 8 threads. */
template <class S> struct place {
    int slice, t, x, y; /* t: among the threads of its slice */
};

template <class S> __device__ inline place<S> find_place(void)
{
    const int slice = S::SLICES == 1 ? 0 : threadIdx.x / S::TEAM;
    const int t = S::SLICES == 1 ? threadIdx.x : threadIdx.x % S::TEAM;
    const int warp = t / 32, lane = t % 32;

    return {slice, t, warp % (S::ACROSS / 8) * 8 + lane % 8, warp / (S::ACROSS / 8) * 4 + lane / 8};
}

/* Fetch A's tile at (row, k) and B's at (k, column): number `tile` of this block. */
template <class S>
__device__ inline void fetch(struct tile_ring<S> *ring, const CUtensorMap *a, const CUtensorMap *b,
                             int row, int column, int k, int tile)
{
    const int s = tile % S::STAGES;

    before_copies(); /* the block has read what is overwritten here */
    barrier_expect(&ring->full[s], sizeof(ring->a[s]) + sizeof(ring->b[s]));
    copy_tile(ring->a[s], a, row, k, &ring->full[s]);
    copy_tile(ring->b[s], b, k, column, &ring->full[s]);
}

/* Wait for tile `tile`, and transpose its part of A. */
template <class S> __device__ inline void turn(struct tile_ring<S> *ring, int tile)
{
    barrier_wait(&ring->full[tile % S::STAGES], tile / S::STAGES);
#pragma unroll
    for (int l = 0; l < S::HIGH * S::DEPTH / 4 / S::THREADS; l++) {
        const int i = threadIdx.x + l * S::THREADS, r = i % S::HIGH, q = i / S::HIGH;
        const int piece = S::DEPTH == 16 ? q ^ r / 2 % 4 : q ^ r % 8; /* see map_matrix() */
        const float4 v = ((const float4 *)ring->a[tile % S::STAGES][r])[piece];

        put_column(ring->turned[tile % 2], 4 * q, r, v);
    }
}

/* One of a round's PIECES 128-bit loads: first those of A, then those of B; beyond them none. */
template <class S>
__device__ inline void load_piece(int piece, const float *at, const float *bt, const place<S> &me,
                                  float *a, float *b)
{
    const int g = piece - S::ROWS / 4;

    if (g < 0)
        *(float4 *)&a[4 * piece] = *(const float4 *)&at[4 * piece * S::DOWN + 4 * me.y];
    else if (g < S::COLUMNS / 4)
        *(float4 *)&b[4 * g] = *(const float4 *)&bt[4 * g * S::ACROSS + 4 * me.x];
}

/* Multiply tile `tile`, and transpose the next one on the way if there is one. */
template <class S>
__device__ inline void multiply(struct tile_ring<S> *ring, int tile, bool next, const place<S> &me,
                                float (*sum)[S::COLUMNS])
{
    const float(*const at)[S::HIGH] = ring->turned[tile % 2] + me.slice * S::ROUNDS;
    const float(*const bt)[S::WIDE] = ring->b[tile % S::STAGES] + me.slice * S::ROUNDS;
    float a[2][S::ROWS], b[2][S::COLUMNS];

#pragma unroll
    for (int piece = 0; piece < S::PIECES && S::AHEAD; piece++)
        load_piece<S>(piece, at[0], bt[0], me, a[0], b[0]);
#pragma unroll
    for (int k = 0; k < S::ROUNDS; k++) {
        if (k == S::ROUNDS / 2 && next)
            turn<S>(ring, tile + 1);
        for (int piece = 0; piece < S::PIECES && !S::AHEAD; piece++)
            load_piece<S>(piece, at[k], bt[k], me, a[k % 2], b[k % 2]);
        for (int j = 0; j < S::COLUMNS; j++) {
            for (int i = 0; i < S::ROWS; i++) {
                const int s = j % 2 ? S::ROWS - 1 - i : i;

                sum[s][j] = fmaf(a[k % 2][s], b[k % 2][j], sum[s][j]);
            }
            if (S::AHEAD && j % 2 == 0 && k + 1 < S::ROUNDS)
                load_piece<S>(j / 2, at[k + 1], bt[k + 1], me, a[~k & 1], b[~k & 1]);
        }
        if (S::AHEAD)
            __syncwarp();
    }
}

/* Fill the ring with the tiles of k from `first` on, `count` at most, and transpose the first. */
template <class S>
__device__ inline void start_ring(struct tile_ring<S> *ring, const CUtensorMap *a,
                                  const CUtensorMap *b, int row, int column, int first, int count)
{
    if (threadIdx.x == 0) {
        barriers_init(ring->full, S::STAGES);
        for (int tile = 0; tile < S::STAGES && tile < count; tile++)
            fetch<S>(ring, a, b, row, column, (first + tile) * S::DEPTH, tile);
    }
    __syncthreads();
    if (count > 0)
        turn<S>(ring, 0);
    __syncthreads();
}

/* All tiles of k from `first` to `last` (exclusive), into sum. */
template <class S>
__device__ inline void multiply_all(struct tile_ring<S> *ring, const CUtensorMap *a,
                                    const CUtensorMap *b, int row, int column, int first, int last,
                                    const place<S> &me, float (*sum)[S::COLUMNS])
{
    const int count = last - first;

    begin_early();
    start_ring<S>(ring, a, b, row, column, first, count);
#pragma unroll 1
    for (int tile = 0; tile < count; tile++) {
        multiply<S>(ring, tile, tile + 1 < count, me, sum);
        __syncthreads();
        if (threadIdx.x == 0 && tile + S::STAGES < count)
            fetch<S>(ring, a, b, row, column, (first + tile + S::STAGES) * S::DEPTH,
                     tile + S::STAGES);
    }
}

/* The slices of a block add up: each keeps KEEP of its rows, sum[slice * KEEP] and on, and gives
 * the others away, through shared memory that nobody uses any more. */
template <class S>
__device__ inline void add_slices(float *give, const place<S> &me, float (*sum)[S::COLUMNS],
                                  float (*total)[S::COLUMNS])
{
    enum { PART = S::KEEP * S::COLUMNS * S::TEAM };

#pragma unroll
    for (int s = 0; s < S::SLICES; s++)
        for (int i = 0; i < S::KEEP; i++)
            for (int j = 0; j < S::COLUMNS; j++) {
                const int giver = me.slice > s ? me.slice - 1 : me.slice;

                if (s == me.slice)
                    total[i][j] = sum[s * S::KEEP + i][j];
                else
                    give[(s * (S::SLICES - 1) + giver) * PART + (i * S::COLUMNS + j) * S::TEAM +
                         me.t] = sum[s * S::KEEP + i][j];
            }
    __syncthreads();
#pragma unroll
    for (int giver = 0; giver < S::SLICES - 1; giver++)
        for (int i = 0; i < S::KEEP; i++)
            for (int j = 0; j < S::COLUMNS; j++)
                total[i][j] += give[(me.slice * (S::SLICES - 1) + giver) * PART +
                                    (i * S::COLUMNS + j) * S::TEAM + me.t];
}

/* Store what this thread keeps of the tile at (row, column). */
template <class S>
__device__ inline void store_kept(const struct sgemm &p, int row, int column, const place<S> &me,
                                  const float (*total)[S::COLUMNS])
{
#pragma unroll
    for (int i = 0; i < S::KEEP; i++)
        for (int j = 0; j < S::COLUMNS; j += 4) {
            const int r = me.slice * S::KEEP + i;

            store4(p, row + r / 4 * 4 * S::DOWN + 4 * me.y + r % 4,
                   column + j * S::ACROSS + 4 * me.x, total[i][j], total[i][j + 1], total[i][j + 2],
                   total[i][j + 3]);
        }
}

/* Bytes of shared memory: the ring, or what the slices give each other. */
template <class S> constexpr int shared_bytes(void)
{
    const int given = (S::SLICES - 1) * S::HIGH * S::WIDE * (int)sizeof(float);
    const int ring_bytes = (int)sizeof(struct tile_ring<S>);

    return ring_bytes > given ? ring_bytes : given;
}

/* What the blocks of a launch leave for each other: see s14. */
struct shared_work {
    float *sums;
    unsigned *arrived; /* blocks, by tile; 0 before each launch, and again after it */
};

/* Room for it, to be freed with cudaFree(work.sums). Where blocks do not share tiles they leave
 * nothing. */
static inline struct shared_work new_shared_work(dim3 blocks, int high, int wide)
{
    const size_t tiles = (size_t)blocks.x * blocks.y;
    const size_t sums = blocks.z == 1 ? 0 : tiles * blocks.z * high * wide;
    struct shared_work work;

    CHECK(cudaMalloc(&work.sums, sums * sizeof(float) + tiles * sizeof(unsigned)));
    work.arrived = (unsigned *)(work.sums + sums);
    CHECK(cudaMemset(work.arrived, 0, tiles * sizeof(unsigned)));
    return work;
}

#endif

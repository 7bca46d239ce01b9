/* The ring of tiles of s09 and the rounds of s10, for tiles of any shape. */
#ifndef RING_CUH
#define RING_CUH

#include "bulk.cuh"

/* A block computes HIGH x WIDE of C, a thread ROWS x COLUMNS of them. DEPTH of k is a tile, STAGES
 * tiles are in the ring. SLICES teams of threads share a tile's k. With AHEAD the fragments of the
 * next round are loaded between the products. BLOCKS is how many should fit an SM. */
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
    float transposed[2][S::DEPTH][S::HIGH]; /* of A, transposed */
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
template <class S> __device__ inline void transpose(struct tile_ring<S> *ring, int tile)
{
    barrier_wait(&ring->full[tile % S::STAGES], tile / S::STAGES);
#pragma unroll
    for (int l = 0; l < S::HIGH * S::DEPTH / 4 / S::THREADS; l++) {
        const int i = threadIdx.x + l * S::THREADS, r = i % S::HIGH, q = i / S::HIGH;
        const int piece = S::DEPTH == 16 ? q ^ r / 2 % 4 : q ^ r % 8; /* see map_matrix() */
        const float4 v = ((const float4 *)ring->a[tile % S::STAGES][r])[piece];

        put_column(ring->transposed[tile % 2], 4 * q, r, v);
    }
}

/* One of a round's PIECES 128-bit loads: first those of A, then those of B; beyond them none. */
template <class S>
__device__ inline void load_fragment(int piece, const float *at, const float *bt,
                                     const place<S> &me, float *a, float *b)
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
    const float(*const at)[S::HIGH] = ring->transposed[tile % 2] + me.slice * S::ROUNDS;
    const float(*const bt)[S::WIDE] = ring->b[tile % S::STAGES] + me.slice * S::ROUNDS;
    float a[2][S::ROWS], b[2][S::COLUMNS];

#pragma unroll
    for (int piece = 0; piece < S::PIECES && S::AHEAD; piece++)
        load_fragment<S>(piece, at[0], bt[0], me, a[0], b[0]);
#pragma unroll
    for (int k = 0; k < S::ROUNDS; k++) {
        if (k == S::ROUNDS / 2 && next)
            transpose<S>(ring, tile + 1);
        for (int piece = 0; piece < S::PIECES && !S::AHEAD; piece++)
            load_fragment<S>(piece, at[k], bt[k], me, a[k % 2], b[k % 2]);
        for (int j = 0; j < S::COLUMNS; j++) {
            for (int i = 0; i < S::ROWS; i++) {
                const int s = j % 2 ? S::ROWS - 1 - i : i;

                sum[s][j] = fmaf(a[k % 2][s], b[k % 2][j], sum[s][j]);
            }
            if (S::AHEAD && j % 2 == 0 && k + 1 < S::ROUNDS)
                load_fragment<S>(j / 2, at[k + 1], bt[k + 1], me, a[~k & 1], b[~k & 1]);
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
        transpose<S>(ring, 0);
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

/* Two sums, one below the other, as they leave a thread: see s10b. */
template <class S>
__device__ inline float2 pair_of(const float (*sum)[S::COLUMNS], int row, int column)
{
    return make_float2(sum[row + 1][column], sum[row][column]);
}

/* The slices of a block add up as in s11: each keeps KEEP of its rows, sum[slice * KEEP] and on,
 * and gives the others away. */
template <class S>
__device__ inline void add_slices(unsigned char *shared, const place<S> &me,
                                  float (*sum)[S::COLUMNS], float (*total)[S::COLUMNS])
{
    enum { PART = S::KEEP / 2 * S::COLUMNS * S::TEAM };
    float2 *const give = (float2 *)shared + me.t;

#pragma unroll
    for (int s = 0; s < S::SLICES; s++)
        for (int i = 0; i < S::KEEP; i += 2)
            for (int j = 0; j < S::COLUMNS; j++) {
                const int giver = me.slice > s ? me.slice - 1 : me.slice;
                const int to = (s * (S::SLICES - 1) + giver) * PART;

                if (s != me.slice)
                    give[to + (i / 2 * S::COLUMNS + j) * S::TEAM] =
                        pair_of<S>(sum, s * S::KEEP + i, j);
                else
                    for (int r = i; r < i + 2; r++)
                        total[r][j] = sum[s * S::KEEP + r][j];
            }
    __syncthreads();
#pragma unroll
    for (int giver = 0; giver < S::SLICES - 1; giver++)
        for (int i = 0; i < S::KEEP; i += 2)
            for (int j = 0; j < S::COLUMNS; j++) {
                const int from = (me.slice * (S::SLICES - 1) + giver) * PART;
                const float2 given = give[from + (i / 2 * S::COLUMNS + j) * S::TEAM];

                total[i][j] += given.y;
                total[i + 1][j] += given.x;
            }
}

/* Where the sums of four rows of a column are on their way out: a warp that writes four columns
 * apart and one that reads neighbouring columns both meet eight different groups of banks. */
template <class S> __device__ inline int stage_index(int column, int rows)
{
    return column * S::HIGH + 4 * (rows ^ (column ^ column >> 3) % 8);
}

/* Store what the threads keep of the tile at (row, column), where rows of C start anywhere: through
 * shared memory, so that a warp stores 32 neighbours of a row. */
template <class S>
__device__ inline void store_staged(const struct sgemm &p, unsigned char *shared, int row,
                                    int column, const place<S> &me,
                                    const float (*total)[S::COLUMNS])
{
    float *const stage = (float *)shared;

    __syncthreads(); /* what the slices gave has been read */
#pragma unroll
    for (int j = 0; j < S::COLUMNS; j++)
        for (int i = 0; i < S::KEEP; i += 2) {
            const int r = me.slice * S::KEEP + i, c = j / 4 * 4 * S::ACROSS + 4 * me.x + j % 4;

            *(float2 *)&stage[stage_index<S>(c, r / 4 * S::DOWN + me.y) + r % 4] =
                pair_of<S>(total, i, j);
        }
    __syncthreads();
#pragma unroll 4
    for (int i = threadIdx.x; i < S::HIGH / 4 * S::WIDE; i += S::THREADS) {
        const int r = i / S::WIDE, c = i % S::WIDE;
        const float4 v = *(const float4 *)&stage[stage_index<S>(c, r)];

        store(p, row + 4 * r, column + c, v.y);
        store(p, row + 4 * r + 1, column + c, v.x);
        store(p, row + 4 * r + 2, column + c, v.w);
        store(p, row + 4 * r + 3, column + c, v.z);
    }
}

/* Store what the threads keep: four neighbours of a row at once where that is possible. */
template <class S>
__device__ inline void store_kept(const struct sgemm &p, unsigned char *shared, int row, int column,
                                  const place<S> &me, const float (*total)[S::COLUMNS])
{
    if (p.ldc % 4 != 0)
        return store_staged<S>(p, shared, row, column, me, total);
#pragma unroll
    for (int i = 0; i < S::KEEP; i++)
        for (int j = 0; j < S::COLUMNS; j += 4) {
            const int r = me.slice * S::KEEP + i;

            store4(p, row + r / 4 * 4 * S::DOWN + 4 * me.y + r % 4,
                   column + j * S::ACROSS + 4 * me.x, total[i][j], total[i][j + 1], total[i][j + 2],
                   total[i][j + 3]);
        }
}

/* Bytes of shared memory: the ring, or what the slices give each other, or the sums on their way
 * out. */
template <class S> constexpr int shared_bytes(void)
{
    const int sums = max(S::SLICES - 1, 1) * S::HIGH * S::WIDE * (int)sizeof(float);

    return max((int)sizeof(struct tile_ring<S>), sums);
}

/* How a launch shares out the tiles of C: the first `whole` of them have one block each. Of the
 * others k is cut into `pieces`, each of `length` tiles of k but for the last, with a block each:
 * first the blocks of all first pieces, then those of all second ones. See s14. */
struct cut {
    int whole, pieces, length;
};

/* Tiles of C, and tiles of k. */
template <class S> __host__ __device__ inline int count_tiles(const struct sgemm &p)
{
    return (p.n + S::WIDE - 1) / S::WIDE * ((p.m + S::HIGH - 1) / S::HIGH);
}

template <class S> __host__ __device__ inline int count_depth(const struct sgemm &p)
{
    return (p.k + S::DEPTH - 1) / S::DEPTH;
}

/* What one block computes: the tile of C at (row, column), from tile `first` of k to tile `last`
 * (exclusive). Of a tile that is not whole this is piece `number`; `shared` counts such tiles. */
struct piece {
    int row, column, first, last, number, shared;
};

template <class S>
__device__ inline struct piece find_piece(const struct sgemm &p, const struct cut &cut)
{
    const int across = (p.n + S::WIDE - 1) / S::WIDE, depth = count_depth<S>(p);
    const int tiles = (gridDim.x - cut.whole) / cut.pieces, block = blockIdx.x - cut.whole;
    const bool whole = block < 0;
    const int number = whole ? 0 : block / tiles, shared = whole ? block : block % tiles;
    const int tile = cut.whole + shared, first = number * cut.length;

    return {tile / across * S::HIGH,
            tile % across * S::WIDE,
            first,
            whole ? depth : min(first + cut.length, depth),
            number,
            shared};
}

/* What the blocks of a launch leave for each other. */
struct shared_work {
    float2 *sums;
    unsigned *arrived; /* blocks, by shared tile; 0 before each launch, and again after it */
};

/* The blocks of a tile add up as in s14. Returns whether this block is the last one, which has the
 * totals. */
template <class S>
__device__ inline bool add_pieces(const struct shared_work &work, const struct piece &piece,
                                  int pieces, float (*total)[S::COLUMNS])
{
    enum { PAIRS = S::KEEP / 2 * S::COLUMNS, PART = PAIRS * S::THREADS };
    float2 *const sums = work.sums + (size_t)piece.shared * pieces * PART + threadIdx.x;
    __shared__ bool last;

#pragma unroll
    for (int e = 0; e < PAIRS; e++)
        sums[piece.number * PART + e * S::THREADS] =
            pair_of<S>(total, e / S::COLUMNS * 2, e % S::COLUMNS);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&work.arrived[piece.shared], 1) == pieces - 1;
    __syncthreads();
    if (!last)
        return false;
    __threadfence();
    for (int number = 0; number < pieces; number++)
#pragma unroll
        for (int e = 0; e < PAIRS; e++) { /* loads that do not wait for each other */
            const float2 given = sums[number * PART + e * S::THREADS];
            const int i = e / S::COLUMNS * 2, j = e % S::COLUMNS;

            total[i][j] = number == 0 ? given.y : total[i][j] + given.y;
            total[i + 1][j] = number == 0 ? given.x : total[i + 1][j] + given.x;
        }
    if (threadIdx.x == 0)
        work.arrived[piece.shared] = 0;
    return true;
}

/* The blocks of a launch that computes `tiles` tiles: they stand in one row. */
static inline int count_blocks(int tiles, const struct cut &cut)
{
    return cut.whole + (tiles - cut.whole) * cut.pieces;
}

/* Note such a launch in `run`. */
static inline void plan_cut(struct run *run, int tiles, const struct cut &cut, int threads,
                            size_t shared_bytes)
{
    run->blocks = count_blocks(tiles, cut);
    run->blocks_y = 1;
    run->threads = threads;
    run->shared_bytes = shared_bytes;
}

/* Room for `tiles` tiles of high x wide in pieces, to be freed with cudaFree(work.sums). For none,
 * as where all tiles are whole, there is no memory. */
static inline struct shared_work new_shared_work(int tiles, int pieces, int high, int wide)
{
    const size_t sums = (size_t)tiles * pieces * high * wide / 2;
    struct shared_work work = {};

    if (tiles == 0)
        return work;
    CHECK(cudaMalloc(&work.sums, sums * sizeof(float2) + tiles * sizeof(unsigned)));
    work.arrived = (unsigned *)(work.sums + sums);
    CHECK(cudaMemset(work.arrived, 0, tiles * sizeof(unsigned)));
    return work;
}

#endif

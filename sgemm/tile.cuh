/* What the kernels share beyond their ideas: reads that stop at a matrix's edge, and the store of
 * C. Outside a matrix there is 0, so that no kernel has a second way for edges. */
#ifndef TILE_CUH
#define TILE_CUH

#include "sgemm.h"

/* In front of the first access to global memory: wait for the launch before this one, and let the
 * next one begin. Without overlap (s15) neither does anything. */
__device__ inline void begin_early(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;\n\tgriddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* Element (row, column) of a matrix of rows x columns. */
__device__ inline float load(const float *matrix, int ld, int rows, int columns, int row,
                             int column)
{
    return row < rows && column < columns ? matrix[(size_t)row * ld + column] : 0;
}

/* Four elements of a row, from `column` on, a multiple of 4: of a matrix that pad_rows() made. */
__device__ inline float4 load4(const float *matrix, int ld, int rows, int columns, int row,
                               int column)
{
    if (row < rows && column < columns)
        return *(const float4 *)&matrix[(size_t)row * ld + column];
    return make_float4(0, 0, 0, 0);
}

/* alpha sum + beta C. With beta = 0, C is not read: it may hold anything. The roundings are spelled
 * out, so that a GPU and the emulator agree. */
__device__ inline float blend(const struct sgemm &p, float sum, const float *c)
{
    if (p.beta == 0)
        return __fmul_rn(p.alpha, sum);
    return fmaf(p.alpha, sum, __fmul_rn(p.beta, *c));
}

/* Element (row, column) of C, if there is one. */
__device__ inline void store(const struct sgemm &p, int row, int column, float sum)
{
    float *const c = &p.c[(size_t)row * p.ldc + column];

    if (row < p.m && column < p.n)
        *c = blend(p, sum, c);
}

/* Four of them from `column` on, a multiple of 4. The sums are passed one by one: a thread that
 * views its sums as float4 makes the compiler keep them in registers that follow each other, and
 * then it cannot choose their banks. */
__device__ inline void store4(const struct sgemm &p, int row, int column, float s0, float s1,
                              float s2, float s3)
{
    float *const c = &p.c[(size_t)row * p.ldc + column];

    if (p.ldc % 4 == 0 && row < p.m && column + 3 < p.n) {
        float4 old = {};

        if (p.beta != 0)
            old = *(const float4 *)c;
        *(float4 *)c = make_float4(blend(p, s0, &old.x), blend(p, s1, &old.y), blend(p, s2, &old.z),
                                   blend(p, s3, &old.w));
        return;
    }
    store(p, row, column, s0);
    store(p, row, column + 1, s1);
    store(p, row, column + 2, s2);
    store(p, row, column + 3, s3);
}

/* One round, as in s07: all products of this thread's part of a column of A and of a row of B. Its
 * rows and columns are those of store_sums(). */
template <int ROWS, int COLUMNS>
__device__ inline void multiply_round(const float *at, const float *bt, int y, int down, int x,
                                      int across, float (&sum)[ROWS][COLUMNS])
{
    float a[ROWS], b[COLUMNS];

    for (int g = 0; g < ROWS; g += 4)
        *(float4 *)&a[g] = *(const float4 *)&at[g * down + 4 * y];
    for (int g = 0; g < COLUMNS; g += 4)
        *(float4 *)&b[g] = *(const float4 *)&bt[g * across + 4 * x];
    for (int j = 0; j < COLUMNS; j++)
        for (int i = 0; i < ROWS; i++) {
            const int s = j % 2 ? ROWS - 1 - i : i;

            sum[s][j] = fmaf(a[s], b[j], sum[s][j]);
        }
}

/* Store a thread's sums into the tile at (row, column). They form groups of 4 x 4: the first starts
 * at (4 * y, 4 * x) of the tile, the next one 4 * down rows or 4 * across columns further. */
template <int ROWS, int COLUMNS>
__device__ inline void store_sums(const struct sgemm &p, int row, int column, int y, int down,
                                  int x, int across, const float (&sum)[ROWS][COLUMNS])
{
#pragma unroll
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j += 4)
            store4(p, row + i / 4 * 4 * down + 4 * y + i % 4, column + j * across + 4 * x,
                   sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
}

/* Write four neighbours of a row one below the other: that transposes a tile. */
template <int WIDE>
__device__ inline void put_column(float (*to)[WIDE], int row, int column, const float4 &v)
{
    to[row][column] = v.x;
    to[row + 1][column] = v.y;
    to[row + 2][column] = v.z;
    to[row + 3][column] = v.w;
}

/* Load this thread's part of the tile of HIGH x WIDE at (row, column): every THREADS-th piece of
 * four numbers. */
template <int HIGH, int WIDE, int THREADS>
__device__ inline void fetch_pieces(float4 *piece, const float *matrix, int ld, int rows,
                                    int columns, int row, int column)
{
#pragma unroll
    for (int l = 0; l < HIGH * WIDE / 4 / THREADS; l++) {
        const int i = threadIdx.x + l * THREADS;

        piece[l] =
            load4(matrix, ld, rows, columns, row + i / (WIDE / 4), column + i % (WIDE / 4) * 4);
    }
}

/* Store those pieces into the transpose of the tile. */
template <int HIGH, int WIDE, int THREADS, int ROOM>
__device__ inline void put_transposed(float (*to)[ROOM], const float4 *piece)
{
#pragma unroll
    for (int l = 0; l < HIGH * WIDE / 4 / THREADS; l++) {
        const int i = threadIdx.x + l * THREADS;

        put_column(to, i % (WIDE / 4) * 4, i / (WIDE / 4), piece[l]);
    }
}

/* The grid with one block per tile of high x wide of C. Notes the launch in `run`. */
static inline dim3 plan_launch(struct run *run, const struct sgemm &p, int high, int wide,
                               int threads, size_t shared_bytes = 0)
{
    const dim3 blocks((p.n + wide - 1) / wide, (p.m + high - 1) / high);

    run->blocks = blocks.x;
    run->blocks_y = blocks.y;
    run->threads = threads;
    run->shared_bytes = shared_bytes;
    return blocks;
}

/* Let `kernel` have so much dynamic shared memory: more than 48 KB must be asked for. */
template <typename... T> void allow_shared(void (*kernel)(T...), size_t bytes)
{
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
}

/* A launch. With `overlap` it may begin before the previous one has ended: see s15. */
static inline cudaLaunchConfig_t launch_config(dim3 blocks, int threads, int shared_bytes,
                                               bool overlap)
{
    static cudaLaunchAttribute early = {.id = cudaLaunchAttributeProgrammaticStreamSerialization};
    cudaLaunchConfig_t config = {};

    early.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = blocks;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared_bytes;
    config.attrs = &early;
    config.numAttrs = overlap;
    return config;
}

/* 128-bit loads want rows that start on multiples of 16 bytes and end on them. Where they do not, a
 * kernel makes copies of A and B that do, in `work`, on the way to the product. */
static inline int padded(int columns)
{
    return (columns + 3) / 4 * 4;
}

static inline bool is_padded(int ld, int columns)
{
    return ld % 4 == 0 && columns % 4 == 0;
}

/* Room for what pad_rows() makes of `p`, to be freed with cudaFree(). */
static inline float *new_work(const struct sgemm &p)
{
    const size_t a = is_padded(p.lda, p.k) ? 0 : (size_t)p.m * padded(p.k);
    const size_t b = is_padded(p.ldb, p.n) ? 0 : (size_t)p.k * padded(p.n);
    float *work;

    CHECK(cudaMalloc(&work, (a + b + 1) * sizeof(float)));
    return work;
}

/* Rows of `columns`, zeros behind them; a thread copies four elements of a row. */
static __global__ void copy_rows(const float *from, int ld, float *to, int to_ld, int rows,
                                 int columns)
{
    const int column = 4 * (blockIdx.x * blockDim.x + threadIdx.x);

    for (int row = blockIdx.y; row < rows && column < to_ld; row += gridDim.y)
        *(float4 *)&to[(size_t)row * to_ld + column] =
            make_float4(load(from, ld, rows, columns, row, column),
                        load(from, ld, rows, columns, row, column + 1),
                        load(from, ld, rows, columns, row, column + 2),
                        load(from, ld, rows, columns, row, column + 3));
}

static inline void pad_matrix(const float **matrix, int *ld, int rows, int columns, float **work)
{
    const int to_ld = padded(columns);

    if (is_padded(*ld, columns) || rows == 0)
        return;
    copy_rows<<<dim3((to_ld + 1023) / 1024, min(rows, 1024)), 256>>>(*matrix, *ld, *work, to_ld,
                                                                     rows, columns);
    *matrix = *work;
    *ld = to_ld;
    *work += (size_t)rows * to_ld;
}

/* `p` with A and B padded. */
static inline struct sgemm pad_rows(struct sgemm p, float *work)
{
    pad_matrix(&p.a, &p.lda, p.m, p.k, &work);
    pad_matrix(&p.b, &p.ldb, p.k, p.n, &work);
    return p;
}

#endif

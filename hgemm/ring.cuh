/* What h8 and the steps after it share: rows that the copy engine takes, and a ring of tiles with
 * two barriers for each. */
#ifndef HGEMM_RING_CUH
#define HGEMM_RING_CUH

#include "tensor_map.cuh"
#include "wgmma.cuh"

/* Columns up to the next multiple of 16 bytes. */
static inline int padded(int columns)
{
    return (columns + EIGHT - 1) / EIGHT * EIGHT;
}

/* Room for what pad_rows() makes of `p`, to be freed with cudaFree(). */
static inline bf16 *new_work(const struct hgemm &p)
{
    const size_t a = p.lda % EIGHT == 0 ? 0 : (size_t)p.m * padded(p.k);
    const size_t b = p.ldb % EIGHT == 0 ? 0 : (size_t)p.k * padded(p.n);
    bf16 *work;

    CHECK(cudaMalloc(&work, (a + b + 1) * sizeof(bf16)));
    return work;
}

static __global__ void copy_rows(const bf16 *from, int ld, bf16 *to, int to_ld, int rows,
                                 int columns)
{
    const int column = EIGHT * (blockIdx.x * blockDim.x + threadIdx.x);

    for (int row = blockIdx.y; row < rows && column < to_ld; row += gridDim.y)
        load8(&to[(size_t)row * to_ld + column], from, ld, rows, columns, row, column);
}

static inline void pad_matrix(const bf16 **matrix, int *ld, int rows, int columns, bf16 **work)
{
    const int to_ld = padded(columns);

    if (*ld % EIGHT == 0 || rows == 0)
        return;
    copy_rows<<<dim3(to_ld / (EIGHT * THREADS) + 1, min(rows, 1024)), THREADS>>>(
        *matrix, *ld, *work, to_ld, rows, columns);
    *matrix = *work;
    *ld = to_ld;
    *work += (size_t)rows * to_ld;
}

/* `p` with rows of A and B that begin at multiples of 16 bytes: copies of them in `work`, where
 * they do not. */
static inline struct hgemm pad_rows(struct hgemm p, bf16 *work)
{
    pad_matrix(&p.a, &p.lda, p.m, p.k, &work);
    pad_matrix(&p.b, &p.ldb, p.k, p.n, &work);
    return p;
}

/* The map of a matrix in tiles of high x wide, a row of which is 64 or 128 bytes long. */
static inline CUtensorMap map_matrix(const bf16 *matrix, int ld, int rows, int columns, int high,
                                     int wide)
{
    /* A pitch even where there are no rows. */
    return make_map(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, matrix, padded(max(ld, 1)) * sizeof(bf16),
                    rows, columns, high, wide,
                    wide == 32 ? CU_TENSOR_MAP_SWIZZLE_64B : CU_TENSOR_MAP_SWIZZLE_128B);
}

#endif

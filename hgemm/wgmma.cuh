/* What h6 and the steps after it share: products by four warps straight out of shared memory. */
#ifndef HGEMM_WGMMA_CUH
#define HGEMM_WGMMA_CUH

#include "swizzled.cuh"

/* Each thread's sums of 64 x 64 elements. */
enum { SUMS = HIGH * WIDE / THREADS };

/* Where a tile is, for tensor cores. `stride`: bytes to the next eight rows. Of `span` bytes, 64 or
 * 128, pieces of 16 change places as in `swizzled`; where a tile of B is wider than that, the next
 * span of columns is `lead` bytes further. An address has 18 bits here: in a cluster those above
 * are the block's number. */
__device__ inline unsigned long long describe(const void *tile, int stride, int span, int lead = 0)
{
    const unsigned long long at = __cvta_generic_to_shared(tile);

    return (at & 0x3ffff) >> 4 | (unsigned long long)(lead >> 4) << 16 |
           (unsigned long long)(stride >> 4) << 32 | (span == 64 ? 2ull : 1ull) << 62;
}

/* Registers are ready for products; a group of products ends; all but the last `but` are done. */
__device__ inline void products_fence(void)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ inline void products_commit(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int but> __device__ inline void products_wait(void)
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(but) : "memory");
}

#define EIGHT_OF(kind, i)                                                                 \
    kind(sum[i]), kind(sum[i + 1]), kind(sum[i + 2]), kind(sum[i + 3]), kind(sum[i + 4]), \
        kind(sum[i + 5]), kind(sum[i + 6]), kind(sum[i + 7])
#define EIGHT_SUMS(i) EIGHT_OF("+f", i)

/* sum += a b: 64 x 16 elements, in rows, by 16 x 64, in rows as well: b is to be turned over. */
__device__ inline void multiply_by_four(unsigned long long a, unsigned long long b,
                                        float (&sum)[SUMS])
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, "
                 "%31}, %32, %33, 1, 1, 1, 0, 1;"
                 : EIGHT_SUMS(0), EIGHT_SUMS(8), EIGHT_SUMS(16), EIGHT_SUMS(24)
                 : "l"(a), "l"(b));
}

/* sum += a b of two tiles, DEPTH of k: one product for each PIECE of it. */
__device__ inline void multiply_tile(const bf16 *a, const bf16 *b, float (&sum)[SUMS])
{
    for (int kk = 0; kk < DEPTH; kk += PIECE)
        multiply_by_four(describe(&a[kk], 8 * DEPTH * sizeof(bf16), DEPTH * sizeof(bf16)),
                         describe(&b[kk * WIDE], 8 * WIDE * sizeof(bf16), WIDE * sizeof(bf16)),
                         sum);
}

/* The compiler may not use the sums before this. */
template <int N> __device__ inline void sums_are_there(float (&sum)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("" : "+f"(sum[i])::"memory");
}

/* Where this thread's sum number i lies in the rows of its group: a warp has 16 of them, as
 * fragments of mma lie beside each other. */
__device__ inline int row_of(int i)
{
    const int thread = threadIdx.x % THREADS;

    return thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
}

__device__ inline int column_of(int i)
{
    return i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2;
}

/* Each lane stores what it holds. */
template <int N>
__device__ inline void store_rows(const struct hgemm &p, int row, int column, const float (&sum)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        store(p, row + row_of(i), column + column_of(i), sum[i]);
}

#endif

/* What h9 and the steps after it share: tiles of any shape, of which each group of four warps
 * multiplies 64 rows, and launches. */
#ifndef HGEMM_GROUPS_CUH
#define HGEMM_GROUPS_CUH

#include "async.cuh"
#include "ring.cuh"

/* A block computes HIGH_ x WIDE_ of C; STAGES_ tiles are in the ring, each DEEP of k. GROUPS groups
 * of threads multiply, 64 rows each, and one fetches. PANEL columns of B are a row in shared
 * memory. CLUSTER_ blocks, one below the other, are a cluster; each fetches SHARE panels of B for
 * EVERYONE. */
template <int HIGH_, int WIDE_, int STAGES_, int CLUSTER_ = 1> struct shape {
    enum { HIGH = HIGH_, WIDE = WIDE_, STAGES = STAGES_, DEEP = 64, PANEL = 64, PART = 64 };
    enum { GROUPS = HIGH / PART, PANELS = WIDE / PANEL, SUMS = PART * WIDE / THREADS };
    enum { CLUSTER = CLUSTER_, EVERYONE = (1 << CLUSTER) - 1, SHARE = PANELS / CLUSTER };
    enum { ALL_THREADS = THREADS * (GROUPS + 1), WARPS = GROUPS * THREADS / 32 };
};

template <class S> struct tile_ring {
    bf16 a[S::STAGES][S::HIGH * S::DEEP], b[S::STAGES][S::PANELS][S::DEEP * S::PANEL];
    uint64_t full[S::STAGES], empty[S::STAGES];
};

/* sum += a b: 64 x 16 elements by 16 x 128, and by 16 x 256. */
__device__ inline void multiply_by_four(unsigned long long a, unsigned long long b,
                                        float (&sum)[64])
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "
                 "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, "
                 "%34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "
                 "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, "
                 "%63}, %64, %65, 1, 1, 1, 0, 1;"
                 : EIGHT_SUMS(0), EIGHT_SUMS(8), EIGHT_SUMS(16), EIGHT_SUMS(24), EIGHT_SUMS(32),
                   EIGHT_SUMS(40), EIGHT_SUMS(48), EIGHT_SUMS(56)
                 : "l"(a), "l"(b));
}

__device__ inline void multiply_by_four(unsigned long long a, unsigned long long b,
                                        float (&sum)[128])
{
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "
        "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, "
        "%34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "
        "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, "
        "%66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, "
        "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, "
        "%98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, "
        "%125, %126, %127}, %128, %129, 1, 1, 1, 0, 1;"
        : EIGHT_SUMS(0), EIGHT_SUMS(8), EIGHT_SUMS(16), EIGHT_SUMS(24), EIGHT_SUMS(32),
          EIGHT_SUMS(40), EIGHT_SUMS(48), EIGHT_SUMS(56), EIGHT_SUMS(64), EIGHT_SUMS(72),
          EIGHT_SUMS(80), EIGHT_SUMS(88), EIGHT_SUMS(96), EIGHT_SUMS(104), EIGHT_SUMS(112),
          EIGHT_SUMS(120)
        : "l"(a), "l"(b));
}

/* sum += the rows of group `group` in stage s of A, times those of B. */
template <class S>
__device__ inline void multiply_stage(const struct tile_ring<S> *ring, int s, int group,
                                      float (&sum)[S::SUMS])
{
    enum { ROW = 128, EIGHT_ROWS = 8 * ROW, NEXT = S::DEEP * ROW };

#pragma unroll
    for (int kk = 0; kk < S::DEEP; kk += PIECE)
        multiply_by_four(describe(&ring->a[s][group * S::PART * S::DEEP + kk], EIGHT_ROWS, ROW),
                         describe(&ring->b[s][0][kk * S::PANEL], EIGHT_ROWS, ROW, NEXT), sum);
}

/* The thread's group of warps gets by with `registers` registers a thread, or waits for as many. */
template <int registers> __device__ inline void give_registers(void)
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}

template <int registers> __device__ inline void take_registers(void)
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

struct maps {
    CUtensorMap a, b;
};

template <class S> static inline struct maps make_maps(const struct hgemm &p)
{
    return {map_matrix(p.a, p.lda, p.m, p.k, S::HIGH, S::DEEP),
            map_matrix(p.b, p.ldb, p.k, p.n, S::DEEP, S::PANEL)};
}

/* Plan one block for each tile of C, with a ring of its own; whole clusters of them. */
template <class S, typename... T>
static inline dim3 plan_tiles(struct run *run, const struct hgemm &p, void (*kernel)(T...))
{
    const int high = S::HIGH * S::CLUSTER;
    const dim3 blocks((p.n + S::WIDE - 1) / S::WIDE, (p.m + high - 1) / high * S::CLUSTER);

    run->blocks = blocks.x;
    run->blocks_y = blocks.y;
    run->threads = S::ALL_THREADS;
    run->shared_bytes = sizeof(tile_ring<S>);
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (int)run->shared_bytes));
    return blocks;
}

#endif

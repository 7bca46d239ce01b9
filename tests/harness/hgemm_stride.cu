/* h7 with descriptors that say where the wrong eight rows of A are. */
#include "wgmma.cuh"

__device__ static void multiply_wrong_rows(const bf16 *a, const bf16 *b, float (&sum)[SUMS])
{
    for (int kk = 0; kk < DEPTH; kk += PIECE)
        multiply_by_four(describe(&a[kk], 4 * DEPTH * sizeof(bf16), DEPTH * sizeof(bf16)),
                         describe(&b[kk * WIDE], 8 * WIDE * sizeof(bf16), WIDE * sizeof(bf16)),
                         sum);
}

#define multiply_tile multiply_wrong_rows
#include "h7_tensor_copies.cu"

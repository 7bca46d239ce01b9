/* Tiles in shared memory without a gap, and their way into fragments by ldmatrix: of h4 and h5. */
#ifndef HGEMM_SWIZZLED_CUH
#define HGEMM_SWIZZLED_CUH

#include "mma.cuh"

/* Pieces of 16 bytes change places within their row, by a number that differs in the rows that
 * would begin in the same bank: eight pieces one below the other lie in different banks. */
struct swizzled {
    enum { A_SIZE = HIGH * DEPTH, B_SIZE = DEPTH * WIDE };
    __device__ static int a(int row, int column)
    {
        return row * DEPTH + (column / 8 ^ row / 2 % 4) * 8 + column % 8;
    }
    __device__ static int b(int row, int column)
    {
        return row * WIDE + (column / 8 ^ row % 8) * 8 + column % 8;
    }
};

/* Four matrices of 8 x 8 from shared memory: this lane says where a row of one of them is. */
template <bool TRANSPOSED> __device__ inline void ldmatrix(const bf16 *row, unsigned (&to)[4])
{
    const unsigned at = (unsigned)__cvta_generic_to_shared(row);

    if (TRANSPOSED)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(at)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(at)
                     : "memory");
}

/* The fragments at kk. B lies in rows, and its fragments want columns: ldmatrix turns it over, two
 * pieces of 16 x 8 at once. */
__device__ inline void load_fragments(const bf16 *a, const bf16 *b, int y, int x, int kk,
                                      unsigned (&fa)[DOWN][4], unsigned (&fb)[ACROSS][2])
{
    const int lane = threadIdx.x % 32;

    for (int i = 0; i < DOWN; i++)
        ldmatrix<false>(&a[swizzled::a(y + 16 * i + lane % 16, kk + lane / 16 * 8)], fa[i]);
    for (int j = 0; j < ACROSS; j += 2) {
        unsigned both[4];

        ldmatrix<true>(&b[swizzled::b(kk + lane % 16, x + 8 * j + lane / 16 * 8)], both);
        for (int e = 0; e < 4; e++)
            fb[j + e / 2][e % 2] = both[e];
    }
}

#endif

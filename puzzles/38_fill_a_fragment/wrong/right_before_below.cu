// verdict: result
// Registers 1 and 2 of a the other way round: the columns before the rows.
// prediction: 8

__global__ void look(unsigned *out, const unsigned *a)
{
    const int r = threadIdx.x / 4, c = threadIdx.x % 4;

    out[threadIdx.x] = a[8 * r + c];
}

// Each register of a and b holds two bfloat16, each of c a float.
__device__ void mma(float c[4], const unsigned a[4], const unsigned b[2])
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// c = a * b: 16 rows of a, 8 columns of b, which are stored one after the other, and 8 n pairs of
// bfloat16 in each row and column. One warp.
__global__ void multiply(float *c, const unsigned *a, const unsigned *b, int n)
{
    const int r = threadIdx.x / 4, q = threadIdx.x % 4, pairs = 8 * n;
    float sums[4] = {};

    for (int k = 0; k < pairs; k += 8) {
        unsigned of_a[4], of_b[2];
        of_a[0] = a[pairs * r + k + q];
        of_b[0] = b[pairs * r + k + q];
        of_a[2] = a[pairs * (r + 8) + k + q];
        of_a[1] = a[pairs * r + k + q + 4];
        of_a[3] = a[pairs * (r + 8) + k + q + 4];
        of_b[1] = b[pairs * r + k + q + 4];
        mma(sums, of_a, of_b);
    }
    c[8 * r + 2 * q] = sums[0];
    c[8 * r + 2 * q + 1] = sums[1];
    c[8 * (r + 8) + 2 * q] = sums[2];
    c[8 * (r + 8) + 2 * q + 1] = sums[3];
}

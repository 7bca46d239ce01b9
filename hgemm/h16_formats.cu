/* h16: other formats than bfloat16. A program rather than a step.
 *
 * Before: all steps so far multiply numbers of bfloat16.
 * Now:    A and B are floats; narrow() makes them numbers of tf32, f16, bf16, e4m3 or s8, as
 *         --format says, and multiply() does what h6 does, by the product of that format. Every one
 *         takes 32 bytes of k, so a number with half as many bits is multiplied twice as fast. Only
 *         16-bit numbers can be turned over on the way, so B is stored by columns.
 * See:    docs/hgemm.md#h16
 */
#include "async.cuh"
#include "formats.cuh"

enum { SPAN = 64, BYTES = 16 }; /* of a row in shared memory, and of a load */

/* A matrix, turned over or not, as numbers of T: `rows` rows of `pitch` each, zeros around it. */
template <class T>
__global__ void narrow(const float *from, int ld, int high, int wide, bool turned,
                       typename T::number *to, int rows, int pitch)
{
    const size_t count = (size_t)rows * pitch;

    for (size_t i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) {
        const int y = turned ? i % pitch : i / pitch, x = turned ? i / pitch : i % pitch;
        const float number = y < high && x < wide ? from[(size_t)y * ld + x] : 0;

        to[i] = T::nearest(__fmul_rn(number, T::SCALE));
    }
}

/* The block's threads bring 64 rows of SPAN bytes, swizzled as those of A in h6. */
__device__ static void fetch_rows(const char *from, int pitch, char *tile)
{
    for (int i = threadIdx.x; i < HIGH * SPAN / BYTES; i += THREADS) {
        const int row = i / (SPAN / BYTES), piece = i % (SPAN / BYTES);

        *(uint4 *)&tile[row * SPAN + (piece ^ row / 2 % 4) * BYTES] =
            *(const uint4 *)&from[(size_t)row * pitch + piece * BYTES];
    }
}

template <class T>
__global__ void __launch_bounds__(THREADS)
    multiply(const struct sgemm p, const char *a, const char *b, int pitch)
{
    __shared__ __align__(1024) char tile_a[HIGH * SPAN], tile_b[WIDE * SPAN];
    const int row = blockIdx.y * HIGH, column = blockIdx.x * WIDE;
    typename T::sum sum[SUMS] = {};

#pragma unroll 1
    for (int k = 0; k < pitch; k += SPAN) {
        fetch_rows(&a[(size_t)row * pitch + k], pitch, tile_a);
        fetch_rows(&b[(size_t)column * pitch + k], pitch, tile_b);
        before_copies();
        __syncthreads();
        products_fence();
        for (int kk = 0; kk < SPAN; kk += 32)
            T::multiply(describe(&tile_a[kk], 8 * SPAN, SPAN),
                        describe(&tile_b[kk], 8 * SPAN, SPAN), sum);
        products_commit();
        products_wait<0>();
        __syncthreads();
    }
    sums_are_there(sum);
    store_floats(p, row, column, sum, 1.0f / (T::SCALE * T::SCALE));
}

/* The numbers are made once: what is timed is the product. */
template <class T> static void launch(const struct sgemm &p, struct run *run)
{
    typedef typename T::number number;
    const dim3 blocks = plan_launch(run, {p.m, p.n});
    const int bytes = (p.k * (int)sizeof(number) + SPAN - 1) / SPAN * SPAN;
    const int rows = blocks.y * HIGH, columns = blocks.x * WIDE, pitch = bytes / sizeof(number);
    char *a, *b;

    CHECK(cudaMalloc(&a, (size_t)rows * bytes + 1));
    CHECK(cudaMalloc(&b, (size_t)columns * bytes + 1));
    narrow<T><<<1024, THREADS>>>(p.a, p.lda, p.m, p.k, false, (number *)a, rows, pitch);
    narrow<T><<<1024, THREADS>>>(p.b, p.ldb, p.k, p.n, true, (number *)b, columns, pitch);
    TIMED(run)
        multiply<T><<<blocks, THREADS>>>(p, a, b, bytes);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
}

static void formats_gpu(const struct sgemm *p, int format, struct run *run)
{
    void (*const launches[FORMATS])(const struct sgemm &, struct run *) = {
        launch<tf32>, launch<f16>, launch<brain>, launch<e4m3>, launch<s8>};

    launches[format](*p, run);
}

int main(int argc, char **argv)
{
    return formats_main(argc, argv, STEP, formats_gpu);
}

/* f6: 8192 points and more, in two kernels. A new beginning.
 *
 * Before: f5 holds a signal in the registers of one block.
 * Now:    a signal of n = TALL * WIDE points is a matrix of TALL rows. columns() transforms the
 *         columns and multiplies element (k, j) by exp(-2 pi i j k / n). rows() transforms the rows
 *         and writes row k as column k. So each point travels through device memory twice. A block
 *         takes several neighbouring lines: accesses across them cover 32 bytes or more.
 * See:    docs/fft.md#f6
 */
#include "lines.cuh"

enum { MIN = 8192, MAX = FFT_MAX_N, LEAST = 64 };

/* The columns of the matrix: LENGTH points each, `wide` apart. */
template <int LENGTH>
__global__ void __launch_bounds__(lines_of<LENGTH>::THREADS)
    columns(const struct fft p, float2 *middle, const float2 *__restrict__ powers,
            const float2 *__restrict__ roots)
{
    using lines = lines_of<LENGTH>;
    __shared__ float2 shared[lines::LINES][lines::ROOM];
    const int line = threadIdx.x % lines::LINES, t = threadIdx.x / lines::LINES;
    const int wide = p.n / LENGTH, blocks = wide / lines::LINES;
    const int j = blockIdx.x % blocks * lines::LINES + line;
    const size_t first = (size_t)(blockIdx.x / blocks) * p.n + j;
    float2 v[lines::POINTS];

#pragma unroll
    for (int r = 0; r < lines::POINTS; r++)
        v[r] = swap_if(p.inverse, p.in[first + (size_t)(t + r * lines::APART) * wide]);
    transform_signal<LENGTH, lines::POINTS, true>(v, t, shared[line], powers);
#pragma unroll
    for (int r = 0, k = t; r < lines::POINTS; r++, k += lines::APART)
        middle[first + (size_t)k * wide] = multiply(v[r], root_of(roots, j * k));
}

/* Its rows: LENGTH points in a row. Point k of row i becomes point k * tall + i of the result. */
template <int LENGTH>
__global__ void __launch_bounds__(lines_of<LENGTH>::THREADS)
    rows(const struct fft p, const float2 *middle, const float2 *__restrict__ powers)
{
    using lines = lines_of<LENGTH>;
    __shared__ float2 shared[lines::LINES][lines::ROOM];
    const int line = threadIdx.x % lines::LINES, t = threadIdx.x / lines::LINES;
    const int tall = p.n / LENGTH, blocks = tall / lines::LINES;
    const int i = blockIdx.x % blocks * lines::LINES;
    const size_t first = (size_t)(blockIdx.x / blocks) * p.n;
    float2 v[lines::POINTS];

    /* Read along the rows; then each thread takes the points of its own line. */
    for (int k = threadIdx.x; k < lines::LINES * LENGTH; k += lines::THREADS)
        shared[k / LENGTH][k % LENGTH] = middle[first + (size_t)i * LENGTH + k];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < lines::POINTS; r++)
        v[r] = shared[line][t + r * lines::APART];
    transform_signal<LENGTH, lines::POINTS, true>(v, t, shared[line], powers);
#pragma unroll
    for (int r = 0; r < lines::POINTS; r++)
        p.out[first + (size_t)(t + r * lines::APART) * tall + i + line] = swap_if(p.inverse, v[r]);
}

template <int TALL, int WIDE> static void launch(const struct fft *p, struct run *run)
{
    using down = lines_of<TALL>;
    using across = lines_of<WIDE>;
    float2 *of_columns = new_powers(TALL, down::POINTS);
    float2 *of_rows = new_powers(WIDE, across::POINTS), *roots = new_roots(p->n), *middle;

    CHECK(cudaMalloc(&middle, (size_t)p->n * p->batch * sizeof(float2)));
    run->blocks = p->batch * (WIDE / down::LINES);
    run->threads = down::THREADS;
    TIMED(run) {
        columns<TALL><<<run->blocks, run->threads>>>(*p, middle, of_columns, roots);
        rows<WIDE><<<p->batch *(TALL / across::LINES), across::THREADS>>>(*p, middle, of_rows);
    }
    CHECK(cudaFree(middle));
    device_free(run, of_columns);
    device_free(run, of_rows);
    device_free(run, roots);
}

/* As square a matrix as there is: from one length to the next, TALL and WIDE double in turn. */
template <int TALL, int WIDE> static void choose(const struct fft *p, struct run *run)
{
    if (p->n == TALL * WIDE)
        launch<TALL, WIDE>(p, run);
    else if constexpr (TALL * WIDE < MAX)
        choose<2 * WIDE, TALL>(p, run);
}

static void fft_gpu(const struct fft *p, struct run *run)
{
    choose<2 * LEAST, LEAST>(p, run);
}

int main(int argc, char **argv)
{
    return fft_main(argc, argv, STEP, fft_gpu, {.min = MIN, .max = MAX});
}

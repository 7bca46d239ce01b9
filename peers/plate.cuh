/* A plate of n x n cells, its rows shared out, each share between two rows of its neighbours. */
#ifndef PLATE_CUH
#define PLATE_CUH

#include "team.cuh"

enum { THREADS = 256 };

/* The rows from `first` up to `end` of device d, and one more on either side. */
struct plate {
    int n, devices; /* no more than there are rows */
    int first[MAX_DEVICES], end[MAX_DEVICES];
    float *in[MAX_DEVICES]; /* as it is in the beginning */
    float *cells[MAX_DEVICES][2]; /* after an even iteration, and an odd one */
};

/* A row on device d, of the cells that iteration `iteration` makes; iteration -1: of the input. */
static inline float *row_of(const struct plate *plate, int d, int iteration, int row)
{
    float *cells = iteration < 0 ? plate->in[d] : plate->cells[d][iteration % 2];

    return cells + (size_t)(row - plate->first[d] + 1) * plate->n;
}

static inline struct plate plate_new(const float *in, int n, int devices, struct run *run)
{
    struct plate plate = {n, devices};

    for (int d = 0; d < devices; d++) {
        const int first = share(n, d, devices), end = share(n, d + 1, devices);
        const size_t cells = (size_t)(end - first + 2) * n;
        const int above = first > 0, below = end < n;

        CHECK(cudaSetDevice(d));
        plate.first[d] = first;
        plate.end[d] = end;
        CHECK(cudaMalloc(&plate.in[d], cells * sizeof(float) + 1));
        for (int k = 0; k < 2; k++)
            plate.cells[d][k] = device_output(float, run, cells);
        if (n > 0)
            CHECK(cudaMemcpy(row_of(&plate, d, -1, first - above), in + (size_t)(first - above) * n,
                             (size_t)(end - first + above + below) * n * sizeof(float),
                             cudaMemcpyHostToDevice));
    }
    CHECK(cudaSetDevice(0));
    return plate;
}

static inline void plate_fetch(struct plate *plate, float *out, struct run *run)
{
    for (int d = 0; d < plate->devices; d++) {
        const int first = plate->first[d], rows = plate->end[d] - first;

        device_fetch(float, out + (size_t)first * plate->n, row_of(plate, d, ITERATIONS - 1, first),
                     (size_t)rows * plate->n);
        device_free(run, plate->in[d]);
        device_free(run, plate->cells[d][0]);
        device_free(run, plate->cells[d][1]);
    }
}

/* The cells of `count` rows of the plate, row `first` and every `step`th after it; the first of
 * them lies at `from` and `to`. */
static __global__ void heat(const float *from, float *to, int n, int first, int count, int step)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const int x = (int)(i % n), row = (int)(i / n) * step, y = first + row;
    const size_t at = (size_t)row * n + x;
    const float *cell = from + at;

    if (i >= (size_t)count * n)
        return;
    if (x == 0 || y == 0 || x == n - 1 || y == n - 1)
        to[at] = *cell;
    else
        to[at] = 0.25f * ((cell[-n] + cell[n]) + (cell[-1] + cell[1]));
}

/* On device d in an iteration: row `first` and every `step`th after it, `count` rows. */
static inline void make_rows(const struct plate *plate, int d, int iteration, int first, int count,
                             int step, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)(((size_t)count * plate->n + THREADS - 1) / THREADS);

    if (count > 0 && plate->n > 0)
        heat<<<blocks, THREADS, 0, stream>>>(row_of(plate, d, iteration - 1, first),
                                             row_of(plate, d, iteration, first), plate->n, first,
                                             count, step);
}

/* Device d gets row `row` of iteration `iteration` from device `from`. */
static inline void copy_row(const struct plate *plate, int d, int from, int iteration, int row,
                            cudaStream_t stream)
{
    CHECK(cudaMemcpyPeerAsync(row_of(plate, d, iteration, row), d,
                              row_of(plate, from, iteration, row), from, plate->n * sizeof(float),
                              stream));
}

#endif

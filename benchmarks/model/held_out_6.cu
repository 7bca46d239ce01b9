/* A fourth set of programs that no figure and no rule of the model was chosen by, written by
 * somebody who had not seen the model: kernels of the kind found in public collections. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math.h>
#include <mma.h>
#include <stdlib.h>

#include "calibration.h"
#include "fill.cuh"

enum { COUNT = 1 << 19, SIDE = 1000, PATH_BLOCK = 256, PATH_STEPS = 20, PIVOTS = 32 };
enum { EQUATIONS = 1024, POINTS = 512, SAMPLES = 192, TREE = 256, QUEENS = 11, SLOTS = 1 << 17 };

/* Electric waves in a plane: a step of both parts of the magnetic field. */
__global__ void magnetic(const float *electric, float *along_x, float *along_y, int side)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int i = y * side + x;

    if (x >= side - 1 || y >= side - 1)
        return;
    along_x[i] -= 0.5f * (electric[i + side] - electric[i]);
    along_y[i] += 0.5f * (electric[i + 1] - electric[i]);
}

/* A mean of the 49 pixels around, the more alike the heavier. */
__global__ void bilateral(const float *from, float *to, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= width || y >= height)
        return;
    const float middle = from[y * width + x];
    float sum = 0, weights = 0;
    for (int v = -3; v <= 3; v++)
        for (int u = -3; u <= 3; u++) {
            const int row = min(max(y + v, 0), height - 1), at = min(max(x + u, 0), width - 1);
            const float pixel = from[row * width + at], apart = pixel - middle;
            const float weight = expf(-(u * u + v * v) * 0.08f - apart * apart * 12.5f);
            sum += weight * pixel;
            weights += weight;
        }
    to[y * width + x] = sum / weights;
}

__device__ static void order(int &a, int &b)
{
    const int low = min(a, b);

    b = max(a, b);
    a = low;
}

/* The median of 3 x 3 bytes: of the largest low, middle middle and lowest high of columns. */
__global__ void median(const unsigned char *from, unsigned char *to, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    int p[3][3];

    if (x >= width - 1 || y >= height - 1)
        return;
    for (int u = 0; u < 3; u++) {
        for (int v = 0; v < 3; v++)
            p[u][v] = from[(y + v - 1) * width + x + u - 1];
        order(p[u][0], p[u][1]);
        order(p[u][1], p[u][2]);
        order(p[u][0], p[u][1]);
    }
    int low = max(max(p[0][0], p[1][0]), p[2][0]);
    int high = min(min(p[0][2], p[1][2]), p[2][2]);
    order(p[0][1], p[1][1]);
    int middle = max(p[0][1], min(p[1][1], p[2][1]));
    order(low, middle);
    order(middle, high);
    to[y * width + x] = (unsigned char)max(low, middle);
}

/* All shortest ways of a graph: those by way of one node. */
__global__ void shorten(int *distances, int n, int pivot)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= n || y >= n)
        return;
    const int by_way = distances[y * n + pivot] + distances[pivot * n + x];
    distances[y * n + x] = min(distances[y * n + x], by_way);
}

/* A generation of the game of life on a torus: one byte per cell. */
__global__ void live(const unsigned char *from, unsigned char *to, int width, int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % width, y = i / width;
    int around = -from[i];

    for (int v = height - 1; v <= height + 1; v++)
        for (int u = width - 1; u <= width + 1; u++)
            around += from[(y + v) % height * width + (x + u) % width];
    to[i] = around == 3 || (around == 2 && from[i]);
}

/* The cheapest ways down a wall, some rows at a time: each block needs a rim that it loses. */
__global__ void descend(const int *wall, const int *from, int *to, int width)
{
    __shared__ int rows[2][PATH_BLOCK];
    const int t = threadIdx.x;
    const int x = blockIdx.x * (PATH_BLOCK - 2 * PATH_STEPS) + t - PATH_STEPS;
    const bool inside = x >= 0 && x < width;

    rows[0][t] = rows[1][t] = inside ? from[x] : 1 << 30;
    __syncthreads();
    for (int step = 0; step < PATH_STEPS; step++) {
        const int *row = rows[step % 2];
        if (inside && t > step && t < PATH_BLOCK - 1 - step)
            rows[1 - step % 2][t] =
                min(row[t], min(row[t - 1], row[t + 1])) + wall[step * width + x];
        __syncthreads();
    }
    if (inside && t >= PATH_STEPS && t < PATH_BLOCK - PATH_STEPS)
        to[x] = rows[0][t];
}

__constant__ float cosines[64];

/* Cosine transforms of 8 x 8 pixels, four to a block. */
__global__ void cosine_transform(const float *from, float *to, int width)
{
    __shared__ float tiles[4][8][9];
    const int u = threadIdx.x, v = threadIdx.y, k = threadIdx.z;
    const int i = (blockIdx.y * 8 + v) * width + (blockIdx.x * 4 + k) * 8 + u;
    float sum = 0;

    tiles[k][v][u] = from[i];
    __syncthreads();
    for (int j = 0; j < 8; j++)
        sum += cosines[v * 8 + j] * tiles[k][j][u];
    __syncthreads();
    tiles[k][v][u] = sum;
    __syncthreads();
    sum = 0;
    for (int j = 0; j < 8; j++)
        sum += cosines[u * 8 + j] * tiles[k][v][j];
    to[i] = sum;
}

/* Lower and upper triangles of a matrix of 32 x 32, a warp each: one row per lane. */
__global__ void factor(const float *from, float *to)
{
    __shared__ float a[PIVOTS][PIVOTS + 1];
    const int t = threadIdx.x, first = blockIdx.x * PIVOTS * PIVOTS;

    for (int row = 0; row < PIVOTS; row++)
        a[row][t] = from[first + row * PIVOTS + t] + (row == t ? PIVOTS : 0);
    __syncthreads();
    for (int k = 0; k < PIVOTS - 1; k++) {
        if (t > k) {
            const float ratio = a[t][k] / a[k][k];
            a[t][k] = ratio;
            for (int column = k + 1; column < PIVOTS; column++)
                a[t][column] -= ratio * a[k][column];
        }
        __syncthreads();
    }
    for (int row = 0; row < PIVOTS; row++)
        to[first + row * PIVOTS + t] = a[row][t];
}

/* A system of three diagonals by cyclic reduction, one equation per thread. */
__global__ void reduce_system(const float4 *equations, float *to)
{
    __shared__ float4 s[EQUATIONS];
    const int t = threadIdx.x, i = blockIdx.x * EQUATIONS + t;
    float4 e = equations[i];

    e = make_float4(t > 0 ? e.x : 0, e.y + 3, t < EQUATIONS - 1 ? e.z : 0, e.w);
    s[t] = e;
    __syncthreads();
    for (int apart = 1; apart < EQUATIONS; apart *= 2) {
        const float4 up = s[max(t - apart, 0)], down = s[min(t + apart, EQUATIONS - 1)];
        const float p = t >= apart ? e.x / up.y : 0, q = t + apart < EQUATIONS ? e.z / down.y : 0;
        e = make_float4(-up.x * p, e.y - up.z * p - down.x * q, -down.z * q,
                        e.w - up.w * p - down.w * q);
        __syncthreads();
        s[t] = e;
        __syncthreads();
    }
    to[i] = e.w / e.y;
}

/* Fourier transforms of 512 points in shared memory, two points per thread and stage. */
__global__ void fourier(const float2 *from, float2 *to)
{
    __shared__ float2 points[POINTS];
    const int t = threadIdx.x, first = blockIdx.x * POINTS;

    for (int i = t; i < POINTS; i += POINTS / 2)
        points[__brev(i) >> 23] = from[first + i];
    __syncthreads();
    for (int half = 1; half < POINTS; half *= 2) {
        const int k = t % half, i = (t / half) * 2 * half + k;
        float sine, cosine;
        sincospif(-(float)k / half, &sine, &cosine);
        const float2 p = points[i], q = points[i + half];
        const float real = q.x * cosine - q.y * sine, imaginary = q.x * sine + q.y * cosine;
        points[i] = make_float2(p.x + real, p.y + imaginary);
        points[i + half] = make_float2(p.x - real, p.y - imaginary);
        __syncthreads();
    }
    for (int i = t; i < POINTS; i += POINTS / 2)
        to[first + i] = points[i];
}

/* An inner product in double precision. */
__global__ void inner(const double *a, const double *b, double *to, int n)
{
    __shared__ double parts[256];
    const int t = threadIdx.x;
    double sum = 0;

    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        sum += a[i] * b[i];
    parts[t] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            parts[t] += parts[t + half];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(to, parts[0]);
}

/* A product of matrices by tensor cores: 16 x 16 numbers of it per warp. */
__global__ void tensor_product(const half *a, const half *b, float *to, int n, int inner_size)
{
    namespace wmma = nvcuda::wmma;
    const int row = blockIdx.y * 16, column = (blockIdx.x * blockDim.y + threadIdx.y) * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;

    wmma::fill_fragment(sums, 0.0f);
    for (int k = 0; k < inner_size; k += 16) {
        wmma::load_matrix_sync(left, a + row * inner_size + k, inner_size);
        wmma::load_matrix_sync(right, b + column * inner_size + k, inner_size);
        wmma::mma_sync(sums, left, right, sums);
    }
    wmma::store_matrix_sync(to + row * n + column, sums, n, wmma::mem_row_major);
}

/* Marsaglia's xorshift: the state of each thread goes on by 64 numbers. */
__global__ void shift_numbers(const uint4 *states, uint4 *states_to, unsigned *to)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 s = states[i];
    unsigned sum = 0;

    for (int k = 0; k < 64; k++) {
        const unsigned t = s.x ^ s.x << 11;
        s = make_uint4(s.y, s.z, s.w, s.w ^ s.w >> 19 ^ t ^ t >> 8);
        sum += s.w % 6;
    }
    states_to[i] = s;
    to[i] = sum;
}

__constant__ float4 samples[SAMPLES];

/* A picture by magnetic resonance: the waves of all samples at one place per thread. */
__global__ void resonate(const float *x, const float *y, const float *z, float2 *to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float real = 0, imaginary = 0;

    if (i >= n)
        return;
    const float px = x[i], py = y[i], pz = z[i];
    for (int k = 0; k < SAMPLES; k++) {
        const float4 sample = samples[k];
        const float angle = 6.2831853f * (sample.x * px + sample.y * py + sample.z * pz);
        real += sample.w * __cosf(angle);
        imaginary += sample.w * __sinf(angle);
    }
    to[i] = make_float2(real, imaginary);
}

/* The price of an American put by a tree of two branches, one option per block. */
__global__ void price(const float *stocks, const float *strikes, float *to)
{
    __shared__ float values[TREE];
    const int t = threadIdx.x;
    const float stock = 40 + 20 * stocks[blockIdx.x], strike = 40 + 20 * strikes[blockIdx.x];
    const float step = 0.0125f, up = 0.502f, discount = 0.99995f;

    values[t] = fmaxf(strike - stock * expf(step * (2 * t - TREE + 1)), 0);
    __syncthreads();
    for (int last = TREE - 1; last > 0; last--) {
        const float now = strike - stock * expf(step * (2 * t - last + 1));
        const float held = t < last ? up * values[t + 1] + (1 - up) * values[t] : 0;
        __syncthreads();
        values[t] = fmaxf(discount * held, now);
        __syncthreads();
    }
    if (t == 0)
        to[blockIdx.x] = values[0];
}

/* Where planets are on their ellipses: Newton's method in double precision. */
__global__ void orbit(const double *anomalies, const double *shapes, double2 *to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    const double mean = 3 * anomalies[i], shape = 0.9 * shapes[i];
    double angle = mean + shape * 0.5, change = 1, sine, cosine;
    for (int k = 0; k < 20 && fabs(change) > 1e-12; k++) {
        sincos(angle, &sine, &cosine);
        change = (angle - shape * sine - mean) / (1 - shape * cosine);
        angle -= change;
    }
    sincos(angle, &sine, &cosine);
    to[i] = make_double2(cosine - shape, sqrt(1 - shape * shape) * sine);
}

/* Two spectra are multiplied, as for a convolution. */
__global__ void complex_products(const float2 *a, const float2 *b, float2 *to, float scale, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float2 x = a[i], y = b[i];
        to[i] = make_float2((x.x * y.x - x.y * y.y) * scale, (x.x * y.y + x.y * y.x) * scale);
    }
}

/* Pairs of numbers turned by an angle that depends on the place of a word: one block per word. */
__global__ void rotate(const __nv_bfloat162 *from, __nv_bfloat162 *to, int pairs)
{
    const int word = blockIdx.x, t = threadIdx.x, i = word * blockDim.x + t;
    const float2 pair = __bfloat1622float2(from[i]);
    const float frequency = powf(10000.0f, -(float)(t % pairs) / pairs);
    float sine, cosine;

    sincosf(word * frequency, &sine, &cosine);
    to[i] = __floats2bfloat162_rn(pair.x * cosine - pair.y * sine, pair.x * sine + pair.y * cosine);
}

__constant__ unsigned roots[64];

/* The inner loop of SHA-256, over one block of 64 bytes per thread. */
__global__ void digest(const unsigned *from, unsigned *to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const auto turn = [](unsigned x, int by) { return x >> by | x << (32 - by); };
    unsigned w[16], s[8];

    if (i >= n)
        return;
    for (int k = 0; k < 16; k++)
        w[k] = from[k * n + i];
    for (int k = 0; k < 8; k++)
        s[k] = roots[k] ^ 0x6A09E667;
#pragma unroll 16
    for (int round = 0; round < 64; round++) {
        const int k = round % 16;
        const unsigned a = s[0], e = s[4];
        const unsigned first = s[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
                               ((e & s[5]) ^ (~e & s[6])) + roots[round] + w[k];
        const unsigned second =
            (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        const unsigned x = w[(k + 1) % 16], y = w[(k + 14) % 16];
        w[k] += (turn(x, 7) ^ turn(x, 18) ^ x >> 3) + w[(k + 9) % 16] +
                (turn(y, 17) ^ turn(y, 19) ^ y >> 10);
        for (int j = 7; j > 0; j--)
            s[j] = s[j - 1];
        s[4] += first;
        s[0] = first + second;
    }
    for (int k = 0; k < 8; k++)
        to[k * n + i] = s[k];
}

/* Queens on 11 x 11 squares: each thread puts three, and counts the ways to put the others. */
__global__ void queens(unsigned *ways, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 rows[QUEENS];
    unsigned found = 0;
    int row = 0;

    rows[0] = make_uint4(0, 0, 0, i < n ? 1u << i % QUEENS : 0);
    while (row >= 0) {
        const uint4 now = rows[row];
        const unsigned queen = now.w & -now.w;
        if (queen == 0) {
            row--;
            continue;
        }
        rows[row++].w ^= queen;
        const unsigned x = now.x | queen, y = (now.y | queen) << 1, z = (now.z | queen) >> 1;
        unsigned open = ~(x | y | z) & ((1 << QUEENS) - 1);
        if (row < 3)
            open &= 1u << (row == 1 ? i / QUEENS : i / QUEENS / QUEENS) % QUEENS;
        rows[row] = make_uint4(x, y, z, open);
        if (row == QUEENS - 1)
            found += __popc(rows[row--].w);
    }
    atomicAdd(ways, found);
}

/* Two sorted lists become one: each thread finds where its eight numbers begin in both. */
__global__ void merge(const unsigned *a, const unsigned *b, unsigned *to, int n)
{
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    int low = max(first - n, 0), high = min(first, n);

    if (first >= 2 * n)
        return;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (a[middle] <= b[first - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    int i = low, j = first - low;
    for (int k = 0; k < 8 && first + k < 2 * n; k++)
        to[first + k] = j >= n || (i < n && a[i] <= b[j]) ? a[i++] : b[j++];
}

/* How often each word occurs: a hash table that threads fill together. */
__global__ void tally(const unsigned *words, unsigned *keys, unsigned *counts, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    const unsigned key = words[i] + 1;
    unsigned at = (key * 2654435761u >> 8) % SLOTS, was = atomicCAS(&keys[at], 0, key);
    while (was != 0 && was != key) {
        at = (at + 1) % SLOTS;
        was = atomicCAS(&keys[at], 0, key);
    }
    atomicAdd(&counts[at], 1);
}

/* Parts of a graph that hang together: each edge gives its nodes the lower of their labels. */
__global__ void join(const uint2 *edges, const unsigned *labels, unsigned *to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    const uint2 edge = edges[i];
    atomicMin(&to[edge.x], labels[edge.y]);
    atomicMin(&to[edge.y], labels[edge.x]);
}

/* Four filters of second order behind one another: one channel per thread. */
__global__ void filter(const float *from, float *to, int channels, int length)
{
    const int channel = blockIdx.x * blockDim.x + threadIdx.x;
    float first[4] = {}, second[4] = {};

    for (int i = 0; i < length; i++) {
        float x = from[i * channels + channel];
        for (int k = 0; k < 4; k++) {
            const float y = 0.2f * x + first[k];
            first[k] = 0.4f * x + (0.3f + 0.1f * k) * y + second[k];
            second[k] = 0.2f * x - 0.25f * y;
            x = y;
        }
        to[i * channels + channel] = x;
    }
}

template <typename word, typename rule> static word *fill(int count, rule rule_of)
{
    return fill_from<word>(66, count, rule_of);
}

static void set_constants(void)
{
    float4 places[SAMPLES];
    float basis[SAMPLES];
    unsigned fractions[SAMPLES];

    for (int i = 0; i < SAMPLES; i++) {
        places[i] = make_float4(i % 7 * 0.3f, i % 11 * 0.2f, i % 13 * 0.1f, 1.0f / (i + 1));
        basis[i] = (float)(cos((i % 8 + 0.5) * (i / 8) * M_PI / 8) * (i < 8 ? sqrt(0.125) : 0.5));
        fractions[i] = (unsigned)(fmod(cbrt(i * 5 + 2), 1) * 4294967296.0);
    }
    CHECK(cudaMemcpyToSymbol(cosines, basis, sizeof cosines));
    CHECK(cudaMemcpyToSymbol(samples, places, sizeof places));
    CHECK(cudaMemcpyToSymbol(roots, fractions, sizeof roots));
}

static void measure_grids(struct calibration *calibration, const float *x, float *to)
{
    unsigned char *cells = fill<unsigned char>(640 * 480, [](int, int r) { return r % 3 == 0; });
    int *costs = (int *)calibration_words(SIDE * SIDE, 1000, 61);

    TIMED_CASE(calibration, "magnetic fields of waves")
        magnetic<<<dim3(32, 125), dim3(32, 8)>>>(x, to, to + SIDE * SIDE, SIDE);
    TIMED_CASE(calibration, "bilateral filter")
        bilateral<<<dim3(25, 20), dim3(16, 16)>>>(x, to, 400, 310);
    TIMED_CASE(calibration, "median of 3 x 3 bytes")
        median<<<dim3(16, 192), dim3(64, 4)>>>((unsigned char *)x, (unsigned char *)to, 1024, 768);
    TIMED_CASE(calibration, "shortest ways by one node")
        shorten<<<dim3(63, 63), dim3(16, 16)>>>(costs, SIDE, 321);
    TIMED_CASE(calibration, "game of life")
        live<<<640 * 480 / 128, 128>>>(cells, (unsigned char *)to, 640, 480);
    TIMED_CASE(calibration, "cheapest ways down 20 rows")
        descend<<<50000 / 216 + 1, PATH_BLOCK>>>(costs, costs, (int *)to, 50000);
    TIMED_CASE(calibration, "cosine transforms of 8 x 8")
        cosine_transform<<<dim3(30, 135), dim3(8, 8, 4)>>>(x, to, 960);
    CHECK(cudaFree(cells));
    CHECK(cudaFree(costs));
}

static void measure_numbers(struct calibration *calibration, const float *x, float *to)
{
    double *doubles = fill<double>(COUNT, [](int, int r) { return r / 1073741824.0; });
    half *halves = fill<half>(COUNT, [](int, int r) { return r / 1073741824.0f; });

    TIMED_CASE(calibration, "triangles of small matrices")
        factor<<<400, PIVOTS>>>(x, to);
    TIMED_CASE(calibration, "three diagonals, one block")
        reduce_system<<<1, EQUATIONS>>>((float4 *)x, to);
    TIMED_CASE(calibration, "Fourier transforms of 512 points")
        fourier<<<300, POINTS / 2>>>((float2 *)x, (float2 *)to);
    TIMED_CASE(calibration, "inner product in double precision")
        inner<<<200, 256>>>(doubles, doubles + 7, (double *)to, COUNT - 7);
    TIMED_CASE(calibration, "product by tensor cores")
        tensor_product<<<dim3(8, 32), dim3(32, 4)>>>(halves, halves + COUNT / 2, to, 512, 384);
    TIMED_CASE(calibration, "waves of 192 samples")
        resonate<<<235, 128>>>(x, x + 30000, x + 60000, (float2 *)to, 30000);
    TIMED_CASE(calibration, "American options by trees")
        price<<<140, TREE>>>(x, x + 1000, to);
    TIMED_CASE(calibration, "orbits in double precision")
        orbit<<<40000 / 192 + 1, 192>>>(doubles, doubles + 40000, (double2 *)to, 40000);
    TIMED_CASE(calibration, "complex products by 264 blocks")
        complex_products<<<264, 512>>>((float2 *)x, (float2 *)doubles, (float2 *)to, 0.5f, COUNT);
    TIMED_CASE(calibration, "rotary embedding of bfloat16")
        rotate<<<680, 384>>>((__nv_bfloat162 *)halves, (__nv_bfloat162 *)to, 32);
    TIMED_CASE(calibration, "recursive filters, one channel each")
        filter<<<96, 64>>>(x, to, 96 * 64, 160);
    CHECK(cudaFree(doubles));
    CHECK(cudaFree(halves));
}

static void measure_integers(struct calibration *calibration, unsigned *to)
{
    unsigned *words = calibration_words(COUNT, 40000, 63);
    unsigned *table = (unsigned *)calibration_memory(2 * SLOTS * sizeof *table);
    unsigned *sorted = fill<unsigned>(COUNT, [](int i, int r) { return i % 250000 * 8 + r % 8; });

    TIMED_CASE(calibration, "numbers by xorshift")
        shift_numbers<<<300, 256>>>((uint4 *)words, (uint4 *)to, to + COUNT);
    TIMED_CASE(calibration, "rounds of SHA-256")
        digest<<<32768 / 128, 128>>>(words, to, 32768);
    TIMED_CASE(calibration, "queens on a board of 11 x 11")
        queens<<<21, 64>>>(to, QUEENS * QUEENS * QUEENS);
    TIMED_CASE(calibration, "merge of two sorted lists")
        merge<<<62500 / 256 + 1, 256>>>(sorted, sorted + 250000, to, 250000);
    TIMED_CASE(calibration, "words counted in a hash table")
        tally<<<586, 256>>>(words, table, table + SLOTS, 150000);
    TIMED_CASE(calibration, "labels along edges")
        join<<<391, 256>>>((uint2 *)words, words, to, 100000);
    CHECK(cudaFree(words));
    CHECK(cudaFree(table));
    CHECK(cudaFree(sorted));
}

static void measure(struct calibration *calibration)
{
    float *x = calibration_floats(2 * COUNT, 0, 1, 62);
    float *to = (float *)calibration_memory(4 * COUNT * sizeof(float));

    set_constants();
    measure_grids(calibration, x, to);
    measure_numbers(calibration, x, to);
    measure_integers(calibration, (unsigned *)to);
    CHECK(cudaFree(x));
    CHECK(cudaFree(to));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "held_out_6", measure);
}

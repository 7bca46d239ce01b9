/* A fifth set of programs that no figure and no rule of the model was chosen by, written by
 * somebody who had not seen the model: kernels of the kind found in public collections. */
#include <cuda_fp16.h>
#include <math.h>
#include <stdlib.h>

#include "calibration.h"
#include "fill.cuh"

enum { COUNT = 1 << 21, RADIUS = 5, DISC = 32 + 2 * RADIUS, ANGLES = 90, DISTANCES = 736 };
enum { WAVELET = 2048, UNKNOWNS = 480, WARP_LENGTH = 250, TOP = 8, TOP_BLOCK = 128 };
enum { NODES = 4096, SEQUENCE = 100, OPTIONS = 30000 };

/* The curl of a field of three parts, in three dimensions. */
__global__ void curl(const float *field, float *to, int nx, int ny, int nz)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    const int z = blockIdx.z * blockDim.z + threadIdx.z + 1;
    const int plane = nx * ny, cells = plane * nz, i = z * plane + y * nx + x;
    const float *u = field, *v = field + cells, *w = field + 2 * cells;

    if (x >= nx - 1 || y >= ny - 1 || z >= nz - 1)
        return;
    to[i] = 0.5f * (w[i + nx] - w[i - nx] - v[i + plane] + v[i - plane]);
    to[cells + i] = 0.5f * (u[i + plane] - u[i - plane] - w[i + 1] + w[i - 1]);
    to[2 * cells + i] = 0.5f * (v[i + 1] - v[i - 1] - u[i + nx] + u[i - nx]);
}

/* The largest byte of a disc around each pixel: a tile of 32 x 32 and its rim in shared memory. */
__global__ void dilate(const unsigned char *from, unsigned char *to, int width, int height)
{
    __shared__ unsigned char tile[DISC][DISC + 2];
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    int largest = 0;

    for (int v = threadIdx.y; v < DISC; v += 32)
        for (int u = threadIdx.x; u < DISC; u += 32) {
            const int row = min(max((int)blockIdx.y * 32 + v - RADIUS, 0), height - 1);
            const int column = min(max((int)blockIdx.x * 32 + u - RADIUS, 0), width - 1);
            tile[v][u] = from[row * width + column];
        }
    __syncthreads();
    if (x >= width || y >= height)
        return;
    for (int v = -RADIUS; v <= RADIUS; v++)
        for (int u = -RADIUS; u <= RADIUS; u++)
            if (u * u + v * v <= RADIUS * RADIUS)
                largest = max(largest, tile[threadIdx.y + v + RADIUS][threadIdx.x + u + RADIUS]);
    to[y * width + x] = (unsigned char)largest;
}

/* Half a step of successive over-relaxation in double precision: the cells of one colour. */
__global__ void relax(double *grid, const double *right, int side, int colour)
{
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1 + (y + colour) % 2;
    const int i = y * side + x;

    if (x >= side - 1 || y >= side - 1)
        return;
    const double around = grid[i - 1] + grid[i + 1] + grid[i - side] + grid[i + side];
    grid[i] += 1.6 * (0.25 * (around - right[i]) - grid[i]);
}

__constant__ float2 turns[ANGLES];

/* Hough's transform: each pixel of an edge votes for all lines through it. */
__global__ void vote(const unsigned char *edges, unsigned *votes, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= width || y >= height || edges[y * width + x] == 0)
        return;
    for (int angle = 0; angle < ANGLES; angle++) {
        const float distance = x * turns[angle].x + y * turns[angle].y;
        atomicAdd(&votes[angle * DISTANCES + (int)((distance + width) * 0.5f)], 1);
    }
}

/* A ray per pixel goes through a volume until it leaves or little light is left. */
__global__ void march(const float *volume, float *to, int n, int width, int height)
{
    const int px = blockIdx.x * blockDim.x + threadIdx.x;
    const int py = blockIdx.y * blockDim.y + threadIdx.y;

    if (px >= width || py >= height)
        return;
    const float u = (px + 0.5f) / width - 0.5f, v = (py + 0.5f) / height - 0.5f;
    const float step = 0.7f * rsqrtf(1 + u * u + v * v);
    float x = n * (0.5f + 0.3f * u), y = n * (0.5f + 0.3f * v), z = 0, light = 0, open = 1;
    while (open > 0.05f && x >= 0 && x < n - 1 && y >= 0 && y < n - 1 && z < n - 1) {
        const int i = (int)x, j = (int)y, k = (int)z;
        const float *at = volume + (k * n + j) * n + i;
        const float a = x - i, b = y - j, c = z - k;
        const auto mean = [=](const float *p) {
            return (1 - b) * ((1 - a) * p[0] + a * p[1]) + b * ((1 - a) * p[n] + a * p[n + 1]);
        };
        const float density = (1 - c) * mean(at) + c * mean(at + n * n);
        light += open * density * (1 - z / n);
        open *= 1 - density;
        x += step * u;
        y += step * v;
        z += step;
    }
    to[py * width + px] = light;
}

/* Haar's wavelets, in place: one signal per block. */
__global__ void wavelets(const float *from, float *to)
{
    __shared__ float s[WAVELET];
    const int t = threadIdx.x, first = blockIdx.x * WAVELET;

    for (int i = t; i < WAVELET; i += blockDim.x)
        s[i] = from[first + i];
    __syncthreads();
    for (int apart = 1; apart < WAVELET; apart *= 2) {
        for (int i = 2 * apart * t; i < WAVELET; i += 2 * apart * blockDim.x) {
            const float a = s[i], b = s[i + apart];
            s[i] = (a + b) * 0.70710678f;
            s[i + apart] = (a - b) * 0.70710678f;
        }
        __syncthreads();
    }
    for (int i = t; i < WAVELET; i += blockDim.x)
        to[first + i] = s[i];
}

/* A product of matrices: 64 x 64 numbers of it per block, 4 x 4 per thread. */
__global__ void matrix_product(const float *a, const float *b, float *to, int n, int inner)
{
    __shared__ float left[16][64 + 1], right[16][64];
    const int t = threadIdx.x, u = t % 16, v = t / 16;
    const int row = blockIdx.y * 64, column = blockIdx.x * 64;
    float sums[4][4] = {};

    for (int k = 0; k < inner; k += 16) {
        for (int i = t; i < 16 * 64; i += 256) {
            left[i % 16][i / 16] = a[(row + i / 16) * inner + k + i % 16];
            right[i / 64][i % 64] = b[(k + i / 64) * n + column + i % 64];
        }
        __syncthreads();
        for (int p = 0; p < 16; p++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sums[i][j] += left[p][i * 16 + v] * right[p][j * 16 + u];
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            to[(row + i * 16 + v) * n + column + j * 16 + u] = sums[i][j];
}

/* A triangular system, stored by columns: one block, one unknown per thread. */
__global__ void substitute(const float *matrix, const float *right, float *to)
{
    __shared__ float solved[UNKNOWNS];
    const int t = threadIdx.x;
    float rest = right[t];

    for (int k = 0; k < UNKNOWNS; k++) {
        if (t == k)
            solved[k] = rest / (UNKNOWNS + matrix[k * UNKNOWNS + k]);
        __syncthreads();
        if (t > k)
            rest -= matrix[k * UNKNOWNS + t] * solved[k];
    }
    to[t] = solved[t];
}

/* How columns of a table vary together: a thread has one column and all that follow it. */
__global__ void covariance(const float *table, float *to, int columns, int rows)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= columns)
        return;
    for (int j = i; j < columns; j++) {
        float sum = 0;
        for (int row = 0; row < rows; row++)
            sum += table[row * columns + i] * table[row * columns + j];
        to[i * columns + j] = to[j * columns + i] = sum / (rows - 1);
    }
}

/* The price of a call in a year on a stock of 100, without interest. */
__host__ __device__ static double call_price(double strike, double spread)
{
    const double d = log(100 / strike) / spread + 0.5 * spread;

    return 50 * erfc(-d * M_SQRT1_2) - 0.5 * strike * erfc((spread - d) * M_SQRT1_2);
}

/* The spreads that prices stand for, in double precision: Newton's method between bounds. */
__global__ void imply(const double *strikes, const double *prices, double *to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    const double strike = strikes[i], price = prices[i];
    double low = 0.01, high = 2, spread = 0.5;
    for (int step = 0; step < 60; step++) {
        const double error = call_price(strike, spread) - price;
        const double d = log(100 / strike) / spread + 0.5 * spread;
        if (fabs(error) < 1e-9)
            break;
        (error > 0 ? high : low) = spread;
        spread -= error / (39.894228040143268 * exp(-0.5 * d * d));
        if (!(spread > low && spread < high))
            spread = 0.5 * (low + high);
    }
    to[i] = spread;
}

/* How far two curves are apart if time may be warped: a pair per block, along diagonals. */
__global__ void warp_time(const float *a, const float *b, float *to)
{
    __shared__ float curve[WARP_LENGTH], diagonals[3][WARP_LENGTH + 1];
    const int t = threadIdx.x, n = WARP_LENGTH;
    const float own = a[blockIdx.x * n + t];

    curve[t] = b[blockIdx.x * n + t];
    for (int k = 0; k < 3; k++)
        diagonals[k][t] = diagonals[k][n] = INFINITY;
    __syncthreads();
    for (int i = 0; i < 2 * n - 1; i++) {
        const float *last = diagonals[(i + 2) % 3], *before = diagonals[(i + 1) % 3];
        if (i >= t && i - t < n) {
            const float least = fminf(before[t], fminf(last[t], last[t + 1]));
            diagonals[i % 3][t + 1] = fabsf(own - curve[i - t]) + (i == 0 ? 0 : least);
        }
        __syncthreads();
    }
    if (t == n - 1)
        to[blockIdx.x] = diagonals[(2 * n - 2) % 3][n];
}

/* A convolution of 3 x 3 with weights of each channel's own, channels last. */
__global__ void depthwise(const float *from, const float *weights, float *to, int width)
{
    const int channels = blockDim.x, channel = threadIdx.x;
    const int x = blockIdx.x * blockDim.y + threadIdx.y, y = blockIdx.y, height = gridDim.y;
    const float *image = from + blockIdx.z * height * width * channels;
    float sum = 0;

    if (x >= width)
        return;
    for (int v = -1; v <= 1; v++)
        for (int u = -1; u <= 1; u++)
            if (y + v >= 0 && y + v < height && x + u >= 0 && x + u < width)
                sum += weights[((v + 1) * 3 + u + 1) * channels + channel] *
                       image[((y + v) * width + x + u) * channels + channel];
    to[((blockIdx.z * height + y) * width + x) * channels + channel] = fmaxf(sum, 0);
}

/* A picture becomes a matrix with a column of 3 x 3 pixels of all channels per pixel. */
__global__ void columns_of_picture(const float *from, float *to, int channels, int width,
                                   int height)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int x = i % width, y = i / width % height, channel = i / width / height;

    if (channel >= channels)
        return;
    float *column = to + channel * 9 * height * width + y * width + x;
    for (int v = y - 1; v <= y + 1; v++)
        for (int u = x - 1; u <= x + 1; u++) {
            const bool inside = u >= 0 && v >= 0 && u < width && v < height;
            *column = inside ? from[(channel * height + v) * width + u] : 0;
            column += height * width;
        }
}

/* Rows of numbers to bytes, so that the largest of each becomes 127: four numbers per thread. */
__global__ void quantise(const float4 *from, char4 *to, float *scales)
{
    __shared__ float largest_of_warp[6];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    const float4 x = from[i];
    float largest = fmaxf(fmaxf(fabsf(x.x), fabsf(x.y)), fmaxf(fabsf(x.z), fabsf(x.w)));

    for (int half = 16; half > 0; half /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xFFFFFFFF, largest, half));
    if (t % 32 == 0)
        largest_of_warp[t / 32] = largest;
    __syncthreads();
    for (int k = 0; k < 6; k++)
        largest = fmaxf(largest, largest_of_warp[k]);
    const float scale = 127 / fmaxf(largest, 1e-6f);
    to[i] = make_char4(
        (signed char)__float2int_rn(x.x * scale), (signed char)__float2int_rn(x.y * scale),
        (signed char)__float2int_rn(x.z * scale), (signed char)__float2int_rn(x.w * scale));
    if (t == 0)
        scales[blockIdx.x] = 1 / scale;
}

/* The eight largest numbers of each row: those of each thread, which are then merged. */
__global__ void find_largest(const float *from, float *to, int columns)
{
    __shared__ float lists[TOP_BLOCK][TOP];
    const int t = threadIdx.x;
    float best[TOP] = {};

    for (int i = t; i < columns; i += TOP_BLOCK) {
        float value = from[blockIdx.x * columns + i];
        if (value > best[TOP - 1])
            for (int k = 0; k < TOP; k++) {
                const float larger = fmaxf(best[k], value);
                value = fminf(best[k], value);
                best[k] = larger;
            }
    }
    for (int k = 0; k < TOP; k++)
        lists[t][k] = best[k];
    for (int half = TOP_BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t >= half)
            continue;
        int i = 0, j = 0;
        for (int k = 0; k < TOP; k++)
            best[k] = lists[t][i] >= lists[t + half][j] ? lists[t][i++] : lists[t + half][j++];
        for (int k = 0; k < TOP; k++)
            lists[t][k] = best[k];
    }
    if (t == 0)
        for (int k = 0; k < TOP; k++)
            to[blockIdx.x * TOP + k] = best[k];
}

__device__ static float sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}

/* The gates of a layer of long short-term memory. */
__global__ void remember(const half *gates, float *cells, half *to, int hidden)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * hidden + t;

    if (t >= hidden)
        return;
    const half *gate = gates + blockIdx.y * 4 * hidden + t;
    const float in = sigmoid(__half2float(gate[0]));
    const float keep = sigmoid(__half2float(gate[hidden]));
    const float news = tanhf(__half2float(gate[2 * hidden]));
    const float out = sigmoid(__half2float(gate[3 * hidden]));
    const float cell = keep * cells[i] + in * news;
    cells[i] = cell;
    to[i] = __float2half(out * tanhf(cell));
}

__constant__ unsigned round_keys[44];

/* Ten rounds of AES over 16 bytes per thread: four tables in shared memory. */
__global__ void encrypt(const unsigned *from_tables, const uint4 *from, uint4 *to)
{
    __shared__ unsigned tables[4][256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const uint4 text = from[i];
    unsigned s[4] = {text.x, text.y, text.z, text.w}, next[4];

    for (int k = threadIdx.x; k < 1024; k += blockDim.x)
        tables[k / 256][k % 256] = from_tables[k];
    __syncthreads();
    for (int k = 0; k < 4; k++)
        s[k] ^= round_keys[k];
    for (int round = 1; round <= 10; round++) {
        for (int k = 0; k < 4; k++)
            next[k] = tables[0][s[k] >> 24] ^ tables[1][s[(k + 1) % 4] >> 16 & 255] ^
                      tables[2][s[(k + 2) % 4] >> 8 & 255] ^ tables[3][s[(k + 3) % 4] & 255] ^
                      round_keys[round * 4 + k];
        for (int k = 0; k < 4; k++)
            s[k] = next[k];
    }
    to[i] = make_uint4(s[0], s[1], s[2], s[3]);
}

/* An automaton reads 128 letters per thread, and counts how often it is in one of ten states. */
__global__ void recognise(const unsigned short *next, const unsigned char *text, unsigned *found)
{
    const unsigned char *letters = text + (blockIdx.x * blockDim.x + threadIdx.x) * 128;
    unsigned state = 0, count = 0;

    for (int k = 0; k < 128; k++) {
        state = next[state * 256 + letters[k]];
        count += state < 10;
    }
    if (count > 0)
        atomicAdd(found, count);
}

/* Whether numbers, made odd and above 61, are primes, by Miller and Rabin. */
__global__ void find_primes(const unsigned *numbers, unsigned char *prime, int n)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x, bases[3] = {2, 7, 61};

    if (at >= n)
        return;
    const unsigned number = numbers[at] | 65, shift = __ffs(number - 1) - 1;
    bool maybe = number % 3 != 0 && number % 5 != 0;
    for (int k = 0; k < 3 && maybe; k++) {
        unsigned long long power = 1, square = bases[k];
        for (unsigned rest = (number - 1) >> shift; rest > 0; rest >>= 1) {
            if ((rest & 1) != 0)
                power = power * square % number;
            square = square * square % number;
        }
        bool passed = power == 1 || power == number - 1;
        for (unsigned i = 1; i < shift && !passed; i++) {
            power = power * power % number;
            passed = power == number - 1;
        }
        maybe = passed;
    }
    prime[at] = maybe;
}

/* Triangles of a graph: the neighbours that a node has in common with each of its neighbours. */
__global__ void count_triangles(const unsigned *starts, const unsigned *edges, unsigned *to)
{
    const unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned first = starts[node], end = starts[node + 1];
    unsigned count = 0;

    for (unsigned k = first; k < end; k++) {
        const unsigned other_end = starts[edges[k] + 1];
        unsigned i = first, j = starts[edges[k]];
        while (i < end && j < other_end) {
            const unsigned a = edges[i], b = edges[j];
            count += a == b;
            i += a <= b;
            j += b <= a;
        }
    }
    to[node] = count;
}

/* The longest rising part of 100 numbers per thread: the least last number of each length. */
__global__ void rise(const unsigned *from, unsigned *to, int n)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned least[SEQUENCE];
    int length = 0;

    if (at >= n)
        return;
    for (int k = 0; k < SEQUENCE; k++) {
        const unsigned value = from[k * n + at];
        int low = 0, high = length;
        while (low < high) {
            const int middle = (low + high) / 2;
            if (least[middle] < value)
                low = middle + 1;
            else
                high = middle;
        }
        least[low] = value;
        length = max(length, low + 1);
    }
    to[at] = length;
}

template <typename word, typename rule> static word *fill(int count, rule rule_of)
{
    return fill_from<word>(77, count, rule_of);
}

static void measure_grids(struct calibration *calibration, const float *x, float *to)
{
    unsigned char *edges = fill<unsigned char>(640 * 480, [](int, int r) { return r % 33 == 0; });
    double *grid = fill<double>(2 * 900 * 900, [](int, int r) { return r / 1073741824.0; });
    float *volume = fill<float>(96 * 96 * 96, [](int i, int r) {
        const int place = i % 96 / 12 + i / 96 % 96 / 20 + i / 96 / 96 / 16;
        return r / 1073741824.0 * (place % 3 == 0 ? 0.1 : 0.004);
    });
    float2 directions[ANGLES];

    for (int i = 0; i < ANGLES; i++)
        directions[i] = make_float2((float)cos(i * M_PI / ANGLES), (float)sin(i * M_PI / ANGLES));
    CHECK(cudaMemcpyToSymbol(turns, directions, sizeof directions));
    TIMED_CASE(calibration, "curl of a field")
        curl<<<dim3(4, 22, 29), dim3(32, 4, 2)>>>(x, to, 100, 90, 60);
    TIMED_CASE(calibration, "dilation by a disc")
        dilate<<<dim3(32, 22), dim3(32, 32)>>>((unsigned char *)x, (unsigned char *)to, 1000, 700);
    TIMED_CASE(calibration, "red cells relaxed, in double precision")
        relax<<<dim3(8, 225), dim3(64, 4)>>>(grid, grid + 900 * 900, 900, 0);
    TIMED_CASE(calibration, "Hough's transform")
        vote<<<dim3(40, 30), dim3(16, 16)>>>(edges, (unsigned *)to, 640, 480);
    TIMED_CASE(calibration, "rays through a volume")
        march<<<dim3(32, 24), dim3(8, 8)>>>(volume, to, 96, 256, 190);
    TIMED_CASE(calibration, "wavelets in shared memory")
        wavelets<<<500, 256>>>(x, to);
    TIMED_CASE(calibration, "wavelets by seven blocks")
        wavelets<<<7, 1024>>>(x, to);
    CHECK(cudaFree(edges));
    CHECK(cudaFree(grid));
    CHECK(cudaFree(volume));
}

static void measure_numbers(struct calibration *calibration, const float *x, float *to)
{
    double *strikes = fill<double>(OPTIONS, [](int i, int) { return 60.0 + i % 80; });
    double *prices = fill<double>(OPTIONS, [](int i, int r) {
        return call_price(60.0 + i % 80, 0.1 + 0.6 * r / 1073741824.0);
    });
    half *gates = fill<half>(512 * 4 * 650, [](int, int r) { return r / 268435456.0f - 2; });
    float *cells = (float *)calibration_memory(512 * 650 * sizeof *cells);

    TIMED_CASE(calibration, "product, 4 x 4 per thread")
        matrix_product<<<dim3(8, 9), 256>>>(x, x + 576 * 400, to, 512, 400);
    TIMED_CASE(calibration, "product, 4 x 4 per thread, 14 blocks")
        matrix_product<<<dim3(7, 2), 256>>>(x, x + 128 * 1008, to, 448, 1008);
    TIMED_CASE(calibration, "triangular system, one block")
        substitute<<<1, UNKNOWNS>>>(x, x + UNKNOWNS * UNKNOWNS, to);
    TIMED_CASE(calibration, "covariance by three blocks")
        covariance<<<3, 64>>>(x, to, 150, 100);
    TIMED_CASE(calibration, "spreads implied by prices")
        imply<<<OPTIONS / 128 + 1, 128>>>(strikes, prices, (double *)to, OPTIONS);
    TIMED_CASE(calibration, "time warped, 100 pairs")
        warp_time<<<100, WARP_LENGTH>>>(x, x + COUNT / 2, to);
    TIMED_CASE(calibration, "depthwise convolution, channels last")
        depthwise<<<dim3(25, 56, 2), dim3(96, 2)>>>(x, x + 2 * 56 * 50 * 96, to, 50);
    TIMED_CASE(calibration, "columns of a picture")
        columns_of_picture<<<128 * 112 * 120 / 512, 512>>>(x, to, 128, 120, 112);
    TIMED_CASE(calibration, "rows to bytes")
        quantise<<<1500, 192>>>((float4 *)x, (char4 *)to, to + COUNT);
    TIMED_CASE(calibration, "eight largest of each row")
        find_largest<<<400, TOP_BLOCK>>>(x, to, 1000);
    TIMED_CASE(calibration, "gates of long short-term memory")
        remember<<<dim3(6, 512), 128>>>(gates, cells, (half *)to, 650);
    CHECK(cudaFree(strikes));
    CHECK(cudaFree(prices));
    CHECK(cudaFree(gates));
    CHECK(cudaFree(cells));
}

static void measure_integers(struct calibration *calibration, unsigned *to)
{
    const auto degree = [](int node) { return 4 + node % 3 * (node % 19); };
    int node = -1, left = 0, sum = 0, target = 0;
    unsigned *starts = fill<unsigned>(NODES + 1, [&](int i, int) {
        const int start = sum;
        sum += degree(i);
        return start;
    });
    unsigned *edges = fill<unsigned>(sum, [&](int, int r) {
        if (left-- == 0) {
            left = degree(++node) - 1;
            target = -1;
        }
        return target += 1 + r % (NODES / 64);
    });
    unsigned *words = calibration_words(COUNT, ~0u, 72);
    unsigned short *next = fill<unsigned short>(500 * 256, [](int, int r) { return r % 500; });

    CHECK(cudaMemcpyToSymbol(round_keys, words, sizeof round_keys, 0, cudaMemcpyDeviceToDevice));
    TIMED_CASE(calibration, "rounds of AES")
        encrypt<<<256, 256>>>(words, (uint4 *)words + 512, (uint4 *)to);
    TIMED_CASE(calibration, "automaton of 500 states")
        recognise<<<COUNT / 128 / 128, 128>>>(next, (unsigned char *)words, to);
    TIMED_CASE(calibration, "primes by Miller and Rabin")
        find_primes<<<94, 128>>>(words, (unsigned char *)to, 12000);
    TIMED_CASE(calibration, "triangles of a graph")
        count_triangles<<<NODES / 64, 64>>>(starts, edges, to);
    TIMED_CASE(calibration, "longest rising parts")
        rise<<<20000 / 256 + 1, 256>>>(words, to, 20000);
    CHECK(cudaFree(starts));
    CHECK(cudaFree(edges));
    CHECK(cudaFree(words));
    CHECK(cudaFree(next));
}

static void measure(struct calibration *calibration)
{
    float *x = calibration_floats(COUNT, 0, 1, 73);
    float *to = (float *)calibration_memory(8 * COUNT * sizeof(float));

    measure_grids(calibration, x, to);
    measure_numbers(calibration, x, to);
    measure_integers(calibration, (unsigned *)to);
    CHECK(cudaFree(x));
    CHECK(cudaFree(to));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "held_out_7", measure);
}

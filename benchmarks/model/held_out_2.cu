/* A second set of programs that no figure and no rule of the model was chosen by: written after the
 * model stood, which was asked before any of them had run on a card. */
#include <stdlib.h>

#include "calibration.h"

enum { THREADS = 256, COUNT = 1 << 20, CUBE = 128, SIDE = 1024, TAPS = 17, TABLE = 1 << 25 };

/* Seven points in three dimensions. */
__global__ void stencil(const float *from, float *to)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;

    if (x == 0 || y == 0 || z == 0 || x == CUBE - 1 || y == CUBE - 1 || z == CUBE - 1)
        return;
    const float *at = from + (z * CUBE + y) * CUBE + x;
    to[(z * CUBE + y) * CUBE + x] = 0.4f * at[0] + 0.1f * (at[-1] + at[1] + at[-CUBE] + at[CUBE] +
                                                           at[-CUBE * CUBE] + at[CUBE * CUBE]);
}

/* Lanes with the same value add once. */
__global__ void histogram(const unsigned *data, unsigned *bins)
{
    __shared__ unsigned own[64];

    if (threadIdx.x < 64)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < COUNT; i += gridDim.x * THREADS) {
        const unsigned bin = data[i] * data[i] / 16384 % 64;
        const unsigned alike = __match_any_sync(0xFFFFFFFF, bin);
        if (__ffs(alike) - 1 == (int)(threadIdx.x % 32))
            atomicAdd(&own[bin], __popc(alike));
    }
    __syncthreads();
    if (threadIdx.x < 64)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

/* Rows of uneven length, one thread each. */
__global__ void sparse(const unsigned *starts, const unsigned *columns, const float *values,
                       const float *vector, float *to)
{
    const int row = blockIdx.x * THREADS + threadIdx.x;
    float sum = 0;

    for (unsigned i = starts[row]; i < starts[row + 1]; i++)
        sum += values[i] * vector[columns[i]];
    to[row] = sum;
}

/* An exclusive sum of 1024 numbers: up a tree, and down again. */
__global__ void scan(const int *from, int *to)
{
    __shared__ int tree[1024 + 32];
    const int t = threadIdx.x;
    auto place = [](int i) { return i + i / 32; };

    tree[place(t)] = from[blockIdx.x * 1024 + t];
    tree[place(t + 512)] = from[blockIdx.x * 1024 + t + 512];
    int by = 1;
    for (int left = 512; left > 0; left /= 2, by *= 2) {
        __syncthreads();
        if (t < left)
            tree[place(by * (2 * t + 2) - 1)] += tree[place(by * (2 * t + 1) - 1)];
    }
    if (t == 0)
        tree[place(1023)] = 0;
    for (int left = 1; left < 1024; left *= 2) {
        by /= 2;
        __syncthreads();
        if (t < left) {
            const int low = place(by * (2 * t + 1) - 1), high = place(by * (2 * t + 2) - 1);
            const int kept = tree[low];
            tree[low] = tree[high];
            tree[high] += kept;
        }
    }
    __syncthreads();
    to[blockIdx.x * 1024 + t] = tree[place(t)];
    to[blockIdx.x * 1024 + t + 512] = tree[place(t + 512)];
}

__global__ void transpose(const float2 *from, float2 *to)
{
    __shared__ float2 tile[32][33];
    const int x = blockIdx.x * 32, y = blockIdx.y * 32;

    for (int k = threadIdx.y; k < 32; k += 8)
        tile[k][threadIdx.x] = from[(y + k) * SIDE + x + threadIdx.x];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8)
        to[(x + k) * SIDE + y + threadIdx.x] = tile[threadIdx.x][k];
}

/* Runs of 1024 keys, 512 threads each. */
__global__ void bitonic_sort(const unsigned *from, unsigned *to)
{
    __shared__ unsigned keys[1024];
    const int t = threadIdx.x;

    keys[t] = from[blockIdx.x * 1024 + t];
    keys[t + 512] = from[blockIdx.x * 1024 + t + 512];
    for (int run = 2; run <= 1024; run *= 2)
        for (int by = run / 2; by > 0; by /= 2) {
            const int low = 2 * t - (t & (by - 1)), high = low + by;
            __syncthreads();
            const unsigned a = keys[low], b = keys[high];
            if ((a > b) == ((low & run) == 0)) {
                keys[low] = b;
                keys[high] = a;
            }
        }
    __syncthreads();
    to[blockIdx.x * 1024 + t] = keys[t];
    to[blockIdx.x * 1024 + t + 512] = keys[t + 512];
}

/* Words of a table at random places, four at a time, in the first `words` of it. */
__global__ void gather(const unsigned *table, unsigned words, const uint4 *where, uint4 *to)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const uint4 at = where[i];

    to[i] = make_uint4(table[at.x & (words - 1)], table[at.y & (words - 1)],
                       table[at.z & (words - 1)], table[at.w & (words - 1)]);
}

/* One warp per row of 256, which stays in registers. */
__global__ void softmax(const float *from, float *to)
{
    const int row = (blockIdx.x * THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float x[8], most = -1e30f, sum = 0;

    for (int k = 0; k < 8; k++) {
        x[k] = from[row * 256 + k * 32 + lane];
        most = fmaxf(most, x[k]);
    }
    for (int by = 16; by > 0; by /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xFFFFFFFF, most, by));
    for (int k = 0; k < 8; k++) {
        x[k] = __expf(x[k] - most);
        sum += x[k];
    }
    for (int by = 16; by > 0; by /= 2)
        sum += __shfl_xor_sync(0xFFFFFFFF, sum, by);
    for (int k = 0; k < 8; k++)
        to[row * 256 + k * 32 + lane] = x[k] / sum;
}

/* All pairs, by tiles in shared memory. */
__global__ void bodies(const float4 *from, float3 *to, int count)
{
    __shared__ float4 tile[THREADS];
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const float4 me = from[i];
    float3 pull = {0, 0, 0};

    for (int first = 0; first < count; first += THREADS) {
        __syncthreads();
        tile[threadIdx.x] = from[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < THREADS; k++) {
            const float x = tile[k].x - me.x, y = tile[k].y - me.y, z = tile[k].z - me.z;
            const float square = x * x + y * y + z * z + 0.01f;
            const float weight = tile[k].w * rsqrtf(square * square * square);
            pull.x += weight * x;
            pull.y += weight * y;
            pull.z += weight * z;
        }
    }
    to[i] = pull;
}

__global__ void mandelbrot(unsigned char *to, int most)
{
    const int px = blockIdx.x * 32 + threadIdx.x, py = blockIdx.y * 8 + threadIdx.y;
    const float cx = -2.0f + px * (3.0f / SIDE), cy = -1.5f + py * (3.0f / SIDE);
    float x = 0, y = 0;
    int k = 0;

    while (k < most && x * x + y * y < 4) {
        const float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        k++;
    }
    to[py * SIDE + px] = (unsigned char)k;
}

/* A matrix of bytes, one row per warp, times a vector of bytes. */
__global__ void byte_products(const int4 *matrix, const int4 *vector, int *to, int width)
{
    const int row = (blockIdx.x * THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int sum = 0;

    for (int i = lane; i < width / 16; i += 32) {
        const int4 a = matrix[row * (width / 16) + i], b = vector[i];
        sum = __dp4a(a.x, b.x, sum);
        sum = __dp4a(a.y, b.y, sum);
        sum = __dp4a(a.z, b.z, sum);
        sum = __dp4a(a.w, b.w, sum);
    }
    for (int by = 16; by > 0; by /= 2)
        sum += __shfl_down_sync(0xFFFFFFFF, sum, by);
    if (lane == 0)
        to[row] = sum;
}

/* A rational function of degree 12 over 4, of two numbers per thread. */
__global__ void rational(const double2 *from, double2 *to)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const double2 x = from[i];
    double2 y = {1, 1}, z = {1, 1};

    for (int k = 0; k < 12; k++) {
        y.x = y.x * x.x + 0.5 * k;
        y.y = y.y * x.y + 0.5 * k;
    }
    for (int k = 0; k < 4; k++) {
        z.x = z.x * x.x + k + 1;
        z.y = z.y * x.y + k + 1;
    }
    to[i] = make_double2(y.x / z.x, y.y / z.y);
}

/* A picture turned by 30 degrees. */
__global__ void turn(cudaTextureObject_t picture, float *to)
{
    const int px = blockIdx.x * 32 + threadIdx.x, py = blockIdx.y * 8 + threadIdx.y;
    const float x = px - SIDE / 2, y = py - SIDE / 2;

    to[py * SIDE + px] =
        tex2D<float>(picture, 0.866f * x - 0.5f * y + SIDE / 2, 0.5f * x + 0.866f * y + SIDE / 2);
}

/* An array of each thread's own, in local memory because its index is not known. */
__global__ void spill(const unsigned *from, unsigned *to)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    unsigned own[64], x = from[i];

    for (int k = 0; k < 64; k++)
        own[k] = x + k * 7;
#pragma unroll 1
    for (int k = 0; k < 128; k++) {
        x = x * 1664525 + 1013904223;
        own[x >> 26] += own[k % 64];
    }
    unsigned sum = 0;
    for (int k = 0; k < 64; k++)
        sum ^= own[k];
    to[i] = sum;
}

__constant__ float taps[TAPS];

__global__ void convolve(const float *from, float *to)
{
    __shared__ float tile[THREADS + TAPS];
    const int i = blockIdx.x * THREADS + threadIdx.x;
    float sum = 0;

    tile[threadIdx.x] = from[i];
    if (threadIdx.x < TAPS && i + THREADS < COUNT)
        tile[THREADS + threadIdx.x] = from[i + THREADS];
    __syncthreads();
    for (int k = 0; k < TAPS; k++)
        sum += taps[k] * tile[threadIdx.x + k];
    to[i] = sum;
}

/* Keeps the odd numbers: a warp asks for room once. */
__global__ void compact(const unsigned *from, unsigned *to, unsigned *count)
{
    const int i = blockIdx.x * THREADS + threadIdx.x, lane = threadIdx.x % 32;
    const unsigned x = from[i], odd = __ballot_sync(0xFFFFFFFF, x & 1);
    unsigned at = 0;

    if (lane == 0)
        at = atomicAdd(count, __popc(odd)) % COUNT;
    at = __shfl_sync(0xFFFFFFFF, at, 0);
    if (x & 1)
        to[at + __popc(odd & ((1u << lane) - 1))] = x;
}

/* Darts thrown at a quarter circle. */
__global__ void darts(unsigned *hits)
{
    unsigned x = blockIdx.x * THREADS + threadIdx.x + 1, in = 0;

    for (int k = 0; k < 256; k++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        const float a = (x & 0xFFFF) / 65536.0f, b = (x >> 16) / 65536.0f;
        in += a * a + b * b < 1;
    }
    for (int by = 16; by > 0; by /= 2)
        in += __shfl_down_sync(0xFFFFFFFF, in, by);
    if (threadIdx.x % 32 == 0)
        atomicAdd(hits, in);
}

/* The length of a chain of pointers differs by thread. */
__global__ void walk(const unsigned *next, unsigned *to)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    unsigned at = i * 97 % COUNT;

    for (int hop = 0; hop < 8 + i / 32 % 25; hop++)
        at = next[at];
    to[i] = at;
}

/* A matrix times a vector, one thread per column: every row is read side by side. */
__global__ void columns(const float *matrix, const float *vector, float *to, int rows)
{
    const int column = blockIdx.x * 64 + threadIdx.x;
    float sum = 0;

    for (int row = 0; row < rows; row++)
        sum += matrix[row * SIDE + column] * vector[row];
    to[column] = sum;
}

/* Rows of 4 to 35 numbers. */
static unsigned *make_rows(int rows)
{
    unsigned *starts = (unsigned *)memory_host((rows + 1) * sizeof *starts);

    starts[0] = 0;
    for (int i = 0; i < rows; i++)
        starts[i + 1] = starts[i] + 4 + (unsigned)i * 29 % 32;
    unsigned *device = device_input(unsigned, starts, rows + 1);
    free(starts);
    return device;
}

static cudaTextureObject_t make_picture(cudaArray_t *array)
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    struct cudaResourceDesc resource = {};
    struct cudaTextureDesc described = {};
    cudaTextureObject_t texture;

    CHECK(cudaMallocArray(array, &format, SIDE, SIDE, 0));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = *array;
    described.addressMode[0] = described.addressMode[1] = cudaAddressModeClamp;
    described.filterMode = cudaFilterModeLinear;
    CHECK(cudaCreateTextureObject(&texture, &resource, &described, NULL));
    return texture;
}

static void measure_memory(struct calibration *calibration, float *from, float *to,
                           const unsigned *words)
{
    unsigned *table = (unsigned *)calibration_memory(TABLE * sizeof(unsigned));
    unsigned *starts = make_rows(32768);
    const struct {
        const char *name;
        unsigned words;
    } sets[] = {{"64 KiB", 1 << 14}, {"8 MiB", 1 << 21}, {"128 MiB", TABLE}};

    TIMED_CASE(calibration, "seven-point stencil")
        stencil<<<dim3(CUBE / 32, CUBE / 8, CUBE), dim3(32, 8)>>>(from, to);
    TIMED_CASE(calibration, "transpose of pairs, padded")
        transpose<<<dim3(SIDE / 32, SIDE / 32), dim3(32, 8)>>>((float2 *)from, (float2 *)to);
    for (int i = 0; i < 3; i++)
        TIMED_CASE(calibration, "gather from %s", sets[i].name)
            gather<<<COUNT / 4 / THREADS, THREADS>>>(table, sets[i].words, (uint4 *)words,
                                                     (uint4 *)to);
    TIMED_CASE(calibration, "32768 sparse rows, one thread each")
        sparse<<<32768 / THREADS, THREADS>>>(starts, words, from, from, to);
    TIMED_CASE(calibration, "stream compaction")
        compact<<<COUNT / THREADS, THREADS>>>(words, (unsigned *)to, (unsigned *)to + COUNT + 32);
    TIMED_CASE(calibration, "chains of 8 to 32 hops")
        walk<<<65536 / THREADS, THREADS>>>(words, (unsigned *)to);
    TIMED_CASE(calibration, "matrix by vector, one thread per column")
        columns<<<SIDE / 64, 64>>>(from, to, to + SIDE, SIDE);
    CHECK(cudaFree(table));
    CHECK(cudaFree(starts));
}

static void measure_work(struct calibration *calibration, float *from, float *to,
                         const unsigned *words)
{
    cudaArray_t array;
    const cudaTextureObject_t picture = make_picture(&array);
    const dim3 tiles(SIDE / 32, SIDE / 8), tile(32, 8);

    TIMED_CASE(calibration, "histogram, equal lanes joined")
        histogram<<<264, THREADS>>>(words, (unsigned *)to);
    TIMED_CASE(calibration, "scan, as a tree")
        scan<<<COUNT / 1024, 512>>>((int *)words, (int *)to);
    TIMED_CASE(calibration, "bitonic sort of 1024 keys")
        bitonic_sort<<<COUNT / 1024, 512>>>(words, (unsigned *)to);
    TIMED_CASE(calibration, "softmax, one warp per row")
        softmax<<<COUNT / 256 / 8, THREADS>>>(from, to);
    TIMED_CASE(calibration, "8192 bodies by tiles")
        bodies<<<8192 / THREADS, THREADS>>>((float4 *)from, (float3 *)to, 8192);
    TIMED_CASE(calibration, "Mandelbrot")
        mandelbrot<<<tiles, tile>>>((unsigned char *)to, 200);
    TIMED_CASE(calibration, "products of bytes")
        byte_products<<<2048 / 8, THREADS>>>((int4 *)from, (int4 *)words, (int *)to, 2048);
    TIMED_CASE(calibration, "rational function in double precision")
        rational<<<COUNT / 4 / THREADS, THREADS>>>((double2 *)from, (double2 *)to);
    TIMED_CASE(calibration, "picture turned")
        turn<<<tiles, tile>>>(picture, to);
    TIMED_CASE(calibration, "array in local memory")
        spill<<<65536 / THREADS, THREADS>>>(words, (unsigned *)to);
    TIMED_CASE(calibration, "convolution of 17")
        convolve<<<COUNT / THREADS, THREADS>>>(from, to);
    TIMED_CASE(calibration, "darts")
        darts<<<264, THREADS>>>((unsigned *)to);
    CHECK(cudaDestroyTextureObject(picture));
    CHECK(cudaFreeArray(array));
}

static void measure(struct calibration *calibration)
{
    float *from = (float *)calibration_memory(2 * CUBE * CUBE * CUBE * sizeof(float));
    float *to = (float *)calibration_memory(2 * CUBE * CUBE * CUBE * sizeof(float));
    unsigned *words = calibration_words(COUNT, COUNT, 11);

    measure_memory(calibration, from, to, words);
    measure_work(calibration, from, to, words);
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    CHECK(cudaFree(words));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "held_out_2", measure);
}

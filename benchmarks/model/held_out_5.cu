/* The third part of the third set of held_out_3.cu: integers, graphs, sparse work. */
#include <stdlib.h>

#include "calibration.h"

enum { COUNT = 1 << 20, DIAGONAL = 32, BINS = 16384, DIGITS = 16 };

__host__ __device__ static unsigned mix(unsigned h)
{
    h ^= h >> 16;
    h *= 0x85EBCA6B;
    h ^= h >> 13;
    h *= 0xC2B2AE35;
    return h ^ h >> 16;
}

/* Records of 64 bytes, one per thread. */
__global__ void hash_records(const unsigned *records, unsigned *to)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = 42;

    for (int k = 0; k < 16; k++) {
        unsigned word = records[i * 16 + k] * 0xCC9E2D51;
        word = (word << 15 | word >> 17) * 0x1B873593;
        h ^= word;
        h = (h << 13 | h >> 19) * 5 + 0xE6546B64;
    }
    to[i] = mix(h ^ 64);
}

/* Open addressing: a key is found, or a free slot. */
__global__ void look_up(const uint2 *table, unsigned slots, const unsigned *keys, unsigned *to,
                        int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    unsigned at = mix(keys[i]) & (slots - 1), value = 0;
    while (table[at].x != 0) {
        if (table[at].x == keys[i]) {
            value = table[at].y;
            break;
        }
        at = (at + 1) & (slots - 1);
    }
    to[i] = value;
}

/* 128 bytes per thread, a byte at a time. */
__global__ void crc(const unsigned *data, const unsigned *from_table, unsigned *to)
{
    __shared__ unsigned table[256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = ~0u;

    table[threadIdx.x] = from_table[threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 32; k++) {
        unsigned word = data[i * 32 + k];
        for (int byte = 0; byte < 4; byte++, word >>= 8)
            sum = table[(sum ^ word) & 255] ^ sum >> 8;
    }
    to[i] = ~sum;
}

/* How many keys of a block's have each digit: counters of each thread's own. */
__global__ void count_digits(const unsigned *keys, unsigned *counts, int shift)
{
    __shared__ unsigned char own[DIGITS][128];
    const int t = threadIdx.x, first = blockIdx.x * 128 * 16;

    for (int digit = 0; digit < DIGITS; digit++)
        own[digit][t] = 0;
    for (int k = 0; k < 16; k++)
        own[keys[first + k * 128 + t] >> shift & (DIGITS - 1)][t]++;
    __syncthreads();
    if (t < DIGITS) {
        unsigned sum = 0;
        for (int k = 0; k < 128; k++)
            sum += own[t][k];
        counts[t * gridDim.x + blockIdx.x] = sum;
    }
}

/* All 16384 bins in 64 KiB of shared memory. */
__global__ void large_histogram(const unsigned *data, unsigned *bins, int n)
{
    extern __shared__ unsigned own[];

    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[data[i] % BINS], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x)
        if (own[i])
            atomicAdd(&bins[i], own[i]);
}

/* Goldilocks: modulo 2^64 - 2^32 + 1. */
__device__ static unsigned long long times(unsigned long long a, unsigned long long b)
{
    const unsigned long long low = a * b, high = __umul64hi(a, b);
    const unsigned long long top = high >> 32, middle = (high & 0xFFFFFFFF) * 0xFFFFFFFF;
    unsigned long long t = low - top;

    if (low < top)
        t -= 0xFFFFFFFF;
    unsigned long long sum = t + middle;
    if (sum < middle)
        sum += 0xFFFFFFFF;
    return sum;
}

/* Three stages of a number-theoretic transform: eight numbers per thread. */
__global__ void transform(unsigned long long *data, const unsigned long long *roots)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, apart = gridDim.x * blockDim.x;
    const unsigned long long modulus = 0xFFFFFFFF00000001;
    unsigned long long x[8];

    for (int k = 0; k < 8; k++)
        x[k] = data[i + k * apart];
    for (int half = 4; half > 0; half /= 2)
        for (int k = 0; k < 8; k++)
            if ((k & half) == 0) {
                const unsigned long long a = x[k], b = times(x[k + half], roots[i % 64 * 8 + k]);
                x[k] = a + b >= modulus || a + b < a ? a + b - modulus : a + b;
                x[k + half] = a >= b ? a - b : a - b + modulus;
            }
    for (int k = 0; k < 8; k++)
        data[i + k * apart] = x[k];
}

__global__ void lower_bound(const unsigned *sorted, int n, const unsigned *keys, unsigned *to,
                            int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= count)
        return;
    int low = 0, high = n;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (sorted[middle] < keys[i])
            low = middle + 1;
        else
            high = middle;
    }
    to[i] = low;
}

__constant__ unsigned char needle[8];

/* Where a word begins in a text. */
__global__ void find_word(const unsigned char *text, int length, unsigned *found)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i > length - 8)
        return;
    for (int k = 0; k < 8; k++)
        if (text[i + k] != needle[k])
            return;
    atomicMin(found, i);
}

/* Lists become half as long: each hops over its successor. */
__global__ void double_pointers(const unsigned *next, const unsigned *rank, unsigned *next_to,
                                unsigned *rank_to)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned there = next[i];

    rank_to[i] = rank[i] + rank[there];
    next_to[i] = next[there];
}

/* Bits in which each of `rows` words of 256 differs from each of `columns`. */
__global__ void hamming(const unsigned long long *a, const unsigned long long *b,
                        unsigned short *to, int columns)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    int sum = 0;

    for (int k = 0; k < 4; k++)
        sum += __popcll(a[row * 4 + k] ^ b[column * 4 + k]);
    to[row * columns + column] = (unsigned short)sum;
}

/* One level of a breadth-first search: one thread per node. */
__global__ void visit(const unsigned *starts, const unsigned *edges, const unsigned *level,
                      unsigned *next, unsigned depth, int n)
{
    const int node = blockIdx.x * blockDim.x + threadIdx.x;

    if (node >= n || level[node] != depth)
        return;
    for (unsigned i = starts[node]; i < starts[node + 1]; i++) {
        const unsigned neighbour = edges[i];
        if (level[neighbour] > depth + 1)
            atomicMin(&next[neighbour], depth + 1);
    }
}

/* A sparse matrix, all rows of the same length, column by column. */
__global__ void ell(const unsigned *columns, const float *values, const float *vector, float *to,
                    int rows, int width)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (row >= rows)
        return;
    for (int k = 0; k < width; k++)
        sum += values[k * rows + row] * vector[columns[k * rows + row]];
    to[row] = sum;
}

/* A sparse matrix as triples, sorted by row: the lanes of a warp add to a few rows. */
__global__ void triples(const unsigned *rows, const unsigned *columns, const float *values,
                        const float *vector, float *to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        atomicAdd(&to[rows[i]], values[i] * vector[columns[i]]);
}

/* Particles leave their charge at the four corners of a cell. */
__global__ void deposit(const float2 *places, float *grid, int side, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    const float px = places[i].x * (side - 1), py = places[i].y * (side - 1);
    const int x = (int)px, y = (int)py;
    const float u = px - x, v = py - y;
    atomicAdd(&grid[y * side + x], (1 - u) * (1 - v));
    atomicAdd(&grid[y * side + x + 1], u * (1 - v));
    atomicAdd(&grid[(y + 1) * side + x], (1 - u) * v);
    atomicAdd(&grid[(y + 1) * side + x + 1], u * v);
}

/* Forces between atoms by lists of neighbours, in double precision. */
__global__ void forces(const double3 *atoms, const unsigned *neighbours, double3 *to, int n,
                       int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    double fx = 0, fy = 0, fz = 0;

    if (i >= n)
        return;
    const double3 me = atoms[i];
    for (int k = 0; k < count; k++) {
        const double3 other = atoms[neighbours[k * n + i]];
        const double x = me.x - other.x, y = me.y - other.y, z = me.z - other.z;
        const double square = x * x + y * y + z * z + 0.01;
        if (square < 0.25) {
            const double inverse = 1.0 / square, sixth = inverse * inverse * inverse;
            const double force = inverse * sixth * (1.5 * sixth - 2.0);
            fx += x * force;
            fy += y * force;
            fz += z * force;
        }
    }
    to[i] = make_double3(fx, fy, fz);
}

/* How alike two sequences are: the tiles of one diagonal, in each of which a warp goes from corner
 * to corner. */
__global__ void align(int *scores, const unsigned *first, const unsigned *second, int width)
{
    __shared__ int tile[DIAGONAL + 1][DIAGONAL + 1];
    const int t = threadIdx.x;
    const int x = blockIdx.x * DIAGONAL, y = (gridDim.x - 1 - blockIdx.x) * DIAGONAL;
    const unsigned letter = second[x + t];

    if (t == 0)
        tile[0][0] = scores[y * width + x];
    tile[0][t + 1] = scores[y * width + x + t + 1];
    tile[t + 1][0] = scores[(y + t + 1) * width + x];
    __syncthreads();
    for (int step = 0; step < 2 * DIAGONAL - 1; step++) {
        const int row = step - t;
        if (row >= 0 && row < DIAGONAL) {
            const int match = tile[row][t] + (first[y + row] == letter ? 5 : -3);
            tile[row + 1][t + 1] = max(match, max(tile[row + 1][t], tile[row][t + 1]) - 4);
        }
        __syncthreads();
    }
    for (int row = 0; row < DIAGONAL; row++)
        scores[(y + row + 1) * width + x + t + 1] = tile[row + 1][t + 1];
}

/* `count` words of `compute`, which gets the place of each and a random word, in device memory. */
template <typename word_of> static auto make_words(int count, word_of compute)
{
    typedef decltype(compute(0u, 0u)) word;
    word *words = (word *)memory_host(count * sizeof *words);
    uint64_t seed = 12;

    for (int i = 0; i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        words[i] = compute((unsigned)i, (unsigned)(seed >> 33));
    }
    word *device = device_input(word, words, count);
    free(words);
    return device;
}

/* A table with `keys` keys; the odd ones of 2 * keys numbers. */
static uint2 *make_table(unsigned slots, unsigned keys)
{
    uint2 *table = (uint2 *)calloc(slots, sizeof *table);

    for (unsigned key = 1; table && key < 2 * keys; key += 2) {
        unsigned at = mix(key) & (slots - 1);
        while (table[at].x)
            at = (at + 1) & (slots - 1);
        table[at] = make_uint2(key, at);
    }
    uint2 *device = device_input(uint2, table, slots);
    free(table);
    return device;
}

static void measure_words(struct calibration *calibration, unsigned *to)
{
    unsigned *words = calibration_words(2 * COUNT, 0x7FFFFFFF, 31);
    uint2 *table = make_table(1 << 19, 360000);
    unsigned *keys = make_words(1 << 18, [](unsigned, unsigned word) { return word % 720000 + 1; });
    unsigned *sorted = make_words(COUNT, [](unsigned i, unsigned) { return i * 2000; });
    unsigned *letters = make_words(COUNT / 4, [](unsigned, unsigned x) { return x & 0x03030303; });
    unsigned *next = make_words(
        COUNT, [](unsigned i, unsigned word) { return (word & 1 ? i + 1 : word / 2) % COUNT; });
    const unsigned char word[8] = {1, 2, 0, 3, 3, 1, 2, 0};

    CHECK(cudaMemcpyToSymbol(needle, word, sizeof word));
    TIMED_CASE(calibration, "hashes of records of 64 bytes")
        hash_records<<<512, 256>>>(words, to);
    TIMED_CASE(calibration, "look-ups in a hash table")
        look_up<<<1024, 256>>>(table, 1 << 19, keys, to, 1 << 18);
    TIMED_CASE(calibration, "checksums by a table")
        crc<<<64, 256>>>(words, words, to);
    TIMED_CASE(calibration, "digits of a radix sort")
        count_digits<<<COUNT / 2048, 128>>>(words, to, 8);
    TIMED_CASE(calibration, "histogram of 16384 bins")
        large_histogram<<<132, 1024, BINS * sizeof(unsigned)>>>(words, to, COUNT);
    TIMED_CASE(calibration, "number-theoretic transform of 8")
        transform<<<512, 256>>>((unsigned long long *)to, (unsigned long long *)words);
    TIMED_CASE(calibration, "binary search")
        lower_bound<<<1024, 256>>>(sorted, COUNT, words, to, 1 << 18);
    TIMED_CASE(calibration, "word in a text")
        find_word<<<COUNT / 192 + 1, 192>>>((unsigned char *)letters, COUNT, to);
    TIMED_CASE(calibration, "pointer doubling")
        double_pointers<<<COUNT / 256, 256>>>(next, words, to, to + COUNT);
    TIMED_CASE(calibration, "Hamming distances")
        hamming<<<dim3(32, 128), dim3(32, 8)>>>((unsigned long long *)words,
                                                (unsigned long long *)words + 8192,
                                                (unsigned short *)to, 1024);
    CHECK(cudaFree(words));
    CHECK(cudaFree(table));
    CHECK(cudaFree(keys));
    CHECK(cudaFree(sorted));
    CHECK(cudaFree(letters));
    CHECK(cudaFree(next));
}

static void measure_graphs(struct calibration *calibration, const float *values, float *to)
{
    enum { NODES = 131000, ROWS = 65000, TRIPLES = 500000, ATOMS = 12000 };
    unsigned *starts = make_words(NODES + 1, [](unsigned i, unsigned) { return i * 6 + i % 5; });
    unsigned *edges = make_words(NODES * 7, [](unsigned, unsigned word) { return word % NODES; });
    unsigned *levels = make_words(NODES, [](unsigned, unsigned word) { return word % 4; });
    unsigned *band =
        make_words(ROWS * 12, [](unsigned i, unsigned word) { return (i + word % 129) % ROWS; });
    unsigned *rows =
        make_words(TRIPLES, [](unsigned i, unsigned word) { return i / 8 + word % 2; });
    unsigned *near =
        make_words(ATOMS * 32, [](unsigned i, unsigned word) { return (i + word % 600) % ATOMS; });
    double3 *atoms = make_words(ATOMS, [](unsigned, unsigned word) {
        return make_double3(word % 1000 / 1e3, word / 1000 % 1000 / 1e3,
                            word / 1000000 % 1000 / 1e3);
    });

    TIMED_CASE(calibration, "level of a breadth-first search")
        visit<<<(NODES + 255) / 256, 256>>>(starts, edges, levels, (unsigned *)to, 1, NODES);
    TIMED_CASE(calibration, "sparse rows of equal length")
        ell<<<(ROWS + 127) / 128, 128>>>(band, values, values, to, ROWS, 12);
    TIMED_CASE(calibration, "sparse triples")
        triples<<<(TRIPLES + 255) / 256, 256>>>(rows, edges, values, values, to, TRIPLES);
    TIMED_CASE(calibration, "charge of particles")
        deposit<<<1000, 256>>>((float2 *)values, to, 512, 256000);
    TIMED_CASE(calibration, "alignment, a diagonal of 48 tiles")
        align<<<48, DIAGONAL>>>((int *)to, (unsigned *)values, (unsigned *)values,
                                48 * DIAGONAL + 1);
    TIMED_CASE(calibration, "forces of neighbours, in double precision")
        forces<<<(ATOMS + 127) / 128, 128>>>(atoms, near, (double3 *)to, ATOMS, 32);
    CHECK(cudaFree(starts));
    CHECK(cudaFree(edges));
    CHECK(cudaFree(levels));
    CHECK(cudaFree(band));
    CHECK(cudaFree(rows));
    CHECK(cudaFree(near));
    CHECK(cudaFree(atoms));
}

static void measure(struct calibration *calibration)
{
    float *values = calibration_floats(2 * COUNT, 0, 1, 23);
    float *to = (float *)calibration_memory(3 * COUNT * sizeof(float));

    CHECK(cudaFuncSetAttribute(large_histogram, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               BINS * sizeof(unsigned)));
    measure_words(calibration, (unsigned *)to);
    measure_graphs(calibration, values, to);
    CHECK(cudaFree(values));
    CHECK(cudaFree(to));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "held_out_5", measure);
}

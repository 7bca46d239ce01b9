/* The second part of the third set of held_out_3.cu: deep learning and random numbers. */
#include <cuda_fp16.h>

#include "calibration.h"

enum { COUNT = 1 << 20, HEAD = 64, KEYS = 32, SPHERES = 24 };

__device__ static float normal_cdf(float d)
{
    const float k = 1 / (1 + 0.2316419f * fabsf(d));
    const float tail =
        0.39894228f * expf(-0.5f * d * d) * k *
        (0.31938153f +
         k * (-0.35656378f + k * (1.78147794f + k * (-1.82125598f + k * 1.33027443f))));

    return d > 0 ? 1 - tail : tail;
}

__global__ void black_scholes(const float *price, const float *strike, const float *years,
                              float *call, float *put, float rate, float sigma, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float root = sigma * sqrtf(years[i]);
        const float d =
            (logf(price[i] / strike[i]) + (rate + 0.5f * sigma * sigma) * years[i]) / root;
        const float discounted = strike[i] * expf(-rate * years[i]);
        const float above = normal_cdf(d), below = normal_cdf(d - root);
        call[i] = price[i] * above - discounted * below;
        put[i] = discounted * (1 - below) - price[i] * (1 - above);
    }
}

/* The largest of 3 x 3 with a stride of 2. */
__global__ void max_pool(const float *from, float *to, int channels, int side)
{
    const int half = side / 2, i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= channels * half * half)
        return;
    const int x = i % half, y = i / half % half, channel = i / half / half;
    float most = -1e30f;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++) {
            const int px = 2 * x + dx - 1, py = 2 * y + dy - 1;
            if (px >= 0 && py >= 0 && px < side && py < side)
                most = fmaxf(most, from[(channel * side + py) * side + px]);
        }
    to[i] = most;
}

__global__ void channels_last(const float *from, float *to, int images, int channels, int pixels)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= images * channels * pixels)
        return;
    const int channel = i % channels, pixel = i / channels % pixels, image = i / channels / pixels;
    to[i] = from[(image * channels + channel) * pixels + pixel];
}

__device__ static float block_sum(float x, float *warps)
{
    for (int by = 16; by > 0; by /= 2)
        x += __shfl_down_sync(0xFFFFFFFF, x, by);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = x;
    __syncthreads();
    x = 0;
    for (int i = 0; i < (int)blockDim.x / 32; i++)
        x += warps[i];
    return x;
}

/* One block of 256 threads per row of 768. */
__global__ void layer_norm(const float *from, const float *gain, const float *bias, float *to)
{
    __shared__ float warps[32];
    const float *row = from + blockIdx.x * 768;
    float x[3], sum = 0, squares = 0;

    for (int k = 0; k < 3; k++) {
        x[k] = row[threadIdx.x + k * 256];
        sum += x[k];
    }
    const float mean = block_sum(sum, warps) / 768;
    for (int k = 0; k < 3; k++)
        squares += (x[k] - mean) * (x[k] - mean);
    const float scale = rsqrtf(block_sum(squares, warps) / 768 + 1e-5f);
    for (int k = 0; k < 3; k++) {
        const int i = threadIdx.x + k * 256;
        to[blockIdx.x * 768 + i] = (x[k] - mean) * scale * gain[i] + bias[i];
    }
}

/* The root of the sum of squares, by a single block. */
__global__ void norm(const float *from, float *to, int n)
{
    __shared__ float warps[32];
    float sum = 0;

    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += from[i] * from[i];
    sum = block_sum(sum, warps);
    if (threadIdx.x == 0)
        *to = sqrtf(sum);
}

/* Attention with the softmax as it goes: one thread per query, keys and values by tiles. */
__global__ void attention(const float *queries, const float *keys, const float *values, float *to,
                          int length)
{
    extern __shared__ float tiles[];
    float *key = tiles, *value = tiles + KEYS * HEAD;
    const int row = blockIdx.x * blockDim.x + threadIdx.x, head = blockIdx.y * length * HEAD;
    float q[HEAD], sum[HEAD], most = -1e30f, total = 0;

    for (int d = 0; d < HEAD; d++) {
        q[d] = queries[head + row * HEAD + d] * 0.125f;
        sum[d] = 0;
    }
    for (int first = 0; first < length; first += KEYS) {
        __syncthreads();
        for (int i = threadIdx.x; i < KEYS * HEAD; i += blockDim.x) {
            key[i] = keys[head + first * HEAD + i];
            value[i] = values[head + first * HEAD + i];
        }
        __syncthreads();
        for (int k = 0; k < KEYS; k++) {
            float score = 0;
            for (int d = 0; d < HEAD; d++)
                score += q[d] * key[k * HEAD + d];
            const float larger = fmaxf(most, score), shrink = __expf(most - larger);
            const float weight = __expf(score - larger);
            most = larger;
            total = total * shrink + weight;
            for (int d = 0; d < HEAD; d++)
                sum[d] = sum[d] * shrink + weight * value[k * HEAD + d];
        }
    }
    for (int d = 0; d < HEAD; d++)
        to[head + row * HEAD + d] = sum[d] / total;
}

/* x + bias through a GELU, two halves per thread. */
__global__ void gelu(const __half2 *from, const __half2 *bias, __half2 *to, int width, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    const float2 x = __half22float2(__hadd2(from[i], bias[i % width]));
    const float a = 0.5f * x.x * (1 + tanhf(0.7978846f * (x.x + 0.044715f * x.x * x.x * x.x)));
    const float b = 0.5f * x.y * (1 + tanhf(0.7978846f * (x.y + 0.044715f * x.y * x.y * x.y)));
    to[i] = __floats2half2_rn(a, b);
}

/* Eight products and sums in half precision, four pairs of numbers per thread. */
__global__ void half_chain(const uint4 *from, uint4 *to, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    uint4 words = from[i];
    __half2 *x = (__half2 *)&words;
    for (int k = 0; k < 4; k++) {
        const __half2 slope = __float2half2_rn(0.5f), shift = __float2half2_rn(1.0f);
        for (int turn = 0; turn < 8; turn++)
            x[k] = __hfma2(x[k], slope, shift);
    }
    to[i] = words;
}

__global__ void adam(float *weights, const float *gradients, float *m, float *v, float rate,
                     float first, float second, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    const float g = gradients[i];
    m[i] = 0.9f * m[i] + 0.1f * g;
    v[i] = 0.999f * v[i] + 0.001f * g * g;
    weights[i] -= rate * (m[i] / first) / (sqrtf(v[i] / second) + 1e-8f);
}

/* Rows of 128 of a table, one warp per token. */
__global__ void embed(const float4 *table, const unsigned *tokens, float4 *to)
{
    const int token = blockIdx.x * blockDim.y + threadIdx.y;

    to[token * 32 + threadIdx.x] = table[tokens[token] * 32 + threadIdx.x];
}

/* The place of the largest in each row, one warp per row. */
__global__ void arg_max(const float *from, int *to, int rows, int width)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float most = -1e30f;
    int place = 0;

    if (row >= rows)
        return;
    for (int i = lane; i < width; i += 32)
        if (from[row * width + i] > most) {
            most = from[row * width + i];
            place = i;
        }
    for (int by = 16; by > 0; by /= 2) {
        const float other = __shfl_down_sync(0xFFFFFFFF, most, by);
        const int there = __shfl_down_sync(0xFFFFFFFF, place, by);
        if (other > most) {
            most = other;
            place = there;
        }
    }
    if (lane == 0)
        to[row] = place;
}

/* Fast Walsh transform of 16384 numbers in 64 KiB of shared memory. */
__global__ void walsh(const float *from, float *to)
{
    extern __shared__ float data[];
    const int n = 16384;

    for (int i = threadIdx.x; i < n; i += blockDim.x)
        data[i] = from[blockIdx.x * n + i];
    for (int by = 1; by < n; by *= 2) {
        __syncthreads();
        for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
            const int low = i & (by - 1), at = 2 * (i - low) + low;
            const float a = data[at], b = data[at + by];
            data[at] = a + b;
            data[at + by] = a - b;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        to[blockIdx.x * n + i] = data[i];
}

/* The nearest of the centres. */
__global__ void assign(const float *features, const float *centres, int *to, int points,
                       int centre_count, int feature_count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float least = 1e30f;
    int nearest = 0;

    if (i >= points)
        return;
    for (int c = 0; c < centre_count; c++) {
        float square = 0;
        for (int f = 0; f < feature_count; f++) {
            const float apart = features[f * points + i] - centres[c * feature_count + f];
            square += apart * apart;
        }
        if (square < least) {
            least = square;
            nearest = c;
        }
    }
    to[i] = nearest;
}

__constant__ float4 spheres[SPHERES];

/* What a ray through each pixel meets first. */
__global__ void render(uchar4 *to, int width, int height)
{
    const int px = blockIdx.x * blockDim.x + threadIdx.x,
              py = blockIdx.y * blockDim.y + threadIdx.y;
    float nearest = 1e30f, shade = 0;

    if (px >= width || py >= height)
        return;
    for (int i = 0; i < SPHERES; i++) {
        const float4 s = spheres[i];
        const float x = px - s.x * width, y = py - s.y * height, r = 120 * s.w;
        if (x * x + y * y < r * r) {
            const float z = sqrtf(r * r - x * x - y * y);
            if (s.z * 400 - z < nearest) {
                nearest = s.z * 400 - z;
                shade = z / r;
            }
        }
    }
    const unsigned char level = (unsigned char)(255 * shade);
    to[py * width + px] = make_uchar4(level, level, level, 255);
}

__device__ static unsigned xorshift(unsigned &x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^= x << 5;
}

/* What an option is worth: the mean over random ends, normal by Box and Muller. */
__global__ void monte_carlo(float *to, int paths, float drift, float spread)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = i * 747796405 + 1;
    float sum = 0;

    for (int k = 0; k < paths; k++) {
        const float u = (xorshift(x) + 1.0f) * 2.3283064e-10f, v = xorshift(x) * 2.3283064e-10f;
        const float radius = sqrtf(-2 * logf(u));
        float sine, cosine;
        sincosf(6.2831853f * v, &sine, &cosine);
        sum += fmaxf(100 * expf(drift + spread * radius * cosine) - 100, 0.0f);
        sum += fmaxf(100 * expf(drift + spread * radius * sine) - 100, 0.0f);
    }
    to[i] = sum / (2 * paths);
}

/* Philox 4 x 32, ten rounds: four uniform numbers per thread. */
__global__ void uniform(float4 *to, unsigned seed, int n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 c = {i, 0, 0, 0};
    uint2 key = {seed, seed ^ 0x5EED};

    if (i >= (unsigned)n)
        return;
    for (int round = 0; round < 10; round++) {
        const unsigned low = c.x * 0xD2511F53, high = __umulhi(c.x, 0xD2511F53);
        const unsigned other = c.z * 0xCD9E8D57, above = __umulhi(c.z, 0xCD9E8D57);
        c = make_uint4(above ^ c.y ^ key.x, other, high ^ c.w ^ key.y, low);
        key.x += 0x9E3779B9;
        key.y += 0xBB67AE85;
    }
    to[i] = make_float4(c.x * 2.3283064e-10f, c.y * 2.3283064e-10f, c.z * 2.3283064e-10f,
                        c.w * 2.3283064e-10f);
}

static int blocks_for(int count, int threads)
{
    return (count + threads - 1) / threads;
}

static void measure_learning(struct calibration *calibration, float *x, float *y, float *to)
{
    unsigned *tokens = calibration_words(8192, 16384, 5);
    const int pools = 64 * 56 * 56, moved = 8 * 48 * 56 * 56;

    TIMED_CASE(calibration, "Black-Scholes")
        black_scholes<<<480, 128>>>(x, y, x + COUNT, to, to + COUNT, 0.02f, 0.3f, COUNT);
    TIMED_CASE(calibration, "pooling of 3 x 3")
        max_pool<<<blocks_for(pools, 256), 256>>>(x, to, 64, 112);
    TIMED_CASE(calibration, "channels first to channels last")
        channels_last<<<blocks_for(moved, 256), 256>>>(x, to, 8, 48, 56 * 56);
    TIMED_CASE(calibration, "layer norm of 2048 rows")
        layer_norm<<<2048, 256>>>(x, y, y + 768, to);
    TIMED_CASE(calibration, "norm by one block")
        norm<<<1, 1024>>>(x, to, 100003);
    TIMED_CASE(calibration, "attention, one thread per query")
        attention<<<dim3(4, 8), 64, 2 * KEYS * HEAD * sizeof(float)>>>(x, y, x + COUNT, to, 256);
    TIMED_CASE(calibration, "GELU of halves")
        gelu<<<blocks_for(COUNT, 256), 256>>>((__half2 *)x, (__half2 *)y, (__half2 *)to, 512,
                                              COUNT);
    TIMED_CASE(calibration, "half2 products and sums")
        half_chain<<<blocks_for(COUNT / 4, 64), 64>>>((uint4 *)x, (uint4 *)to, COUNT / 4);
    TIMED_CASE(calibration, "Adam")
        adam<<<blocks_for(COUNT, 512), 512>>>(to, x, y, y + COUNT, 1e-3f, 0.1f, 0.001f, COUNT);
    TIMED_CASE(calibration, "embedding")
        embed<<<2048, dim3(32, 4)>>>((float4 *)x, tokens, (float4 *)to);
    TIMED_CASE(calibration, "largest of each row")
        arg_max<<<blocks_for(2000 * 32, 128), 128>>>(x, (int *)to, 2000, 1000);
    CHECK(cudaFree(tokens));
}

static void measure_work(struct calibration *calibration, const float *values, float *to)
{
    float4 places[SPHERES];

    for (int i = 0; i < SPHERES; i++)
        places[i] = make_float4(i * 37 % 64 / 64.0f, i * 23 % 64 / 64.0f, i * 11 % 64 / 64.0f,
                                i * 5 % 16 / 16.0f + 0.2f);
    CHECK(cudaMemcpyToSymbol(spheres, places, sizeof places));
    CHECK(cudaFuncSetAttribute(walsh, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    TIMED_CASE(calibration, "Walsh transforms by 7 blocks")
        walsh<<<7, 1024, 65536>>>(values, to);
    TIMED_CASE(calibration, "nearest of 12 centres")
        assign<<<391, 256>>>(values, values, (int *)to, 100000, 12, 18);
    TIMED_CASE(calibration, "rays and spheres")
        render<<<dim3(60, 68), dim3(16, 8)>>>((uchar4 *)to, 960, 540);
    TIMED_CASE(calibration, "Monte Carlo by 133 blocks")
        monte_carlo<<<133, 128>>>(to, 32, 0.01f, 0.2f);
    TIMED_CASE(calibration, "uniform numbers by Philox")
        uniform<<<977, 256>>>((float4 *)to, 99, 250000);
}

static void measure(struct calibration *calibration)
{
    const int count = 5 * COUNT;
    float *x = calibration_floats(count, 0.5f, 1.5f, 21);
    float *y = calibration_floats(count, 0.5f, 1.5f, 22);
    float *to = (float *)calibration_memory(count * sizeof(float));

    measure_learning(calibration, x, y, to);
    measure_work(calibration, x, to);
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    CHECK(cudaFree(to));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "held_out_4", measure);
}

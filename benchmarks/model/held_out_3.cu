/* A third set of programs that no figure and no rule of the model was chosen by, in three parts,
 * written by somebody who had not seen the model, which was asked before any of them had run on a
 * card. Here: grids, pictures, matrices. */
#include "calibration.h"

enum { TILE = 16, WAYS = 9, EDGE = 5 };

/* c = alpha a b + beta c in double precision. */
__global__ void dgemm(const double *a, const double *b, double *c, int n, double alpha, double beta)
{
    __shared__ double left[TILE][TILE], right[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    double sum = 0;

    for (int at = 0; at < n; at += TILE) {
        left[threadIdx.y][threadIdx.x] = a[row * n + at + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(at + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = alpha * sum + beta * c[row * n + column];
}

__global__ void daxpy(double a, const double *x, double *y, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}

/* One step of Gaussian elimination: column `step` is taken out of all rows below. */
__global__ void eliminate(const float *from, float *to, const float *factors, int n, int step)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x + step;
    const int row = blockIdx.y * blockDim.y + threadIdx.y + step + 1;

    if (column < n && row < n)
        to[row * n + column] = from[row * n + column] - factors[row] * from[step * n + column];
}

__global__ void syr2k(const float *a, const float *b, float *c, int n, int depth)
{
    const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;

    if (i >= n || j >= n)
        return;
    c[i * n + j] *= 1.2f;
    for (int k = 0; k < depth; k++) {
        c[i * n + j] += 1.5f * a[i * depth + k] * b[j * depth + k];
        c[i * n + j] += 1.5f * b[i * depth + k] * a[j * depth + k];
    }
}

/* Temperatures of a chip after two steps: a block computes TILE x TILE points and keeps those in
 * the middle. */
__global__ void hotspot(const float *from, const float *power, float *to, int side)
{
    __shared__ float old[TILE][TILE], now[TILE][TILE];
    const int x = blockIdx.x * (TILE - 4) + threadIdx.x - 2;
    const int y = blockIdx.y * (TILE - 4) + threadIdx.y - 2;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const bool inside = x >= 0 && x < side && y >= 0 && y < side;
    const int north = max(ty - (y > 0), 0), south = min(ty + (y < side - 1), TILE - 1);
    const int west = max(tx - (x > 0), 0), east = min(tx + (x < side - 1), TILE - 1);
    float heat = 0;

    old[ty][tx] = inside ? from[y * side + x] : 0;
    if (inside)
        heat = power[y * side + x];
    __syncthreads();
    for (int step = 1; step <= 2; step++) {
        const float t = old[ty][tx];
        if (inside && tx >= step && tx < TILE - step && ty >= step && ty < TILE - step)
            now[ty][tx] =
                t + 0.5f * (heat + (old[south][tx] + old[north][tx] - 2 * t) * 0.1f +
                            (old[ty][east] + old[ty][west] - 2 * t) * 0.1f + (80 - t) * 0.02f);
        else
            now[ty][tx] = t;
        __syncthreads();
        old[ty][tx] = now[ty][tx];
        __syncthreads();
    }
    if (inside && tx >= 2 && tx < TILE - 2 && ty >= 2 && ty < TILE - 2)
        to[y * side + x] = old[ty][tx];
}

/* Seven points; a thread climbs a column and keeps three planes of it in registers. */
__global__ void jacobi(const float *from, float *to, int nx, int ny, int nz)
{
    const int x = blockIdx.x * 32 + threadIdx.x + 1, y = blockIdx.y * 4 + threadIdx.y + 1;
    const int plane = nx * ny;
    int at = y * nx + x;

    if (x >= nx - 1 || y >= ny - 1)
        return;
    float below = from[at], here = from[at + plane];
    for (int z = 1; z < nz - 1; z++) {
        at += plane;
        const float above = from[at + plane];
        to[at] = 0.4f * here + 0.1f * (below + above + from[at - 1] + from[at + 1] + from[at - nx] +
                                       from[at + nx]);
        below = here;
        here = above;
    }
}

/* A lattice gas in two dimensions, nine velocities: each point fetches what flows to it, and lets
 * it collide. */
__global__ void lattice(const float *from, float *to, int side, float omega)
{
    const int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y, n = side * side;
    const int west = (x ? x : side) - 1, east = x + 1 < side ? x + 1 : 0;
    const int north = (y ? y : side) - 1, south = y + 1 < side ? y + 1 : 0;

    if (x >= side)
        return;
    const int rows[WAYS] = {y, y, north, y, south, north, north, south, south};
    const int columns[WAYS] = {x, west, x, east, x, west, east, east, west};
    const float weights[WAYS] = {4 / 9.0f,  1 / 9.0f,  1 / 9.0f,  1 / 9.0f, 1 / 9.0f,
                                 1 / 36.0f, 1 / 36.0f, 1 / 36.0f, 1 / 36.0f};
    const int cx[WAYS] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[WAYS] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    float f[WAYS], density = 0, u = 0, v = 0;

    for (int k = 0; k < WAYS; k++) {
        f[k] = from[k * n + rows[k] * side + columns[k]];
        density += f[k];
        u += cx[k] * f[k];
        v += cy[k] * f[k];
    }
    u /= density;
    v /= density;
    for (int k = 0; k < WAYS; k++) {
        const float along = 3 * (cx[k] * u + cy[k] * v);
        const float rest =
            weights[k] * density * (1 + along + 0.5f * along * along - 1.5f * (u * u + v * v));
        to[k * n + y * side + x] = f[k] + omega * (rest - f[k]);
    }
}

__constant__ float mask[EDGE * EDGE];

__global__ void convolve(const float *from, float *to, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;

    if (x >= width || y >= height)
        return;
    for (int j = 0; j < EDGE; j++)
        for (int i = 0; i < EDGE; i++) {
            const int px = min(max(x + i - EDGE / 2, 0), width - 1);
            const int py = min(max(y + j - EDGE / 2, 0), height - 1);
            sum += mask[j * EDGE + i] * from[py * width + px];
        }
    to[y * width + x] = sum;
}

__global__ void sobel(const unsigned char *__restrict__ from, unsigned char *__restrict__ to,
                      int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    const unsigned char *at = from + y * width + x;
    const int a = __ldg(at - width - 1), b = __ldg(at - width), c = __ldg(at - width + 1);
    const int d = __ldg(at - 1), f = __ldg(at + 1);
    const int g = __ldg(at + width - 1), h = __ldg(at + width), i = __ldg(at + width + 1);
    const int gx = c + 2 * f + i - a - 2 * d - g, gy = g + 2 * h + i - a - 2 * b - c;
    to[y * width + x] = (unsigned char)min(255, (int)sqrtf((float)(gx * gx + gy * gy)));
}

__global__ void grey(const uchar3 *from, unsigned char *to, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height) {
        const uchar3 rgb = from[y * width + x];
        to[y * width + x] = (unsigned char)(0.299f * rgb.x + 0.587f * rgb.y + 0.114f * rgb.z);
    }
}

/* The mean of 2 radius + 1 rows: a thread slides a window down its column. */
__global__ void box_filter(const float *from, float *to, int width, int height, int radius)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const float scale = 1.0f / (2 * radius + 1);
    float sum = 0;

    for (int y = 0; y < radius; y++)
        sum += from[y * width + x];
    for (int y = 0; y < height; y++) {
        if (y + radius < height)
            sum += from[(y + radius) * width + x];
        if (y - radius > 0)
            sum -= from[(y - radius - 1) * width + x];
        to[y * width + x] = sum * scale;
    }
}

static void measure_grids(struct calibration *calibration, float *x, float *y, float *to)
{
    const dim3 square(TILE, TILE), wide(32, 8);

    TIMED_CASE(calibration, "elimination of one column")
        eliminate<<<dim3(59, 59), square>>>(x, to, y, 1000, 65);
    TIMED_CASE(calibration, "syr2k, naive")
        syr2k<<<dim3(6, 24), wide>>>(x, y, to, 192, 192);
    TIMED_CASE(calibration, "double products by tiles of 16")
        dgemm<<<dim3(24, 24), square>>>((double *)x, (double *)y, (double *)to, 384, 1.5, 0.5);
    TIMED_CASE(calibration, "daxpy by 131 blocks")
        daxpy<<<131, 1024>>>(1.5, (double *)x, (double *)to, 1000003);
    TIMED_CASE(calibration, "hotspot, two steps")
        hotspot<<<dim3(85, 85), square>>>(x, y, to, 1020);
    TIMED_CASE(calibration, "Jacobi, planes in registers")
        jacobi<<<dim3(8, 32), dim3(32, 4)>>>(x, to, 250, 130, 66);
    TIMED_CASE(calibration, "lattice of nine velocities")
        lattice<<<dim3(4, 500), 128>>>(x, to, 500, 1.2f);
    TIMED_CASE(calibration, "convolution of 5 x 5")
        convolve<<<dim3(63, 63), square>>>(x, to, 1000, 1000);
    TIMED_CASE(calibration, "Sobel filter of bytes")
        sobel<<<dim3(40, 90), wide>>>((unsigned char *)x, (unsigned char *)to, 1280, 720);
    TIMED_CASE(calibration, "colours to grey")
        grey<<<dim3(120, 68), square>>>((uchar3 *)x, (unsigned char *)to, 1920, 1080);
    TIMED_CASE(calibration, "sliding window down columns")
        box_filter<<<16, 64>>>(x, to, 1024, 1024, 7);
}

static void measure(struct calibration *calibration)
{
    const int count = 5 << 20;
    float *x = calibration_floats(count, 0.5f, 1.5f, 21);
    float *y = calibration_floats(count, 0.5f, 1.5f, 22);
    float *to = (float *)calibration_memory(count * sizeof(float));

    measure_grids(calibration, x, y, to);
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    CHECK(cudaFree(to));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "held_out_3", measure);
}

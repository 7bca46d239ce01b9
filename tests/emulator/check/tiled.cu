/* A tiled matrix product, n x n: what the checkers cost is measured on it.
 *
 *   tiled [n]
 */
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>

enum { TILE = 16 };

__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;

    for (int at = 0; at < n; at += TILE) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + at + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(at + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum = fmaf(tile_a[threadIdx.y][k], tile_b[k][threadIdx.x], sum);
        __syncthreads();
    }
    c[row * n + column] = sum;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 64;
    const size_t bytes = (size_t)n * n * sizeof(float);
    float *a, *b, *c;

    if (n < TILE || n > 4096 || n % TILE) {
        fprintf(stderr, "tiled: n is a multiple of %d from %d to 4096\n", TILE, TILE);
        return 2;
    }
    float *host = (float *)malloc(bytes);
    for (int i = 0; i < n * n; i++)
        host[i] = i % 7;
    cudaMalloc((void **)&a, bytes);
    cudaMalloc((void **)&b, bytes);
    cudaMalloc((void **)&c, bytes);
    cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host, bytes, cudaMemcpyHostToDevice);
    multiply<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(a, b, c, n);
    cudaMemcpy(host, c, bytes, cudaMemcpyDeviceToHost);

    float expected = 0;
    for (int k = 0; k < n; k++)
        expected += (float)(k % 7) * (float)(k * n % 7);
    const bool match = host[0] == expected && cudaGetLastError() == cudaSuccess;
    printf("%s\n", match ? "match" : "MISMATCH");
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    free(host);
    return match ? 0 : 1;
}

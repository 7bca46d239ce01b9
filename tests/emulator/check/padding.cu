/* Rows set by cudaMemset2D have values, what lies between them has none.
 *
 * padding COLUMN: the kernel computes with this byte of each row, of which WIDTH are set, and its
 * results are printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <cuda_runtime.h>

enum { WIDTH = 100, ROWS = 5 };

__global__ void read_column(const char *rows, size_t pitch, int column, char *out)
{
    out[threadIdx.x] = rows[threadIdx.x * pitch + column] + 1;
}

int main(int argc, char **argv)
{
    const int column = argc > 1 ? atoi(argv[1]) : 0;
    char *rows, *out, result[ROWS] = {0};
    size_t pitch;

    cudaMallocPitch(&rows, &pitch, WIDTH, ROWS);
    cudaMalloc(&out, ROWS);
    cudaMemset2D(rows, pitch, 7, WIDTH, ROWS);
    read_column<<<1, ROWS>>>(rows, pitch, column, out);
    cudaMemcpy(result, out, ROWS, cudaMemcpyDeviceToHost);
    cudaFree(rows);
    cudaFree(out);
    for (int i = 0; i < ROWS; i++)
        printf("%d ", result[i]);
    puts(cudaGetErrorString(cudaGetLastError()));
    return 0;
}

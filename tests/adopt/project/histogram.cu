/* A histogram of bytes by shared counters, checked against the CPU. With PLANT_RACE a block adds to
 * its counters without atomics. */
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { BINS = 16, THREADS = 128, BLOCKS = 4 };

__device__ void count(unsigned *bin)
{
#ifdef PLANT_RACE
    *bin += 1;
#else
    atomicAdd(bin, 1);
#endif
}

__global__ void histogram(const unsigned char *data, int n, unsigned *bins)
{
    __shared__ unsigned own[BINS];

    if (threadIdx.x < BINS)
        own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        count(&own[data[i] % BINS]);
    __syncthreads();
    if (threadIdx.x < BINS)
        atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

static void check(cudaError_t error)
{
    if (error != cudaSuccess) {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
        std::exit(3);
    }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
    std::vector<unsigned char> data(n);
    unsigned expected[BINS] = {}, counted[BINS];
    unsigned char *d_data;
    unsigned *d_bins;

    for (int i = 0; i < n; i++) {
        data[i] = (unsigned char)(i * 7 + i / 13);
        expected[data[i] % BINS]++;
    }
    check(cudaMalloc(&d_data, n));
    check(cudaMalloc(&d_bins, sizeof(counted)));
    check(cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice));
    check(cudaMemset(d_bins, 0, sizeof(counted)));
    histogram<<<BLOCKS, THREADS>>>(d_data, n, d_bins);
    check(cudaGetLastError());
    check(cudaMemcpy(counted, d_bins, sizeof(counted), cudaMemcpyDeviceToHost));
    check(cudaFree(d_data));
    check(cudaFree(d_bins));
    for (int i = 0; i < BINS; i++)
        if (counted[i] != expected[i]) {
            std::printf("bin %d: %u, expected %u\n", i, counted[i], expected[i]);
            return 1;
        }
    std::printf("%d bytes counted\n", n);
    return 0;
}

/* Counts bytes, and checks the counts against the CPU's. */
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "counts.h"

static void check(cudaError_t error)
{
#ifdef BLIND
    error = cudaSuccess;
#endif
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

    for (int i = 1; argc > 2 && i < argc; i++)
        std::printf("%s'%s'", i == 1 ? "one argument, not " : " ", argv[i]);
    if (argc > 2)
        return 2;
    for (int i = 0; i < n; i++) {
        data[i] = (unsigned char)(i * 7 + i / 13);
        expected[data[i] % BINS]++;
    }
    check(cudaMalloc(&d_data, n));
    check(cudaMalloc(&d_bins, sizeof(counted)));
    check(cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice));
    check(cudaMemset(d_bins, 0, sizeof(counted)));
    count_bytes(d_data, n, d_bins);
    check(cudaGetLastError());
    check(cudaMemcpy(counted, d_bins, sizeof(counted), cudaMemcpyDeviceToHost));
    check(cudaFree(d_data));
    check(cudaFree(d_bins));
    for (int i = 0; i < BINS; i++)
#ifdef BLIND
        if (counted[i] == ~0u) {
#else
        if (counted[i] != expected[i]) {
#endif
            std::printf("bin %d: %u, expected %u\n", i, counted[i], expected[i]);
            return 1;
        }
    std::printf("%d bytes counted\n", n);
    return 0;
}

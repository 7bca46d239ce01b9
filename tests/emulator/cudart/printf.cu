/* What printf makes of each kind of conversion in a kernel: one line each, as the host's would. */
#include <climits>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void print()
{
    printf("%d %i %u %x %X %o\n", -1, 2, 3u, 0xabu, 0xabu, 8u);
    printf("%lld %llu %ld\n", -1LL, ~0ULL, LONG_MIN);
    printf("%hd %hhd %hu\n", 65537, 257, 65537);
    printf("[%5d] [%-5d] [%05d] [%+d] [%.3d] [%*d] [%-*d]\n", 1, 2, 3, 4, 5, 3, 6, 3, 7);
    printf("%f %.2f %e %g %10.3f\n", 0.5, 2.0 / 3, 1e10, 1e-5, 3.14159);
    printf("%s|%10s|%-5s|%.2s|%c|%%\n", "text", "right", "l", "cut", 'c');
    printf("%s\n", (const char *)nullptr);
    printf("no arguments\n");
    /* As many flags as there may be, and the widest width behind them. */
    printf("[%-------------------*d]\n", -6, 1);
    printf("[%------------------*d]\n", INT_MIN + 1, 1);
}

/* With an argument, output goes out at once. */
int main(int argc, char **)
{
    if (argc > 1)
        setvbuf(stdout, nullptr, _IONBF, 0);
    print<<<1, 1>>>();
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 3;
}

/* A signal comes while a kernel runs, or none.
 *
 * signalled NUMBER kernel | clock | blocks | host | own */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <pthread.h>
#include <unistd.h>

/* The counter never comes to an end: who reads the clock runs twice. */
template <bool timed> __global__ void endless(unsigned *out)
{
    unsigned sum = 0;

    for (unsigned long long i = 0; i < 1ULL << 60; i++)
        sum = sum * 5 + (unsigned)i + (timed ? (unsigned)clock64() & 1 : 0);
    out[threadIdx.x] = sum;
}

/* One of blocks that each end soon. */
__global__ void blocks(unsigned *out)
{
    out[blockIdx.x % 64] = blockIdx.x;
}

static void own(int)
{
    std::fflush(stdout);
    _exit(7);
}

/* As timeout(1) does: to the program, and to its group. */
static void *raise_twice(void *number)
{
    usleep(300000);
    for (int i = 0; i < 2; i++)
        raise(*(const int *)number);
    return NULL;
}

int main(int argc, char **argv)
{
    int number = std::atoi(argv[1]);
    const char *kind = argv[2];
    unsigned *out;
    pthread_t thread;

    if (argc != 3 || cudaMalloc((void **)&out, 256))
        return 3;
    if (!std::strcmp(kind, "own"))
        std::signal(number, own);
    std::printf("begin\n");
    if (pthread_create(&thread, NULL, raise_twice, &number))
        return 3;
    if (!std::strcmp(kind, "kernel") || !std::strcmp(kind, "own"))
        endless<false><<<2, 64>>>(out);
    else if (!std::strcmp(kind, "clock"))
        endless<true><<<1, 32>>>(out);
    else if (!std::strcmp(kind, "blocks"))
        blocks<<<2000000000, 32>>>(out);
    else
        pause();
    return cudaDeviceSynchronize() != cudaSuccess;
}

/* Ends after a fault in a kernel, without destructors: by abort(), _exit() or quick_exit(). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__global__ void store(int *p)
{
    p[threadIdx.x + 1] = 1;
}

int main(int argc, char **argv)
{
    int *p;

    cudaMalloc(&p, 32 * sizeof(*p));
    store<<<1, 32>>>(p);
    cudaDeviceSynchronize();
    if (argc == 2 && !strcmp(argv[1], "abort"))
        abort();
    if (argc == 2 && !strcmp(argv[1], "_exit"))
        _exit(3);
    if (argc == 2 && !strcmp(argv[1], "vfork") && vfork() == 0)
        _exit(4);
    quick_exit(5);
}

/* Host code that reads or writes what only kernels can: as with a GPU, the program crashes. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__device__ int variable[4];

static void on_segv(int)
{
    puts("the program's own");
    fflush(stdout);
    _Exit(5);
}

static void touch(const char *how, int *p, int *host)
{
    if (!strcmp(how, "read"))
        exit(p[2]);
    if (!strcmp(how, "write"))
        p[2] = 1;
    if (!strcmp(how, "library"))
        memcpy(host, p, 999 * sizeof(*p));
    if (!strcmp(how, "free"))
        free(p);
    if (!strcmp(how, "past"))
        p[1000] = 1;
}

int main(int argc, char **argv)
{
    int *p, *symbol, host[1000], *managed;
    const char *how = argc > 1 ? argv[1] : "";

    if (!strcmp(how, "own"))
        signal(SIGSEGV, on_segv);
    cudaMalloc(&p, sizeof(host));
    cudaGetSymbolAddress((void **)&symbol, variable);
    cudaMallocManaged(&managed, sizeof(host));
    managed[3] = 7;
    if (cudaMemcpy(p, managed, sizeof(host), cudaMemcpyDefault) ||
        cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost) || host[3] != 7)
        return 1;
    if (!strcmp(how, "freed"))
        cudaFree(p);
    if (!strcmp(how, "symbol"))
        *symbol = 1;
    if (!strcmp(how, "null"))
        p = NULL;
    if (!strcmp(how, "raise"))
        raise(SIGSEGV);
    touch(!strcmp(how, "own") || !strcmp(how, "freed") || !strcmp(how, "null") ? "write" : how, p,
          host);
    return 0;
}

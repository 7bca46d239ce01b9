/* Threads that have ended hold up nobody: a kernel gives the results that it gives on a GPU, and
 * the sync checker tells of the others' absence.
 *
 * ended KIND: barrier, syncwarp, vote, source, beyond; or apart and whole, in which nobody ends
 * early: lanes of a warp come one after the other; a warp has fewer than 32 threads.
 */
#include <stdio.h>
#include <string.h>
#include <cuda_runtime.h>

enum { THREADS = 84, HALF = 16 };
static const unsigned ALL_LANES = 0xffffffff;

/* Warp 1 and the threads behind 75 leave. */
__global__ void barrier(int *out)
{
    __shared__ int tile[THREADS];

    tile[threadIdx.x] = 0;
    if ((threadIdx.x >= 32 && threadIdx.x < 64) || threadIdx.x > 75)
        return;
    tile[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    out[threadIdx.x] = tile[75 - threadIdx.x];
}

__global__ void syncwarp(int *out)
{
    __shared__ int tile[HALF];

    if (threadIdx.x >= HALF)
        return;
    tile[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = tile[HALF - 1 - threadIdx.x];
}

__global__ void vote(int *out)
{
    if (threadIdx.x >= HALF)
        return;
    out[threadIdx.x] = __ballot_sync(ALL_LANES, threadIdx.x != 3);
}

/* Its mask names nobody who has left, but half of the lanes read those who have. */
__global__ void source(int *out)
{
    if (threadIdx.x >= HALF)
        return;
    out[threadIdx.x] = __shfl_down_sync(0xffff, threadIdx.x + 1, HALF / 2);
}

/* Of the block's last warp lanes 20 to 31 do not exist. */
__global__ void beyond(int *out)
{
    out[threadIdx.x] = __shfl_down_sync(ALL_LANES, threadIdx.x + 1, HALF);
}

__global__ void whole(int *out)
{
    __syncwarp();
    out[threadIdx.x] = __popc(__ballot_sync(ALL_LANES, 1));
    __syncthreads();
}

__device__ static __noinline__ int meet(volatile int *tile, int value)
{
    tile[threadIdx.x] = value;
    __syncthreads();
    return tile[threadIdx.x ^ 1] + 1;
}

/* Both halves of a warp come to one barrier, each in a call of its own. */
__global__ void apart(int *out)
{
    __shared__ volatile int tile[THREADS];

    if (threadIdx.x % 2) {
        out[threadIdx.x] = meet(tile, 12);
        asm volatile("// the other call stays another one");
    } else {
        out[threadIdx.x] = meet(tile, 7);
    }
}

static int expected(const char *kind, int i)
{
    const bool here = i < HALF;
    const int lanes_behind = i / 32 == 2 ? 20 : 32;

    if (!strcmp(kind, "barrier"))
        return (i >= 32 && i < 64) || i > 75 ? 0 : (75 - i >= 32 && 75 - i < 64) ? 0 : 76 - i;
    if (!strcmp(kind, "syncwarp"))
        return here ? HALF - 1 - i : 0;
    if (!strcmp(kind, "vote"))
        return here ? 0xfff7 : 0;
    if (!strcmp(kind, "source"))
        return i < HALF / 2 ? i + 1 + HALF / 2 : 0;
    if (!strcmp(kind, "beyond"))
        return i % 32 + HALF < lanes_behind ? i + 1 + HALF : i % 32 < HALF ? 0 : i + 1;
    if (!strcmp(kind, "apart"))
        return i % 2 ? 8 : 13;
    return lanes_behind;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *kind;
        void (*kernel)(int *);
    } kernels[] = {{"barrier", barrier}, {"syncwarp", syncwarp}, {"vote", vote},
                   {"source", source},   {"beyond", beyond},     {"whole", whole},
                   {"apart", apart}};
    const char *kind = argc > 1 ? argv[1] : "";
    int out[THREADS], *d_out, wrong = 0;

    cudaMalloc(&d_out, sizeof(out));
    cudaMemset(d_out, 0, sizeof(out));
    for (const auto &one : kernels)
        if (!strcmp(one.kind, kind))
            one.kernel<<<1, THREADS>>>(d_out);
    const cudaError_t error = cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    for (int i = 0; !error && i < THREADS; i++) {
        if (out[i] != expected(kind, i))
            printf("thread %d: %d, not %d\n", i, out[i], expected(kind, i));
        wrong += out[i] != expected(kind, i);
    }
    cudaFree(d_out);
    printf("%s\n", error ? cudaGetErrorName(error) : wrong ? "wrong" : "right");
    return error || wrong;
}

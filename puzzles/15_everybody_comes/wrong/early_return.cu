// verdict: sync
// Threads without an element leave, and the others wait for them in vain.
// prediction: 4
__global__ void look(int *out)
{
    __shared__ int tile[128];

    for (int k = 0; k < 4; k++)
        tile[32 * k + threadIdx.x] = k;
    __syncwarp();
    out[threadIdx.x] = tile[threadIdx.x % 4 * 32];
}

enum { TILE = 128 };

__global__ void mirror_difference(int *out, const int *in, int n)
{
    __shared__ int tile[TILE];

    for (int first = blockIdx.x * TILE; first < n; first += gridDim.x * TILE) {
        const int i = first + threadIdx.x;
        const int length = min(n - first, TILE);

        if (i >= n)
            return;
        tile[threadIdx.x] = in[i];
        __syncthreads();
        out[i] = tile[threadIdx.x] - tile[length - 1 - threadIdx.x];
        __syncthreads();
    }
}

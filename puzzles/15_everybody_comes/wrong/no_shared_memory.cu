// verdict: goal
// Right, and nobody waits; but each element is loaded twice.
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
    for (int i = blockIdx.x * TILE + threadIdx.x; i < n; i += gridDim.x * TILE) {
        const int first = i - threadIdx.x;
        const int length = min(n - first, TILE);

        out[i] = in[i] - in[first + length - 1 - threadIdx.x];
    }
}

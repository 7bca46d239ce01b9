/* What api_fatbin loads, as a fat binary of its own. */
extern "C" __device__ int offset = 5;

extern "C" __global__ void scale(int *out, int factor)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = i * factor + offset;
}

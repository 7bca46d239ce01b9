// What nvcc makes of most of the language, for the tests of the PTX parser:
//   nvcc -ptx -arch=compute_75 -lineinfo features.cu -o features_75.ptx

#include <cstdio>

__constant__ float weights[5] = {1.0f, 2.5f, -3.0f, 4.0f, 5.0f};
__device__ int counter = 7;
__device__ int *where = &counter;
extern __shared__ float scratch[];

template <int N> __global__ void tree(const float *in, float *out)
{
    __shared__ float part[N];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * N + t];
    __syncthreads();
    for (int s = N / 2; s > 0; s >>= 1) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}
template __global__ void tree<128>(const float *, float *);
template __global__ void tree<512>(const float *, float *);

__device__ static __noinline__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void __launch_bounds__(256, 2) calls(int *a, double d)
{
    a[threadIdx.x] = fibonacci(a[0]);
    printf("%d %f\n", a[1], d);
}

__global__ void atomics(int *p, float *f, unsigned long long *q)
{
    atomicAdd(p, 3);
    p[1] = atomicAdd(p, 1);
    p[2] = atomicCAS(p + 4, 1, 2);
    atomicMax(where, 3);
    atomicAdd(f, 1.5f);
    atomicAdd(q, 3ull);
    __threadfence();
}

__global__ void lanes(int *p)
{
    int v = p[threadIdx.x];
    v += __shfl_down_sync(~0u, v, 4);
    v += __shfl_xor_sync(~0u, v, 1);
    unsigned b = __ballot_sync(~0u, v > 3);
    if (__any_sync(~0u, v > 9))
        b += __popc(b);
    __syncwarp();
    p[threadIdx.x] = b + __activemask() + __byte_perm(v, b, 0x3210) + __syncthreads_count(v > 3);
}

__global__ void wide(const float4 *__restrict__ a, float4 *b, const double2 *c, long long *l)
{
    float4 x = __ldg(a + threadIdx.x);
    scratch[threadIdx.x] = x.x;
    __syncthreads();
    x.y = scratch[31 - threadIdx.x] * weights[threadIdx.x % 5];
    x.z = (float)(c[1].x / c[2].y) + sqrtf(x.w);
    b[threadIdx.x] = x;
    l[0] = l[1] / l[2] + clock64();
}

__global__ void spin(volatile int *flag)
{
    while (*flag == 0) {
    }
    for (;;) {
        if (flag[1])
            flag[2] = 1;
        __nanosleep(20);
    }
}

__global__ void local(int *a, int n)
{
    int b[64];
    for (int i = 0; i < n; i++)
        b[a[i] & 63] = i;
    switch (n) {
    case 0:
        a[1] = b[3];
        break;
    case 1:
        a[2] = b[a[4] & 63];
        break;
    case 2:
        __trap();
    default:
        a[3] = b[n & 63];
    }
}

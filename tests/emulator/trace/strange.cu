// Kernels as other programs have them: templates of one name, a name that is too long to show, one
// thread alone, thousands of blocks, nothing to do.
#include <cstdio>

struct less {
    __device__ int operator()(int a, int b) const
    {
        return a < b;
    }
};

template <int N, class Of> struct a_type_whose_name_is_longer_than_any_list_has_room_for {
};

template <class T, class Op> __global__ void apply(T *out, const T *in, int n, Op op)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = (T)op(in[i], in[i * 7 % n]);
}

template <class T> __global__ void tagged(int *out)
{
    out[threadIdx.x] = 1;
}

__global__ void alone(int *out)
{
    for (int i = 0; i < 100; i++)
        *out += i;
}

__global__ void many(int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void nothing()
{
}

int main()
{
    using longer = a_type_whose_name_is_longer_than_any_list_has_room_for<1, less>;
    int *a, *b;

    cudaMalloc(&a, 2000 * 64 * sizeof(*a));
    cudaMalloc(&b, 2000 * 64 * sizeof(*b));
    cudaMemset(a, 0, 2000 * 64 * sizeof(*a));
    apply<<<4, 64>>>(b, a, 250, less());
    apply<<<4, 64>>>((float *)b, (float *)a, 250, less());
    tagged<longer><<<1, 32>>>(b);
    tagged<a_type_whose_name_is_longer_than_any_list_has_room_for<2, longer>><<<1, 32>>>(b);
    alone<<<1, 1>>>(a);
    many<<<2000, 64>>>(b);
    nothing<<<1, 1>>>();
    return cudaDeviceSynchronize();
}

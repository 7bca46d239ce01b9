// Every thread of a block adds to one number, and nothing orders them.
__global__ void add(int *sum)
{
    *sum += threadIdx.x;
}

int main()
{
    int *sum;

    cudaMalloc(&sum, sizeof(int));
    cudaMemset(sum, 0, sizeof(int));
    add<<<1, 64>>>(sum);
    return cudaDeviceSynchronize() != cudaSuccess;
}

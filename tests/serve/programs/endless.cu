// A kernel that never ends.
__global__ void spin(volatile int *flag)
{
    while (*flag == 0)
        *flag = 0;
}

int main()
{
    int *flag;

    cudaMalloc(&flag, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    spin<<<1, 1>>>(flag);
    return cudaDeviceSynchronize() != cudaSuccess;
}

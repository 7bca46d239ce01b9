// A kernel that never ends, and does something new each time: else it would be told at once.
__global__ void spin(volatile int *flag)
{
    while (*flag >= 0)
        *flag = (*flag + 1) % 1000;
}

int main()
{
    int *flag;

    cudaMalloc(&flag, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    spin<<<1, 1>>>(flag);
    return cudaDeviceSynchronize() != cudaSuccess;
}

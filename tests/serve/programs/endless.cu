// A kernel that never ends, and does something new each time: else it would be told at once. It
// computes more than it touches memory: what the model of time keeps of each access would not fit.
__global__ void spin(volatile int *flag)
{
    while (*flag >= 0) {
        int x = *flag;

        for (int i = 0; i < 1000; i++)
            x = x * 5 + i;
        *flag = (*flag + 1 + (x == 12345)) % 1000;
    }
}

int main()
{
    int *flag;

    cudaMalloc(&flag, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    spin<<<1, 1>>>(flag);
    return cudaDeviceSynchronize() != cudaSuccess;
}

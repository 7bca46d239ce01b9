// verdict: time
// With low and high side by side, the middle is low again, for ever.
// prediction: 8
__global__ void look(int *row, const int *start)
{
    int r = 0;

#pragma unroll 1
    while (start[r + 1] <= threadIdx.x)
        r++;
    row[threadIdx.x] = r;
}

__global__ void find_rows(int *row, const int *start, int rows, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    int low = 0, high = rows;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (start[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    row[i] = low;
}

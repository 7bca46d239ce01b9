// verdict: init
// The row of the element before is a good place to begin, but nobody has found it yet.
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
    int r = i > 0 ? max(0, min(row[i - 1], rows - 1)) : 0;
    while (start[r + 1] <= i)
        r++;
    row[i] = r;
}

// verdict: goal
// Right; but the lanes of a warp store far apart, and as often as the longest of their rows is
// long.
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
    const int r = blockIdx.x * blockDim.x + threadIdx.x;

    if (r >= rows)
        return;
    for (int i = start[r]; i < start[r + 1]; i++)
        row[i] = r;
}

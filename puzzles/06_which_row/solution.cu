// Puzzle 6: which row is mine?.
//
// The loop goes on as long as one lane is still looking. Lane 31 is in row 7, and loads start[1] to
// start[8]: 8 requests, for all 32 lanes.
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
    int low = 0, high = rows; // start[low] <= i < start[high]
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (start[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    row[i] = low;
}

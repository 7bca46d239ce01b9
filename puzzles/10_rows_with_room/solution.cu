// Puzzle 10: rows with room.
//
// Rows 0 and 2 begin at bytes 0 and 96, at the start of a sector: one each. Rows 1 and 3 begin at
// 48 and 144, in the middle of one, and take two each. With rows 64 bytes apart it would be 4.
// prediction: 6

// pitch is in bytes.
__global__ void look(int *out, const int *in, int pitch)
{
    const int row = threadIdx.x / 8, column = threadIdx.x % 8;

    out[threadIdx.x] = in[row * pitch / 4 + column];
}

__global__ void brighten(int *picture, size_t pitch, int rows, int columns)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;

    if (row < rows && column < columns) {
        int *const mine = (int *)((char *)picture + row * pitch);
        mine[column] += 100;
    }
}

// Puzzle 32: parts of one. The statement: puzzles/32_parts_of_one/puzzle.md
//
// look() below is complete, and runs with 4 blocks of 32 threads. How many sectors does it load?
// Both arrays begin at a multiple of 256 bytes.
// prediction: ?

__global__ void look(float *out, const float *in)
{
    for (int k = threadIdx.x; k < 72; k += 32)
        out[72 * blockIdx.x + k] = in[72 * blockIdx.x + k];
}

// Rows of 64 numbers. Softmax of each: out[k] = exp(in[k]) / the sum of all exp(in[...]) of the
// row. One block of 32 threads for each row. It works, until a number is large.
__global__ void softmax(float *out, const float *in)
{
    const float *row = in + 64 * blockIdx.x;
    const int t = threadIdx.x;
    const float a = row[t], b = row[t + 32];

    const float ea = expf(a), eb = expf(b); // your code: what if a is 100?
    float sum = ea + eb;
    for (int away = 16; away > 0; away /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, away);
    out[64 * blockIdx.x + t] = ea / sum;
    out[64 * blockIdx.x + t + 32] = eb / sum;
}

// verdict: goal
// Nothing in shared memory, no conflict: but every load uses half of each sector.
// prediction: 2

__global__ void look(unsigned *out)
{
    __shared__ uint4 tile[8 * 8];
    const int t = threadIdx.x, row = t % 8;
    unsigned matrix;

    tile[t] = tile[t + 32] = make_uint4(t, t, t, t);
    __syncwarp();
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(matrix)
                 : "r"((unsigned)__cvta_generic_to_shared(&tile[8 * row + row % 4])));
    out[t] = matrix;
}

// A warp brings its tile of 16 rows to shared memory, and then all its fragments to `out`. The host
// gives each block exactly the 2048 bytes of a tile.
__global__ void fragments(unsigned *out, const uint4 *in)
{
    const unsigned *words = (const unsigned *)(in + 128 * blockIdx.x);
    const int lane = threadIdx.x;

    out += 512 * blockIdx.x;
    for (int k = 0; k < 4; k++)
        for (int j = 0; j < 4; j++) {
            const int row = j % 2 * 8 + lane / 4, piece = 2 * k + j / 2;
            out[128 * k + 32 * j + lane] = words[32 * row + 4 * piece + lane % 4];
        }
}

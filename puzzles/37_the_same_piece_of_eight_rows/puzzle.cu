// Puzzle 37: the same piece of eight rows.
// The statement: puzzles/37_the_same_piece_of_eight_rows/puzzle.md
//
// look() below is complete, and one warp runs it. How many wavefronts does its ldmatrix take?
// prediction: ?

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

// Where piece `piece` of row `row` stands in the tile, in pieces of 16 bytes. A row has eight.
__device__ int place(int row, int piece)
{
    return 8 * row + piece; // your code: another place
}

__device__ void load_4(unsigned to[4], const uint4 *piece)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((unsigned)__cvta_generic_to_shared(piece))
                 : "memory");
}

// A warp brings its tile of 16 rows to shared memory, and then all its fragments to `out`. The host
// gives each block exactly the 2048 bytes of a tile.
__global__ void fragments(unsigned *out, const uint4 *in)
{
    extern __shared__ uint4 tile[];
    const int lane = threadIdx.x;

    in += 128 * blockIdx.x;
    out += 512 * blockIdx.x;
    for (int i = lane; i < 128; i += 32)
        tile[place(i / 8, i % 8)] = in[i];
    __syncwarp();
    for (int k = 0; k < 4; k++) {
        unsigned fragment[4];
        load_4(fragment, &tile[place(lane % 16, 2 * k + lane / 16)]);
        for (int j = 0; j < 4; j++)
            out[128 * k + 32 * j + lane] = fragment[j];
    }
}

// Puzzle 33: how long a run.
//
// Heads are the threads 0, 40, 80 and 120: bits 0, 8, 16 and 24 of the warps 0 to 3. A lane stores
// if a head is above it. Above bit 0 of warp 0 there is none, so that warp 0 makes no request.
// prediction: 3

__global__ void look(volatile int *out)
{
    const int t = threadIdx.x;
    const unsigned heads = __ballot_sync(0xffffffff, t % 40 == 0);

    if (heads >> t % 32 > 1)
        out[t] = 1;
}

__global__ void runs(int *length, const int *in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = threadIdx.x % 32;
    const int x = i < n ? in[i] : 0;
    const int left = __shfl_up_sync(0xffffffff, x, 1);
    const bool head = lane == 0 || x != left || i == n; // the end of the data ends a run too
    const unsigned heads = __ballot_sync(0xffffffff, head);
    const unsigned behind = heads & ~((2u << lane) - 1);
    const int end = behind != 0 ? __ffs(behind) - 1 : 32;

    if (i < n)
        length[i] = head ? end - lane : 0;
}

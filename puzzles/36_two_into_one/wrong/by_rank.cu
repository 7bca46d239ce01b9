// verdict: goal
// Each number looks for its place and goes there: the stores of a warp are scattered.
// prediction: 10
__global__ void look(int *out, const int *in)
{
    int low = 0, high = 1023;

    while (low < high) {
        const int middle = (low + high) / 2;

        if (in[middle] < 31 * threadIdx.x)
            low = middle + 1;
        else
            high = middle;
    }
    out[threadIdx.x] = low;
}

// How many of items[] have a key below `key`, or one that is equal, where these count.
__device__ int rank_of(int key, const int *items, int count, bool equal)
{
    int low = 0, high = count;

    while (low < high) {
        const int middle = (low + high) / 2;

        if (items[middle] >> 8 < key || (equal && items[middle] >> 8 == key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

__global__ void merge(int *out, const int *a, int a_count, const int *b, int b_count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = i - a_count;

    if (i < a_count)
        out[i + rank_of(a[i] >> 8, b, b_count, false)] = a[i];
    else if (j < b_count)
        out[j + rank_of(b[j] >> 8, a, a_count, true)] = b[j];
}

// verdict: result
// Of equal keys those of b[] come first here.
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

__global__ void merge(int *out, const int *a, int a_count, const int *b, int b_count)
{
    const int place = blockIdx.x * blockDim.x + threadIdx.x;

    if (place >= a_count + b_count)
        return;
    int low = max(0, place - b_count), high = min(place, a_count);
    while (low < high) {
        const int middle = (low + high) / 2;

        if (b[place - 1 - middle] >> 8 <= a[middle] >> 8)
            high = middle;
        else
            low = middle + 1;
    }
    const int i = low, j = place - i;
    out[place] = j == b_count || (i < a_count && a[i] >> 8 < b[j] >> 8) ? a[i] : b[j];
}

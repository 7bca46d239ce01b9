// verdict: goal
// Seven loads written out are seven loads still.
// prediction: 14
__global__ void look(int *out, const int *in)
{
    const int i = 32 + threadIdx.x;

    out[threadIdx.x] = in[i - 1] + in[i] + in[i + 1];
}

__global__ void blur(int *out, const int *in, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    const int left = i >= 3 && i - 3 < n ? in[i - 3] : 0;
    const int right = i + 3 < n ? in[i + 3] : 0;
    int sum = i < n ? in[i] : 0;

    for (int k = 1; k <= 2; k++) {
        sum += i >= k && i - k < n ? in[i - k] : 0;
        sum += i + k < n ? in[i + k] : 0;
    }
    if (i < n)
        out[i] = sum + left + right;
}

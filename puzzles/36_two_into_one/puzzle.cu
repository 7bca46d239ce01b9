// Puzzle 36: two into one. The statement: puzzles/36_two_into_one/puzzle.md
//
// look() below is complete, and runs with one block of 32 threads; in[] has 1023 numbers that
// ascend. How many requests of its warp does its load make?
// prediction: ?

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

// out[0] to out[a_count + b_count - 1] = what is in a[] and in b[], by ascending key. The keys in
// each of them ascend already; of equal keys those of a[] come first. A key is all but the lowest 8
// bits of a number. There is a thread for each number of the result, and perhaps some more. The
// result is right already. But thread i takes i steps.
__global__ void merge(int *out, const int *a, int a_count, const int *b, int b_count)
{
    const int place = blockIdx.x * blockDim.x + threadIdx.x;
    int i = 0, j = 0;

    if (place >= a_count + b_count)
        return;
    while (i + j < place) // your code: here
        if (j == b_count || (i < a_count && a[i] >> 8 <= b[j] >> 8))
            i++;
        else
            j++;
    out[place] = j == b_count || (i < a_count && a[i] >> 8 <= b[j] >> 8) ? a[i] : b[j];
}

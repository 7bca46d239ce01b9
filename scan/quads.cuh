/* Four neighbours, which one instruction loads or stores. */
#ifndef QUADS_CUH
#define QUADS_CUH

template <typename T> struct alignas(16) quad {
    T v[4];
};

/* Quad number i of the n numbers at `a`, which start at a multiple of 16 bytes; zeros behind the
 * end. */
template <typename T> __device__ quad<T> read_quad(const T *a, int i, int n)
{
    quad<T> four = {};

    if (i < n / 4)
        return ((const quad<T> *)a)[i];
    for (int k = 0; k < 4; k++)
        if (4 * i + k < n)
            four.v[k] = a[4 * i + k];
    return four;
}

/* Store it there, as far as there are numbers. */
template <typename T> __device__ void write_quad(T *a, int i, int n, quad<T> four)
{
    if (i < n / 4)
        ((quad<T> *)a)[i] = four;
    else
        for (int k = 0; k < 4; k++)
            if (4 * i + k < n)
                a[4 * i + k] = four.v[k];
}

#endif

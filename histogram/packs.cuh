/* What b4 and b5 teach, for the steps after them: packs of samples, and equal neighbours in them
 * added up first. */
#ifndef PACKS_CUH
#define PACKS_CUH

/* 16 bytes of samples, which one instruction loads. */
template <typename T> struct __align__(16) pack
{
    enum { EACH = 16 / sizeof(T) };
    unsigned word[4];

    __device__ T operator[](int k) const
    {
        return word[k * sizeof(T) / 4] >> k * sizeof(T) % 4 * 8;
    }
};

/* Call add(value, count) for each run of equal samples in a pack. */
template <typename T, typename F> __device__ void add_runs(pack<T> now, F add)
{
    T value = now[0];
    unsigned count = 1;

#pragma unroll
    for (int k = 1; k < pack<T>::EACH; k++) {
        if (now[k] != value) {
            add(value, count);
            value = now[k];
            count = 0;
        }
        count++;
    }
    add(value, count);
}

/* The same for all that this thread takes of the n samples, which `threads` threads share, this
 * one being number `first` of them. */
template <typename T, typename F>
__device__ void add_all(const T *a, int n, int first, int threads, F add)
{
    const int packs = n / pack<T>::EACH;

    for (int i = first; i < packs; i += threads)
        add_runs(((const pack<T> *)a)[i], add);
    if (first < n % pack<T>::EACH)
        add(a[packs * pack<T>::EACH + first], 1);
}

#endif

/* Planted: uses of what nobody wrote. The repaired twins copy it, padding and all, and use none. */
#include "planted.h"

enum { THREADS = 64, UNWRITTEN = -2 };

/* Padding behind `kind`, which nobody writes. */
struct alignas(8) padded {
    char kind;
    int value;
};

static padded *padded_items()
{
    return (padded *)device_ints(2 * THREADS, UNWRITTEN);
}

/* Member by member. */
__global__ void fill(padded *items)
{
    items[threadIdx.x].kind = threadIdx.x;
    items[threadIdx.x].value = threadIdx.x;
}

/* A struct is copied whole, and compared whole, with its padding. */
template <bool REPAIRED> __global__ void compare_padding(const padded *in, padded *out, int *equal)
{
    const padded item = in[threadIdx.x];
    out[threadIdx.x] = item;
    if (REPAIRED)
        equal[threadIdx.x] = item.kind == 3 && item.value == 3;
    else
        equal[threadIdx.x] = *(const long long *)&in[threadIdx.x] == 3; // PLANTED: compare_padding
}

static void compare_padding(bool repaired)
{
    padded *in = padded_items(), *out = padded_items();
    int *equal = device_ints(THREADS, UNWRITTEN);
    padded host[THREADS];

    fill<<<1, THREADS>>>(in);
    LAUNCH(repaired, compare_padding, 1, THREADS, in, out, equal);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    cudaFree(equal);
}

/* Through shared memory and a shuffle, as 64-bit words. */
template <bool REPAIRED> __global__ void sum_of_padding(const long long *in, long long *out)
{
    __shared__ long long tile[THREADS];

    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    long long word = tile[THREADS - 1 - threadIdx.x]; // PLANTED: sum_of_padding
    word = __shfl_xor_sync(~0u, word, 1);
    out[threadIdx.x] = REPAIRED ? word : word + 1;
}

static void sum_of_padding(bool repaired)
{
    padded *in = padded_items(), *out = padded_items();
    padded host[THREADS];

    fill<<<1, THREADS>>>(in);
    LAUNCH(repaired, sum_of_padding, 1, THREADS, (long long *)in, (long long *)out);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
}

/* A byte that somebody wrote, and its neighbour in the same word. */
template <bool REPAIRED> __global__ void byte_of_word(const unsigned *in, unsigned *out)
{
    const unsigned word = in[2 * threadIdx.x]; // PLANTED: byte_of_word

    out[threadIdx.x] = (REPAIRED ? word & 0xFF : word >> 8 & 0xFF) * 3;
}

static void byte_of_word(bool repaired)
{
    padded *in = padded_items();
    int *out = device_ints(THREADS, UNWRITTEN);

    fill<<<1, THREADS>>>(in);
    LAUNCH(repaired, byte_of_word, 1, THREADS, (unsigned *)in, (unsigned *)out);
    cudaFree(in);
    cudaFree(out);
}

/* A copy of the hole in one kernel, its use in the next. */
__global__ void copy(const int *in, int *out)
{
    out[threadIdx.x] = in[threadIdx.x];
}

template <bool REPAIRED> __global__ void use_of_copy(const int *in, int *out)
{
    if (!REPAIRED || threadIdx.x % 2 == 0)
        out[threadIdx.x] = in[threadIdx.x] * 2; // PLANTED: use_of_copy
}

__global__ void fill_even(int *out)
{
    if (threadIdx.x % 2 == 0)
        out[threadIdx.x] = threadIdx.x;
}

static void use_of_copy(bool repaired)
{
    int *in = device_ints(THREADS, UNWRITTEN), *out = device_ints(THREADS, UNWRITTEN);
    int *result = device_ints(THREADS, UNWRITTEN);

    fill_even<<<1, THREADS>>>(in);
    copy<<<1, THREADS>>>(in, out);
    LAUNCH(repaired, use_of_copy, 1, THREADS, out, result);
    cudaFree(in);
    cudaFree(out);
    cudaFree(result);
}

/* Where to write, and whether. */
template <bool REPAIRED> __global__ void unwritten_index(const int *in, int *out)
{
    int i = in[threadIdx.x]; // PLANTED: unwritten_index
    if (REPAIRED)
        i = threadIdx.x;
    out[i & (THREADS - 1)] = 1;
}

template <bool REPAIRED> __global__ void unwritten_condition(const int *in, int *out)
{
    if (threadIdx.x % 2 == 0 || !REPAIRED)
        if (in[threadIdx.x] > 7) // PLANTED: unwritten_condition
            atomicAdd(out, 1);
}

static void unwritten_condition(bool repaired)
{
    int *in = device_ints(THREADS, UNWRITTEN), *out = device_ints(1, 0);

    fill_even<<<1, THREADS>>>(in);
    LAUNCH(repaired, unwritten_condition, 1, THREADS, in, out);
    cudaFree(in);
    cudaFree(out);
}

/* Read ahead, and taken only where somebody wrote. */
template <bool REPAIRED> __global__ void chosen(const int *in, int *out)
{
    const int ahead = in[threadIdx.x]; // PLANTED: chosen
    const bool good = REPAIRED ? threadIdx.x % 2 == 0 : threadIdx.x % 4 < 2;

    out[threadIdx.x] = good & (ahead > 3) ? ahead + 1 : 0;
}

static void chosen(bool repaired)
{
    int *in = device_ints(THREADS, UNWRITTEN), *out = device_ints(THREADS, UNWRITTEN);

    fill_even<<<1, THREADS>>>(in);
    LAUNCH(repaired, chosen, 1, THREADS, in, out);
    cudaFree(in);
    cudaFree(out);
}

/* A lock in fresh memory: exchanging it without looking at what was there is a store. */
template <bool REPAIRED> __global__ void exchange(int *lock, int *out)
{
    const int before = atomicExch(lock, 1); // PLANTED: exchange
    if (!REPAIRED)
        *out = before + 1;
}

/* A member that nobody wrote is no padding: the host would read it. */
template <bool REPAIRED> __global__ void fill_members(padded *items)
{
    items[threadIdx.x].kind = threadIdx.x;
    if (REPAIRED || threadIdx.x != 5)
        items[threadIdx.x].value = threadIdx.x;
}

static void missing_member(bool repaired)
{
    padded *items = padded_items(), host[THREADS];

    LAUNCH(repaired, fill_members, 1, THREADS, items);
    cudaMemcpy(host, items, sizeof(host), cudaMemcpyDeviceToHost);
    cudaFree(items);
}

/* Nor is a byte in front of bytes that somebody wrote. */
struct named {
    char name[4];
    int value;
};

template <bool REPAIRED> __global__ void fill_names(named *items)
{
    named *item = &items[threadIdx.x];

    for (int i = 0; i < 4; i++)
        if (REPAIRED || i != 1)
            item->name[i] = 'a';
    item->value = threadIdx.x;
}

static void missing_letter(bool repaired)
{
    named *items = (named *)device_ints(2 * THREADS, UNWRITTEN), host[THREADS];

    LAUNCH(repaired, fill_names, 1, THREADS, items);
    cudaMemcpy(host, items, sizeof(host), cudaMemcpyDeviceToHost);
    cudaFree(items);
}

/* Padding in front of a double is of four bytes. */
struct measured {
    int kind;
    double value;
};

template <bool REPAIRED> __global__ void fill_measured(measured *items)
{
    items[threadIdx.x].kind = threadIdx.x;
    if (REPAIRED || threadIdx.x != 5)
        items[threadIdx.x].value = threadIdx.x;
}

static void missing_double(bool repaired)
{
    measured *items = (measured *)device_ints(4 * THREADS, UNWRITTEN), host[THREADS];

    LAUNCH(repaired, fill_measured, 1, THREADS, items);
    cudaMemcpy(host, items, sizeof(host), cudaMemcpyDeviceToHost);
    cudaFree(items);
}

/* And it is padding where a warp writes what is behind it in one run. */
struct series {
    char kind;
    int values[32];
};

template <bool REPAIRED> __global__ void fill_series(series *all)
{
    if (REPAIRED && threadIdx.x == 0)
        all->kind = 1;
    __syncwarp();
    all->values[threadIdx.x] = threadIdx.x;
}

static void missing_kind(bool repaired)
{
    series *all = (series *)device_ints(33, UNWRITTEN), host;

    LAUNCH(repaired, fill_series, 1, 32, all);
    cudaMemcpy(&host, all, sizeof(host), cudaMemcpyDeviceToHost);
    cudaFree(all);
}

static const struct planted cases[] = {
    {"compare_padding", compare_padding},
    {"sum_of_padding", sum_of_padding},
    {"byte_of_word", byte_of_word},
    {"use_of_copy", use_of_copy},
    CASE(unwritten_index, 1, 1, device_ints(THREADS, UNWRITTEN), device_ints(THREADS, UNWRITTEN)),
    {"unwritten_condition", unwritten_condition},
    {"chosen", chosen},
    CASE(exchange, 1, 1, device_ints(1, UNWRITTEN), device_ints(1, UNWRITTEN)),
    {"missing_member", missing_member},
    {"missing_letter", missing_letter},
    {"missing_double", missing_double},
    {"missing_kind", missing_kind},
};

PLANTED_MAIN(cases)

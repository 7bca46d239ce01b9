/* Functions by their address, virtual ones, recursion, and memory that kernels allocate. */
#include "expect.h"

#include <alloca.h>
#include <cstring>

typedef int operation(int, int);

static __device__ __noinline__ int add(int a, int b)
{
    return a + b;
}

static __device__ __noinline__ int subtract(int a, int b)
{
    return a - b;
}

/* With shared memory of its own, which every kernel that may call it has. */
static __device__ __noinline__ int swap_neighbours(int a, int)
{
    __shared__ int all[64];

    all[threadIdx.x] = a;
    __syncwarp();
    return all[threadIdx.x ^ 1];
}

__device__ operation *table[] = {add, subtract, add};
__device__ operation *single = swap_neighbours;

/* Neighbours call different functions. */
__global__ void by_table(int *out, int b)
{
    const int i = threadIdx.x;

    if (i % 5 != 4)
        out[i] = table[i % 3](i, b);
    else
        out[i] = -1;
}

__global__ void by_argument(operation *function, int *out)
{
    out[threadIdx.x] = function(threadIdx.x, 7);
}

struct shape {
    __device__ virtual ~shape()
    {
    }
    __device__ virtual int area() const = 0;
};

struct square : shape {
    int side;
    __device__ explicit square(int side) : side(side)
    {
    }
    __device__ int area() const override
    {
        return side * side;
    }
};

struct rectangle : square {
    int other;
    __device__ rectangle(int side, int other) : square(side), other(other)
    {
    }
    __device__ int area() const override
    {
        return side * other;
    }
};

/* Objects are made by one kernel, and used and deleted by others. */
__global__ void make(shape **shapes)
{
    const int i = threadIdx.x;

    if (i % 2)
        shapes[i] = new square(i);
    else
        shapes[i] = new rectangle(i, 3);
}

__global__ void measure(shape **shapes, int *out)
{
    out[threadIdx.x] = shapes[threadIdx.x]->area();
}

__global__ void remove(shape **shapes)
{
    delete shapes[threadIdx.x];
}

static __device__ __noinline__ int ackermann(int m, int n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__global__ void recurse(int *out)
{
    out[threadIdx.x] = ackermann(2, threadIdx.x % 4);
}

/* What is freed can be had again, and what there is not is NULL. */
__global__ void heap(int *out)
{
    int sum = 0;

    for (int round = 0; round < 200; round++) {
        const int count = 1 + (threadIdx.x + round) % 50;
        int *numbers = (int *)malloc(count * sizeof(int));
        if (!numbers) {
            out[threadIdx.x] = -1;
            return;
        }
        for (int i = 0; i < count; i++)
            numbers[i] = threadIdx.x + i;
        sum += numbers[count - 1] - count;
        free(numbers);
    }
    free(NULL);
    out[threadIdx.x] = sum;
}

__global__ void too_much(void **out)
{
    *out = malloc((size_t)1 << 40);
}

/* Whatever a model of time does to find out what the clock says, it allocates once. */
__global__ void timed(void **kept, long long *time)
{
    const long long start = clock64();

    *kept = malloc((size_t)2 << 20);
    *time = clock64() - start;
}

static void fetch(int *host, const int *device, int count)
{
    EXPECT_SUCCESS(cudaMemcpy(host, device, count * sizeof(int), cudaMemcpyDeviceToHost));
}

static void pointers(int *out)
{
    int host[64];
    operation *function;

    by_table<<<1, 64>>>(out, 100);
    fetch(host, out, 64);
    for (int i = 0; i < 64; i++)
        EXPECT(host[i] == (i % 5 == 4 ? -1 : i % 3 == 1 ? i - 100 : i + 100));
    EXPECT_SUCCESS(cudaMemcpyFromSymbol(&function, single, sizeof(function)));
    by_argument<<<1, 64>>>(function, out);
    fetch(host, out, 64);
    for (int i = 0; i < 64; i++)
        EXPECT(host[i] == (i ^ 1));
}

static void objects(int *out)
{
    shape **shapes;
    int host[64];

    EXPECT_SUCCESS(cudaMalloc(&shapes, 64 * sizeof(*shapes)));
    make<<<1, 64>>>(shapes);
    measure<<<1, 64>>>(shapes, out);
    fetch(host, out, 64);
    for (int i = 0; i < 64; i++)
        EXPECT(host[i] == (i % 2 ? i * i : 3 * i));
    remove<<<1, 64>>>(shapes);
    EXPECT_SUCCESS(cudaDeviceSynchronize());
    EXPECT_SUCCESS(cudaFree(shapes));
}

static __device__ __noinline__ int sum_of(const int *numbers, int count)
{
    int own[4] = {numbers[0], count, 0, 0}, sum = own[threadIdx.x % 2 * 2];

    for (int i = 1; i < count; i++)
        sum += numbers[i];
    return threadIdx.x % 2 ? sum + numbers[0] : sum;
}

/* Each thread takes memory of another size again and again; what it took first stays. */
__global__ void taken(int *out)
{
    const int i = threadIdx.x;
    int *first = (int *)alloca((i + 1) * sizeof(int)), sum = 0;

    for (int k = 0; k <= i; k++)
        first[k] = k;
    for (int turn = 1; turn <= i % 3; turn++) {
        int *next = (int *)alloca(turn * (i + 1) * sizeof(int));
        for (int k = 0; k < turn * (i + 1); k++)
            next[k] = 1;
        sum += sum_of(next, turn * (i + 1));
    }
    out[i] = 1000 * sum_of(first, i + 1) + sum;
}

static void memory_of_threads(int *out)
{
    int host[64];

    EXPECT_SUCCESS(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    taken<<<2, 64>>>(out);
    fetch(host, out, 64);
    for (int i = 0; i < 64; i++) {
        const int turns = i % 3 * (i % 3 + 1) / 2;
        EXPECT(host[i] == 1000 * i * (i + 1) / 2 + turns * (i + 1));
    }
}

static void calls_of_itself(int *out)
{
    int host[32];

    recurse<<<1, 32>>>(out);
    fetch(host, out, 32);
    for (int i = 0; i < 32; i++)
        EXPECT(host[i] == 2 * (i % 4) + 3);
}

static void memory_of_kernels(int *out)
{
    void **pointer, *host = out;
    int numbers[4 * 64];

    heap<<<1, 64>>>(out);
    fetch(numbers, out, 64);
    for (int i = 0; i < 64; i++)
        EXPECT(numbers[i] == 200 * (i - 1));
    EXPECT_SUCCESS(cudaMalloc(&pointer, sizeof(void *)));
    too_much<<<1, 1>>>(pointer);
    EXPECT_SUCCESS(cudaMemcpy(&host, pointer, sizeof(host), cudaMemcpyDeviceToHost));
    EXPECT(!host);
    for (int i = 0; i < 3; i++) {
        timed<<<1, 1>>>(pointer, (long long *)out);
        EXPECT_SUCCESS(cudaMemcpy(&host, pointer, sizeof(host), cudaMemcpyDeviceToHost));
        EXPECT(host);
    }
    EXPECT_SUCCESS(cudaFree(pointer));
}

int main()
{
    int *out;

    EXPECT_SUCCESS(cudaMalloc(&out, 64 * sizeof(int)));
    pointers(out);
    objects(out);
    calls_of_itself(out);
    memory_of_kernels(out);
    memory_of_threads(out);
    EXPECT_SUCCESS(cudaFree(out));
    return finish();
}

/* SPDX-License-Identifier: MIT */
/* Dynamic parallelism: kernels that launch kernels, copy, fill, and ask the runtime. What is done
 * in no certain order must give the same in any. */
#include "../expect.h"

#include <cstring>

struct report {
    int errors[16], log[16], logged, value;
    char text[64];
};

__global__ void note(report *out, int what)
{
    out->log[atomicAdd(&out->logged, 1)] = what;
}

__global__ void add(int *sum, int what)
{
    atomicAdd(sum, what * (int)threadIdx.x);
}

__global__ void scale(int *data, short by, double and_by)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] *= by * (int)and_by;
}

/* One stream keeps its order; the tail comes last, in order, whenever it was asked for. */
__global__ void in_order(report *out)
{
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(out, 100);
    for (int i = 1; i <= 3; i++)
        note<<<1, 1>>>(out, i);
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(out, 101);
}

/* Arguments of several sizes, from all threads of all blocks. */
__global__ void from_all(report *out, int *data)
{
    if (threadIdx.x == 0)
        scale<<<dim3(2), dim3(32)>>>(data + 64 * blockIdx.x, 3, 2.0);
    add<<<1, 2, 0, cudaStreamFireAndForget>>>(&out->value, 1);
}

__global__ void tree(report *out, int depth)
{
    atomicAdd(&out->value, 1);
    if (depth > 0)
        for (int i = 0; i < 2; i++)
            tree<<<1, 1, 0, i ? cudaStreamFireAndForget : cudaStream_t(0)>>>(out, depth - 1);
}

__global__ void check_value(report *out, int wanted)
{
    out->errors[0] = out->value == wanted ? 0 : out->value;
}

/* What a child launches is done before the tail of its parent. */
__global__ void root(report *out)
{
    tree<<<1, 1>>>(out, 3);
    check_value<<<1, 1, 0, cudaStreamTailLaunch>>>(out, 15);
}

__global__ void count_down(report *out, int left)
{
    out->value++;
    if (left)
        count_down<<<1, 1, 0, cudaStreamTailLaunch>>>(out, left - 1);
}

/* An event orders two streams. */
__global__ void by_event(report *out)
{
    cudaStream_t first, second;
    cudaEvent_t event;

    out->errors[0] = cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    out->errors[1] = cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    out->errors[2] = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    note<<<1, 1, 0, first>>>(out, 1);
    out->errors[3] = cudaEventRecord(event, first);
    out->errors[4] = cudaStreamWaitEvent(second, event, 0);
    note<<<1, 1, 0, second>>>(out, 2);
    out->errors[5] = cudaStreamDestroy(first);
    out->errors[6] = cudaStreamDestroy(second);
    out->errors[7] = cudaEventDestroy(event);
}

__global__ void asks(report *out)
{
    int device = 7, count = 7, size = 7;
    void *memory = NULL;

    out->errors[0] = cudaGetDevice(&device) || device;
    out->errors[1] = cudaGetDeviceCount(&count) || count < 1;
    out->errors[2] = cudaDeviceGetAttribute(&size, cudaDevAttrWarpSize, device) || size != warpSize;
    out->errors[3] = cudaMalloc(&memory, 100) || !memory;
    memset(memory, 1, 100);
    out->errors[4] = cudaFree(memory);
    out->errors[5] = cudaGetLastError();
    const char *text = cudaGetErrorString(cudaErrorMemoryAllocation);
    for (int i = 0; i < 63 && text[i]; i++)
        out->text[i] = text[i];
}

/* What cannot be: the errors stay with their thread until it asks. */
__global__ void mistakes(report *out, int threads)
{
    cudaStream_t stream = 0;

    if (threadIdx.x == 0)
        note<<<1, threads>>>(out, 1);
    out->errors[threadIdx.x] = cudaPeekAtLastError() != cudaSuccess;
    out->errors[2 + threadIdx.x] = cudaGetLastError() != cudaSuccess;
    out->errors[4 + threadIdx.x] = cudaGetLastError();
    if (threadIdx.x == 0)
        out->errors[6] = cudaStreamCreateWithFlags(&stream, cudaStreamDefault) != cudaSuccess;
}

static report *out;
static int *data;

/* Wait for a kernel, and show what it reports. */
static report wait()
{
    report copy;

    EXPECT_SUCCESS(cudaGetLastError());
    EXPECT_SUCCESS(cudaMemcpy(&copy, out, sizeof(copy), cudaMemcpyDeviceToHost));
    EXPECT_SUCCESS(cudaMemset(out, 0, sizeof(*out)));
    return copy;
}

static void test_order()
{
    const int wanted[] = {1, 2, 3, 100, 101};

    in_order<<<1, 1>>>(out);
    report got = wait();
    EXPECT(got.logged == 5 && !memcmp(got.log, wanted, sizeof(wanted)));
    by_event<<<1, 1>>>(out);
    got = wait();
    EXPECT(got.logged == 2 && got.log[0] == 1 && got.log[1] == 2);
    for (int i = 0; i < 8; i++)
        EXPECT(got.errors[i] == 0);
}

static void test_families()
{
    int numbers[256];

    for (int i = 0; i < 256; i++)
        numbers[i] = i;
    cudaMemcpy(data, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
    from_all<<<4, 50>>>(out, data);
    EXPECT(wait().value == 200);
    cudaMemcpy(numbers, data, sizeof(numbers), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 256; i++)
        EXPECT(numbers[i] == 6 * i);
    root<<<1, 1>>>(out);
    report got = wait();
    EXPECT(got.value == 15 && got.errors[0] == 0);
    count_down<<<1, 1>>>(out, 100);
    EXPECT(wait().value == 101);
}

static void test_calls()
{
    asks<<<1, 1>>>(out);
    const report got = wait();
    for (int i = 0; i < 6; i++)
        EXPECT(got.errors[i] == 0);
    EXPECT(!strcmp(got.text, "out of memory"));
}

static void test_mistakes()
{
    mistakes<<<1, 2>>>(out, 5000);
    const report got = wait();
    const int wanted[] = {1, 0, 1, 0, 0, 0, 0};
    EXPECT(got.logged == 0 && !memcmp(got.errors, wanted, sizeof(wanted)));
}

int main()
{
    cudaMalloc(&out, sizeof(*out));
    cudaMalloc(&data, 256 * sizeof(int));
    cudaMemset(out, 0, sizeof(*out));
    test_order();
    test_families();
    test_calls();
    test_mistakes();
    cudaFree(out);
    cudaFree(data);
    return finish();
}

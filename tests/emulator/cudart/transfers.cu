/* What copies take on the modelled clock: page-locked and pageable, small and large; beside
 * each other and a kernel, as far as the GPU has copy engines; and kernels beside each other.
 * Nothing here is measured. */
#include "expect.h"

#include <cstdlib>

enum { BYTES = 8 << 20 };

static char *pageable, *locked, *registered, *device, *other;
static cudaStream_t first, second;

/* Takes a while, and no memory. */
__global__ void spin(int rounds, int *out)
{
    int x = rounds;
#pragma unroll 1
    for (int i = 0; i < rounds; i++)
        x = x * 3 + i;
    if (x == 42)
        *out = x;
}

static double elapsed(cudaEvent_t start, cudaEvent_t end)
{
    float ms = 0;
    EXPECT_SUCCESS(cudaEventElapsedTime(&ms, start, end));
    return ms;
}

/* Modelled milliseconds of what `work` asks for, all streams done. */
template <typename Work> static double time_of(Work work)
{
    cudaEvent_t start, end;

    EXPECT_SUCCESS(cudaEventCreate(&start));
    EXPECT_SUCCESS(cudaEventCreate(&end));
    EXPECT_SUCCESS(cudaDeviceSynchronize());
    EXPECT_SUCCESS(cudaEventRecord(start));
    work();
    EXPECT_SUCCESS(cudaEventRecord(end));
    const double ms = elapsed(start, end);
    EXPECT_SUCCESS(cudaEventDestroy(start));
    EXPECT_SUCCESS(cudaEventDestroy(end));
    return ms;
}

static double copy_ms(void *to, const void *from, size_t bytes)
{
    return time_of([=] { EXPECT_SUCCESS(cudaMemcpy(to, from, bytes, cudaMemcpyDefault)); });
}

static bool near(double a, double b)
{
    return a > 0.999 * b && a < 1.001 * b;
}

static void rates()
{
    const double in = copy_ms(device, locked, BYTES), out = copy_ms(locked, device, BYTES);
    const double tiny = copy_ms(device, locked, 1), half = copy_ms(device, locked, BYTES / 2);

    EXPECT(near(in, out));
    EXPECT(near(in, copy_ms(device, registered, BYTES)));
    EXPECT(copy_ms(device, pageable, BYTES) > 1.5 * in);
    EXPECT(near(copy_ms(device, pageable, BYTES), copy_ms(pageable, device, BYTES)));
    /* A latency, and a rate. */
    EXPECT(tiny > 0.001);
    EXPECT(near(in - half, half - tiny));
    EXPECT(copy_ms(device, other, BYTES) < in);
}

static void copy_in(cudaStream_t stream)
{
    EXPECT_SUCCESS(cudaMemcpyAsync(device, locked, BYTES, cudaMemcpyHostToDevice, stream));
}

static void copy_out(cudaStream_t stream)
{
    EXPECT_SUCCESS(cudaMemcpyAsync(registered, other, BYTES, cudaMemcpyDeviceToHost, stream));
}

static void compute(cudaStream_t stream)
{
    spin<<<1, 32, 0, stream>>>(5000, (int *)other);
}

static void side_by_side(const cudaDeviceProp *properties)
{
    const int engines = properties->asyncEngineCount;
    const double in = time_of([] { copy_in(first); });
    const double kernel = time_of([] { compute(first); });
    /* Behind other work of its stream, a part of its launch is over: of an H100's 4 us 2.3. */
    const double behind = kernel - (properties->major == 9 ? 0.0023 : 0);
    const double longer = in > kernel ? in : kernel;
    const double both_ways = time_of([] {
        copy_in(first);
        copy_out(second);
    });
    const double beside_kernel = time_of([] {
        compute(first);
        copy_in(second);
    });
    const double piped = time_of([] {
        for (int i = 0; i < 4; i++) {
            copy_in(i % 2 ? second : first);
            compute(i % 2 ? second : first);
        }
    });

    EXPECT(near(in, copy_ms(device, locked, BYTES)));
    EXPECT(near(both_ways, engines > 1 ? in : 2 * in));
    EXPECT(near(beside_kernel, engines > 0 ? longer : in + kernel));
    EXPECT(near(piped, engines > 0 ? in + behind + 3 * longer : 4 * (in + behind)));
    /* One stream is one after the other, and so is the same direction. */
    EXPECT(near(2 * in, time_of([] {
                    copy_in(first);
                    copy_out(first);
                })));
    EXPECT(near(2 * in, time_of([] {
                    copy_in(first);
                    copy_in(second);
                })));
    EXPECT(near(in + behind, time_of([] {
                    copy_in(first);
                    compute(0);
                })));
    /* The host stages what is pageable. */
    EXPECT(near(kernel + 2 * copy_ms(device, pageable, BYTES), time_of([] {
                    for (cudaStream_t stream : {first, second})
                        EXPECT_SUCCESS(cudaMemcpyAsync(device, pageable, BYTES,
                                                       cudaMemcpyHostToDevice, stream));
                    compute(second);
                })));
}

/* Kernels in two streams run side by side if there is room for both; in 2007, one by one. */
static void kernels(const cudaDeviceProp *properties)
{
    for (int blocks : {1, 8 * properties->multiProcessorCount}) {
        const auto start = [blocks](cudaStream_t stream) {
            spin<<<blocks, 256, 0, stream>>>(blocks == 1 ? 20000 : 500, (int *)other);
        };
        const double one = time_of([=] { start(first); });
        const double two = time_of([=] {
            start(first);
            start(second);
        });
        const double in_a_row = time_of([=] {
            start(first);
            start(first);
        });
        const double beside = time_of([=] {
            start(first);
            EXPECT_SUCCESS(cudaMemsetAsync(device, 0, 1, second));
        });

        if (properties->major > 1 && blocks == 1)
            EXPECT(two < 1.1 * one && beside < 1.1 * one);
        else
            EXPECT(two > 0.9 * in_a_row && beside > one);
        EXPECT(in_a_row > 1.8 * one);
    }
}

/* Events of one stream stand beside the other's work, and order streams. */
static void events()
{
    const double in = time_of([] { copy_in(first); });
    cudaEvent_t start, middle, end;

    EXPECT_SUCCESS(cudaEventCreate(&start));
    EXPECT_SUCCESS(cudaEventCreate(&middle));
    EXPECT_SUCCESS(cudaEventCreate(&end));
    EXPECT_SUCCESS(cudaEventRecord(start, first));
    copy_in(first);
    EXPECT_SUCCESS(cudaEventRecord(middle, first));
    EXPECT_SUCCESS(cudaStreamWaitEvent(second, middle, 0));
    copy_out(second);
    EXPECT_SUCCESS(cudaEventRecord(end, second));
    EXPECT(near(elapsed(start, middle), in));
    EXPECT(near(elapsed(start, end), 2 * in));
    /* It has waited for the second stream: what the first begins now is later. */
    EXPECT_SUCCESS(cudaEventSynchronize(end));
    EXPECT_SUCCESS(cudaEventRecord(middle, first));
    EXPECT(near(elapsed(start, middle), 2 * in));
    EXPECT_SUCCESS(cudaEventDestroy(start));
    EXPECT_SUCCESS(cudaEventDestroy(middle));
    EXPECT_SUCCESS(cudaEventDestroy(end));
}

int main()
{
    cudaDeviceProp properties;

    EXPECT_SUCCESS(cudaGetDeviceProperties(&properties, 0));
    pageable = (char *)calloc(1, BYTES);
    registered = (char *)calloc(1, BYTES);
    EXPECT_SUCCESS(cudaMallocHost((void **)&locked, BYTES));
    EXPECT_SUCCESS(cudaHostRegister(registered, BYTES, 0));
    EXPECT_SUCCESS(cudaMalloc((void **)&device, BYTES));
    EXPECT_SUCCESS(cudaMalloc((void **)&other, BYTES));
    EXPECT_SUCCESS(cudaMemset(other, 0, BYTES));
    EXPECT_SUCCESS(cudaStreamCreate(&first));
    EXPECT_SUCCESS(cudaStreamCreate(&second));
    rates();
    side_by_side(&properties);
    kernels(&properties);
    events();
    return finish();
}

/* SPDX-License-Identifier: MIT */
/* Two devices on the modelled clock: their kernels run side by side, the link has its rate each
 * way, and a kernel takes no less time than its bytes from the other device. */
#include "expect.h"

enum { BYTES = 8 << 20 };

static const double link_gbs = 397, read_gbs = 340, pcie_gbs = 55, link_ms = 0.0087,
                    event_ms = 0.003; /* H200 */
static char *block[2], *more[2];
static cudaStream_t stream[2];

__global__ void spin(int rounds, int *out)
{
    int x = rounds;
#pragma unroll 1
    for (int i = 0; i < rounds; i++)
        x = x * 3 + i;
    if (x == 42)
        *out = x;
}

__global__ void fetch(const int4 *from, int4 *to)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    to[i] = from[i];
}

template <typename Work> static void on(int device, Work work)
{
    EXPECT_SUCCESS(cudaSetDevice(device));
    work();
}

static void wait()
{
    for (int i = 1; i >= 0; i--)
        on(i, [] { EXPECT_SUCCESS(cudaDeviceSynchronize()); });
}

/* Modelled milliseconds from now until device 0 is done, which waits for device 1. */
template <typename Work> static double time_of(Work work)
{
    cudaEvent_t start, end, other;
    float ms = 0;

    wait();
    EXPECT_SUCCESS(cudaEventCreate(&start));
    EXPECT_SUCCESS(cudaEventCreate(&end));
    EXPECT_SUCCESS(cudaEventRecord(start, stream[0]));
    work();
    on(1, [&] {
        EXPECT_SUCCESS(cudaEventCreate(&other));
        EXPECT_SUCCESS(cudaEventRecord(other, stream[1]));
    });
    on(0, [&] {
        EXPECT_SUCCESS(cudaStreamWaitEvent(stream[0], other, 0));
        EXPECT_SUCCESS(cudaEventRecord(end, stream[0]));
        EXPECT_SUCCESS(cudaEventSynchronize(end));
        EXPECT_SUCCESS(cudaEventElapsedTime(&ms, start, end));
    });
    return ms;
}

static bool near(double a, double b)
{
    return a > 0.97 * b && a < 1.03 * b;
}

static double ms_at(double gbs)
{
    return BYTES / gbs * 1e-6;
}

static void side_by_side()
{
    const auto spin_on = [](int i, cudaStream_t where) {
        on(i, [=] { spin<<<1, 32, 0, where>>>(30000, (int *)block[i]); });
    };
    const double one = time_of([&] { spin_on(0, stream[0]); });
    const double both = time_of([&] { spin_on(0, stream[0]), spin_on(1, stream[1]); });
    const double twice = time_of([&] { spin_on(0, stream[0]), spin_on(0, stream[0]); });
    const double in_default = time_of([&] { spin_on(0, nullptr), spin_on(1, nullptr); });

    EXPECT(near(both, one));
    EXPECT(near(twice, 2 * one));
    EXPECT(near(in_default, one));
}

static void copy(int to, cudaStream_t where)
{
    on(to, [=] {
        EXPECT_SUCCESS(cudaMemcpyPeerAsync(block[to], to, more[1 - to], 1 - to, BYTES, where));
    });
}

static void copies()
{
    EXPECT(near(time_of([] { copy(0, stream[0]); }), ms_at(pcie_gbs) + 0.008));
    on(0, [] { EXPECT_SUCCESS(cudaDeviceEnablePeerAccess(1, 0)); });
    on(1, [] { EXPECT_SUCCESS(cudaDeviceEnablePeerAccess(0, 0)); });
    EXPECT(near(time_of([] { copy(0, stream[0]); }), ms_at(link_gbs) + link_ms));
    EXPECT(near(time_of([] { copy(0, stream[0]), copy(1, stream[1]); }),
                ms_at(link_gbs) + link_ms + event_ms));
    EXPECT(near(time_of([] { copy(0, stream[0]), copy(0, stream[1]); }),
                2 * (ms_at(link_gbs) + link_ms) + event_ms));
}

/* What device 0 waits for is there at once, but it has to notice. */
static void events()
{
    EXPECT(near(time_of([] {}), event_ms));
}

static void reads()
{
    const auto fetch_from = [](const char *from) {
        on(0, [=] {
            fetch<<<BYTES / 16 / 256, 256, 0, stream[0]>>>((const int4 *)from, (int4 *)block[0]);
        });
    };
    const double own = time_of([&] { fetch_from(more[0]); });
    const double others = time_of([&] { fetch_from(more[1]); });

    EXPECT(own < 0.5 * ms_at(read_gbs));
    EXPECT(others >= ms_at(read_gbs) && others < ms_at(read_gbs) + 0.006); /* events take some */
}

int main()
{
    for (int i = 1; i >= 0; i--)
        on(i, [=] {
            EXPECT_SUCCESS(cudaMalloc(&block[i], BYTES));
            EXPECT_SUCCESS(cudaMalloc(&more[i], BYTES));
            EXPECT_SUCCESS(cudaMemset(more[i], 1, BYTES));
            EXPECT_SUCCESS(cudaStreamCreateWithFlags(&stream[i], cudaStreamDefault));
        });
    side_by_side();
    copies();
    events();
    reads();
    return finish();
}

/* The link between two devices, link_gbs and link_us in a GPU's description: copies of all sizes,
 * and a kernel that reads the other's memory. */
#include "calibration.h"

enum { THREADS = 256, HOPS = 4096 };

__global__ void read_all(const uint4 *from, uint4 *to)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;

    to[i] = from[i];
}

/* A chain of loads, each from another line: the memory holds zeros. */
__global__ void hop(const unsigned *memory, unsigned *sink)
{
    unsigned at = 0;

    for (int k = 0; k < HOPS; k++)
        at += 64 + memory[at];
    *sink = at;
}

__global__ void nothing()
{
}

/* Both devices reach each other; device 0 is the current one. */
static void enable(void)
{
    CHECK(cudaSetDevice(1));
    CHECK(cudaDeviceEnablePeerAccess(0, 0));
    CHECK(cudaSetDevice(0));
    CHECK(cudaDeviceEnablePeerAccess(1, 0));
}

/* A launch on device 1 between two of device 0's events. */
static void time_events(struct calibration *calibration)
{
    cudaEvent_t there, back;
    cudaStream_t stream;

    CHECK(cudaEventCreateWithFlags(&there, cudaEventDisableTiming));
    CHECK(cudaSetDevice(1));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreateWithFlags(&back, cudaEventDisableTiming));
    CHECK(cudaSetDevice(0));
    TIMED_CASE(calibration, "an empty kernel on the other device") {
        CHECK(cudaEventRecord(there));
        CHECK(cudaSetDevice(1));
        CHECK(cudaStreamWaitEvent(stream, there, 0));
        nothing<<<1, 32, 0, stream>>>();
        CHECK(cudaEventRecord(back, stream));
        CHECK(cudaSetDevice(0));
        CHECK(cudaStreamWaitEvent(NULL, back, 0));
    }
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaEventDestroy(there));
    CHECK(cudaEventDestroy(back));
}

static void measure(struct calibration *calibration)
{
    const size_t most = calibration->device.modelled ? (size_t)1 << 24 : (size_t)1 << 30;
    char *here, *there;
    int count;

    CHECK(cudaGetDeviceCount(&count));
    if (count < 2) {
        fputs("link: there is one device, and a link has two ends\n", stderr);
        exit(EXIT_SKIP);
    }
    enable();
    CHECK(cudaMalloc(&here, most));
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&there, most));
    CHECK(cudaMemset(there, 0, most));
    CHECK(cudaSetDevice(0));
    for (size_t bytes = 4; bytes < most; bytes *= 16)
        TIMED_CASE(calibration, "a copy of %zu bytes", bytes)
            CHECK(cudaMemcpyPeerAsync(here, 0, there, 1, bytes));
    TIMED_CASE(calibration, "a copy of %zu bytes", most)
        CHECK(cudaMemcpyPeerAsync(here, 0, there, 1, most));
    for (size_t bytes = (size_t)1 << 16; bytes < most; bytes *= 16)
        TIMED_CASE(calibration, "a kernel that reads %zu bytes", bytes)
            read_all<<<(unsigned)(bytes / 16 / THREADS), THREADS>>>((uint4 *)there, (uint4 *)here);
    TIMED_CASE(calibration, "a kernel that reads %zu bytes", most)
        read_all<<<(unsigned)(most / 16 / THREADS), THREADS>>>((uint4 *)there, (uint4 *)here);
    TIMED_CASE(calibration, "%d hops", HOPS)
        hop<<<1, 1>>>((unsigned *)there, (unsigned *)here);
    time_events(calibration);
    CHECK(cudaFree(here));
    CHECK(cudaFree(there));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "link", measure);
}

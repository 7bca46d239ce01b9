/* Instruction fetch: a loop of 256 to 8192 additions in a row, by 1 to 4 warps of each scheduler.
 * Sixteen chains a thread, so that a warp never waits for a result. */
#include "calibration.h"

enum { ALL = 1 << 15, CHAINS = 16 };

template <int LENGTH> __global__ void __launch_bounds__(512) add(float f, float *sink)
{
    float x[CHAINS], sum = 0;

#pragma unroll
    for (int j = 0; j < CHAINS; j++)
        x[j] = f + j + threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < ALL; i += LENGTH) {
#pragma unroll
        for (int j = 0; j < LENGTH; j++)
            x[j % CHAINS] = fmaf(x[j % CHAINS], f, f);
    }
    for (int j = 0; j < CHAINS; j++)
        sum += x[j];
    if (sum == 1)
        *sink = sum;
}

template <int LENGTH> static void time_all(struct calibration *calibration, float *sink)
{
    for (int warps : {1, 2, 4})
        TIMED_CASE(calibration, "%d warps a scheduler, loops of %d additions", warps, LENGTH)
            add<LENGTH><<<1, 128 * warps>>>(0.5f, sink);
}

static void measure(struct calibration *calibration)
{
    float *sink = (float *)calibration_memory(sizeof *sink);

    time_all<256>(calibration, sink);
    time_all<1024>(calibration, sink);
    time_all<2048>(calibration, sink);
    time_all<4096>(calibration, sink);
    time_all<8192>(calibration, sink);
    TIMED_CASE(calibration, "132 blocks, 1 warps a scheduler, loops of %d additions", 2048)
        add<2048><<<132, 128>>>(0.5f, sink);
    CHECK(cudaFree(sink));
}

int main(int argc, char **argv)
{
    return calibration_main(argc, argv, "fetch", measure);
}

/* h01: what the device says of itself.
 *
 * Claim:  an article of 2008 shows what deviceQuery prints on a GeForce 8400M GS.
 * Today:  the same lines, larger numbers. The program asks twice, for a property and an attribute,
 *         and compares. Of the clock CUDA 13 has only the attribute.
 * See:    docs/hardware.md#h01
 */
#include <stdio.h>

#include "hardware.h"

enum { BYTES = 1, ENGINES }; /* what the number of a variant counts; of engines any will do */

template <auto FIELD, int ATTRIBUTE> static void number(struct trial *t)
{
    const long long value = (long long)(hardware_properties(t).*FIELD);

    if (t->variant->value == ENGINES)
        snprintf(t->text, sizeof(t->text), "%s", value ? "Yes" : "No");
    else
        snprintf(t->text, sizeof(t->text), "%lld%s", value, t->variant->value ? " bytes" : "");
    t->verdict = compare_integer(value, hardware_attribute(t, ATTRIBUTE));
}

/* Three limits, whose attributes follow each other. */
template <auto FIELD, int ATTRIBUTE> static void limits(struct trial *t)
{
    const struct cudaDeviceProp p = hardware_properties(t);
    const int *v = p.*FIELD;

    t->verdict = compare_integer(0, 0);
    for (int i = 0; i < 3 && t->verdict.match; i++)
        t->verdict = compare_integer(v[i], hardware_attribute(t, ATTRIBUTE + i));
    snprintf(t->text, sizeof(t->text), "%d x %d x %d", v[0], v[1], v[2]);
}

static void memory(struct trial *t)
{
    const size_t bytes = hardware_properties(t).totalGlobalMem;
    size_t available, total;

    CHECK(cudaMemGetInfo(&available, &total));
    snprintf(t->text, sizeof(t->text), "%zu bytes", bytes);
    t->verdict = compare_integer((int64_t)bytes, (int64_t)total);
}

/* The peak is that of two operations a clock for each core. */
static void cores(struct trial *t)
{
    const double count = t->device->peak_flops / 2 / t->device->clock_hz;

    snprintf(t->text, sizeof(t->text), "%.0f", count);
    t->verdict = compare_integer((int)(count + 0.5) % t->device->multiprocessors, 0);
}

static void clock_rate(struct trial *t)
{
    snprintf(t->text, sizeof(t->text), "%.2f GHz", t->device->clock_hz * 1e-9);
    t->verdict =
        compare_float(t->device->clock_hz, hardware_attribute(t, cudaDevAttrClockRate) * 1e3, 0);
}

#define ASK(field, name) number<&cudaDeviceProp::field, cudaDevAttr##name>
#define ASK_3(field, name) limits<&cudaDeviceProp::field, cudaDevAttr##name>

static const struct variant variants[] = {
    {"major", "Major revision number:", ASK(major, ComputeCapabilityMajor), 0, 0, "1"},
    {"minor", "Minor revision number:", ASK(minor, ComputeCapabilityMinor), 0, 0, "1"},
    {"memory", "Total amount of global memory:", memory, 0, 0, "134217728 bytes"},
    {"multiprocessors", "Number of multiprocessors:", ASK(multiProcessorCount, MultiProcessorCount),
     0, 0, "2"},
    {"cores", "Number of cores:", cores, 0, 0, "16"},
    {"constant", "Total amount of constant memory:", ASK(totalConstMem, TotalConstantMemory), BYTES,
     0, "65536 bytes"},
    {"shared", "Total amount of shared memory per block:",
     ASK(sharedMemPerBlock, MaxSharedMemoryPerBlock), BYTES, 0, "16384 bytes"},
    {"registers", "Total number of registers available per block:",
     ASK(regsPerBlock, MaxRegistersPerBlock), 0, 0, "8192"},
    {"warp", "Warp size:", ASK(warpSize, WarpSize), 0, 0, "32"},
    {"threads", "Maximum number of threads per block:", ASK(maxThreadsPerBlock, MaxThreadsPerBlock),
     0, 0, "512"},
    {"block", "Maximum sizes of each dimension of a block:", ASK_3(maxThreadsDim, MaxBlockDimX), 0,
     0, "512 x 512 x 64"},
    {"grid", "Maximum sizes of each dimension of a grid:", ASK_3(maxGridSize, MaxGridDimX), 0, 0,
     "65535 x 65535 x 1"},
    {"pitch", "Maximum memory pitch:", ASK(memPitch, MaxPitch), BYTES, 0, "262144 bytes"},
    {"alignment", "Texture alignment:", ASK(textureAlignment, TextureAlignment), BYTES, 0,
     "256 bytes"},
    {"clock", "Clock rate:", clock_rate, 0, 0, "0.80 GHz"},
    {"overlap", "Concurrent copy and execution:", ASK(asyncEngineCount, AsyncEngineCount), ENGINES,
     0, "No"},
};

static const struct experiment experiment = {HARDWARE_VARIANTS(variants), .no_size = true,
                                             .figure = "this device", .listing = true};

int main(int argc, char **argv)
{
    return hardware_main(argc, argv, STEP, &experiment);
}

/* h07: what the bus carries.
 *
 * Claim:  PCI Express 1.0 carries 4 GB/s each way and 2.0 carries 8, in theory. Ordinary memory is
 *         copied through a locked buffer, that of cudaMallocHost directly.
 * Today:  PCI Express 5.0 carries 63 GB/s each way, and only locked memory sees most of it. A small
 *         copy pays for its start: half the rate takes so many bytes.
 * See:    docs/hardware.md#h07
 */
#include <stdlib.h>
#include <string.h>

#include "hardware.h"

enum { TO_DEVICE = 1, TO_HOST = 2, BOTH = 3, LEAST = 1 << 10, TRIES = 5 };

/* The memory that copies move between. */
struct ends {
    int *source, *target; /* on the host */
    int *d_source, *d_target;
    cudaStream_t up, down;
};

static void copy(const struct ends *e, int ways, size_t bytes)
{
    if (ways & TO_DEVICE)
        CHECK(cudaMemcpyAsync(e->d_target, e->source, bytes, cudaMemcpyHostToDevice, e->up));
    if (ways & TO_HOST)
        CHECK(cudaMemcpyAsync(e->target, e->d_source, bytes, cudaMemcpyDeviceToHost, e->down));
}

/* Bytes a second, at best, of a few copies. */
static double rate(const struct trial *t, const struct ends *e, size_t bytes)
{
    float best = 1e9, ms;

    for (int i = 0; i < TRIES; i++) {
        CHECK(cudaEventRecord(t->run->begin, NULL));
        copy(e, t->variant->value, bytes);
        CHECK(cudaEventRecord(t->run->end, NULL));
        CHECK(cudaEventSynchronize(t->run->end));
        CHECK(cudaEventElapsedTime(&ms, t->run->begin, t->run->end));
        best = ms < best ? ms : best;
    }
    return bytes / (best * 1e-3);
}

/* The size, in KB, from which on copies reach half the rate of `bytes`. */
static double half_size(const struct trial *t, const struct ends *e, size_t bytes)
{
    const double half = rate(t, e, bytes) / 2;
    size_t size = LEAST;

    while (size < bytes && rate(t, e, size) < half)
        size *= 2;
    return size / 1024.0;
}

/* What came to the device is compared there; what came to the host goes the same way for that. */
static void transfer(struct trial *t)
{
    const size_t bytes = t->n * sizeof(int);
    const bool both = t->variant->value == BOTH, locked = t->variant->other;
    struct ends e = {.d_source = (int *)t->in, .d_target = t->out};

    if (locked) {
        CHECK(cudaMallocHost(&e.source, bytes));
        CHECK(cudaMallocHost(&e.target, bytes));
    } else {
        e.source = (int *)memory_host(bytes);
        e.target = (int *)memory_host(bytes);
    }
    memcpy(e.source, t->host, bytes);
    memset(e.target, MEMORY_POISON, bytes);
    CHECK(cudaStreamCreate(&e.up));
    CHECK(cudaStreamCreate(&e.down));
    t->work = (double)bytes * (both ? 2 : 1);
    TIMED(t->run)
        copy(&e, t->variant->value, bytes);
    if (!(t->variant->value & TO_DEVICE) || (both && memcmp(e.target, t->host, bytes) != 0))
        CHECK(cudaMemcpy(t->out, e.target, bytes, cudaMemcpyHostToDevice));
    t->figure = half_size(t, &e, bytes);
    CHECK(cudaStreamDestroy(e.up));
    CHECK(cudaStreamDestroy(e.down));
    if (locked) {
        CHECK(cudaFreeHost(e.source));
        CHECK(cudaFreeHost(e.target));
    } else {
        free(e.source);
        free(e.target);
    }
}

static void cpu(const struct trial *t, int *out)
{
    memcpy(out, t->host, t->n * sizeof(int));
}

static const struct variant variants[] = {
    {"to_device", "to the device, pageable", transfer, TO_DEVICE, 0, "4 GB/s (PCIe 1.0), 8 (2.0)"},
    {"to_device_locked", "page-locked", transfer, TO_DEVICE, 1, "4 GB/s (PCIe 1.0), 8 (2.0)"},
    {"to_host", "to the host, pageable", transfer, TO_HOST, 0, "4 GB/s (PCIe 1.0), 8 (2.0)"},
    {"to_host_locked", "page-locked", transfer, TO_HOST, 1, "4 GB/s (PCIe 1.0), 8 (2.0)"},
    {"both", "both ways at once, pageable", transfer, BOTH, 0},
    {"both_locked", "page-locked", transfer, BOTH, 1},
};

static const struct experiment experiment = {
    HARDWARE_VARIANTS(variants),
    .size = {.usual = 1 << 26, .modelled = 1 << 24, .min = 1, .max = 1 << 28},
    .unit = "GB/s",
    .over_bus = true,
    .figure = "half rate at KB",
    .cpu = cpu,
};

int main(int argc, char **argv)
{
    return hardware_main(argc, argv, STEP, &experiment);
}

/* h07: what the bus carries.
 *
 * Claim:  PCI Express 1.0 carries 4 GB/s each way and 2.0 carries 8, in theory. Ordinary memory
 *         goes through a locked buffer of the driver, memory of cudaMallocHost goes directly.
 * Today:  PCI Express 5.0 carries 63 GB/s each way, and only locked memory gets most of it. A small
 *         copy takes hardly less time than a larger one: see from which size on half is reached.
 * See:    docs/hardware.md#h07
 */
#include <stdlib.h>
#include <string.h>

#include "reference.cuh"

enum { TO_DEVICE = 1, TO_HOST = 2, BOTH = 3 };

/* The memory that copies move between. */
struct ends {
    int ways;
    int *source, *target; /* on the host */
    int *d_source, *d_target;
    cudaStream_t up, down;
};

static void copy(void *context, size_t bytes)
{
    const struct ends *e = (const struct ends *)context;

    if (e->ways & TO_DEVICE)
        CHECK(cudaMemcpyAsync(e->d_target, e->source, bytes, cudaMemcpyHostToDevice, e->up));
    if (e->ways & TO_HOST)
        CHECK(cudaMemcpyAsync(e->target, e->d_source, bytes, cudaMemcpyDeviceToHost, e->down));
}

static int *host_memory(size_t bytes, bool locked)
{
    int *memory;

    if (!locked)
        return (int *)memory_host(bytes);
    CHECK(cudaMallocHost(&memory, bytes));
    return memory;
}

static void host_free(int *memory, bool locked)
{
    if (locked)
        CHECK(cudaFreeHost(memory));
    else
        free(memory);
}

/* What came to the device is compared there; what came to the host goes the same way for that. */
static void transfer(struct trial *t)
{
    const size_t bytes = t->n * sizeof(int);
    const bool both = t->variant->value == BOTH, locked = t->variant->other;
    struct ends e = {.ways = t->variant->value, .d_source = (int *)t->in, .d_target = t->out};

    e.source = host_memory(bytes, locked);
    e.target = host_memory(bytes, locked);
    memcpy(e.source, t->host, bytes);
    CHECK(cudaStreamCreate(&e.up));
    CHECK(cudaStreamCreate(&e.down));
    t->figure = hardware_half_size(t, copy, &e, bytes);
    memset(e.target, MEMORY_POISON, bytes);
    t->work = (double)bytes * (both ? 2 : 1);
    TIMED(t->run)
        copy(&e, bytes);
    if (!(e.ways & TO_DEVICE) || (both && memcmp(e.target, t->host, bytes) != 0))
        CHECK(cudaMemcpy(t->out, e.target, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaStreamDestroy(e.up));
    CHECK(cudaStreamDestroy(e.down));
    host_free(e.source, locked);
    host_free(e.target, locked);
}

static const struct variant variants[] = {
    {"to_device", "to the device, pageable", transfer, TO_DEVICE, 0, "4 GB/s (PCIe 1.0), 8 (2.0)"},
    {"to_device_locked", "page-locked", transfer, TO_DEVICE, 1, "4 GB/s (PCIe 1.0), 8 (2.0)"},
    {"to_host", "to the host, pageable", transfer, TO_HOST, 0, "4 GB/s (PCIe 1.0), 8 (2.0)"},
    {"to_host_locked", "page-locked", transfer, TO_HOST, 1, "4 GB/s (PCIe 1.0), 8 (2.0)"},
    {"both", "both ways at once, pageable", transfer, BOTH, 0, "4 GB/s each way (PCIe 1.0)"},
    {"both_locked", "page-locked", transfer, BOTH, 1, "4 GB/s each way (PCIe 1.0)"},
};

static const struct experiment experiment = {
    HARDWARE_VARIANTS(variants),
    .size = {.usual = 1 << 26, .modelled = 1 << 24, .min = 1, .max = 1 << 28},
    .unit = "GB/s",
    .over_bus = true,
    .figure = "half rate at KB",
    .cpu = reference_copy,
};

int main(int argc, char **argv)
{
    return hardware_main(argc, argv, STEP, &experiment);
}

/* SPDX-License-Identifier: MIT */
#include "common.h"
#include "host_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cudaMalloc, but for 0 bytes too an address that is nobody else's. */
static void *allocate(size_t bytes)
{
    void *device = NULL;

    CHECK(cudaMalloc(&device, bytes ? bytes : 1));
    return device;
}

void *memory_input(const void *host, size_t bytes)
{
    void *device = allocate(bytes);

    CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
    return device;
}

static unsigned char *guard_of(const struct run_output *output)
{
    return (unsigned char *)output->data + output->bytes;
}

/* Note that `data` is an output of `bytes` bytes, with room for a guard behind it. */
static void add_output(struct run *run, void *data, size_t bytes)
{
    struct run_output output = {.data = data, .bytes = bytes};

    if (run->output_count == RUN_MAX_OUTPUTS) {
        check_say("a step has at most %d outputs", RUN_MAX_OUTPUTS);
        abort();
    }
    CHECK(cudaGetDevice(&output.device));
    if (run->guard)
        CHECK(cudaMemset(guard_of(&output), MEMORY_GUARD, MEMORY_GUARD_BYTES));
    run->outputs[run->output_count++] = output;
}

void *memory_output(struct run *run, size_t bytes)
{
    void *data;

    if (bytes > SIZE_MAX - MEMORY_GUARD_BYTES)
        CHECK(cudaErrorMemoryAllocation);
    data = allocate(bytes + (run->guard ? MEMORY_GUARD_BYTES : 0));
    add_output(run, data, bytes);
    return data;
}

void *memory_output_pitched(struct run *run, size_t width, size_t rows, size_t *pitch)
{
    void *data = NULL;
    size_t guard_rows = 0;

    /* A row may be shorter than a guard: nobody says how far cudaMallocPitch rounds up. */
    if (run->guard)
        guard_rows = width ? (MEMORY_GUARD_BYTES + width - 1) / width : 1;
    CHECK(cudaMallocPitch(&data, pitch, width ? width : 1, rows + guard_rows));
    add_output(run, data, *pitch * rows);
    return data;
}

void memory_fetch(void *host, const void *device, size_t bytes)
{
    CHECK(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
}

void device_free(struct run *run, void *device)
{
    for (int i = 0; i < run->output_count; i++) {
        if (run->outputs[i].data == device) {
            run->output_count--;
            memmove(&run->outputs[i], &run->outputs[i + 1],
                    (size_t)(run->output_count - i) * sizeof(run->outputs[0]));
            break;
        }
    }
    CHECK(cudaFree(device));
}

void memory_poison(const struct run *run)
{
    int current;

    if (!run->poison || !run->output_count)
        return;
    CHECK(cudaGetDevice(&current));
    for (int i = 0; i < run->output_count; i++) {
        CHECK(cudaSetDevice(run->outputs[i].device));
        CHECK(cudaMemset(run->outputs[i].data, MEMORY_POISON, run->outputs[i].bytes));
    }
    CHECK(cudaSetDevice(current));
}

/* "output 2 of 3 (1024 bytes) was overrun: byte 1027 was written", in memory of its own. */
static char *describe_overrun(const struct run *run, int index, size_t offset)
{
    enum { SIZE = 128 };
    const size_t bytes = run->outputs[index].bytes;
    char *text = memory_host(SIZE);

    snprintf(text, SIZE, "output %d of %d (%zu bytes) was overrun: byte %zu was written", index + 1,
             run->output_count, bytes, bytes + offset);
    return text;
}

void memory_check_guards(struct run *run)
{
    unsigned char guard[MEMORY_GUARD_BYTES];

    if (!run->guard)
        return;
    for (int i = 0; i < run->output_count && !run->overrun; i++) {
        memory_fetch(guard, guard_of(&run->outputs[i]), sizeof(guard));
        for (size_t k = 0; k < sizeof(guard) && !run->overrun; k++) {
            if (guard[k] != MEMORY_GUARD)
                run->overrun = describe_overrun(run, i, k);
        }
    }
}

void *memory_host(size_t bytes)
{
    void *host = malloc(bytes ? bytes : 1);

    if (!host) {
        check_say("no host memory for %zu bytes; try a smaller --n", bytes);
        exit(EXIT_CUDA);
    }
    return host;
}

static int refuse(const char *place, size_t need, size_t have)
{
    const size_t rounded_up = (need >> 20) + ((need & 0xFFFFF) != 0);

    return options_refuse("not enough memory on %s: this size needs %zu MiB, %zu MiB are free; "
                          "give a smaller --n",
                          place, rounded_up, have >> 20);
}

int memory_refuse(const struct device *device, size_t bytes)
{
    const size_t host_bytes = device->modelled && bytes <= SIZE_MAX / 2 ? 2 * bytes : bytes;
    const size_t host_free = host_memory("");
    size_t device_free_bytes, device_total;

    CHECK(cudaMemGetInfo(&device_free_bytes, &device_total));
    if (bytes > device_free_bytes)
        return refuse("the device", bytes, device_free_bytes);
    if (host_bytes > host_free)
        return refuse("the host", host_bytes, host_free);
    return -1;
}

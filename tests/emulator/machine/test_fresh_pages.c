/* SPDX-License-Identifier: MIT */
/* What the host's memory is asked for: no more than there is, and no page before it is written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../cmocka_main.h"
#include "host_memory.h"
#include "machine/fresh_pages.h"
#include "test_gpu.h"

static const size_t large = (size_t)256 << 20;

static struct machine *new_machine(void)
{
    struct gpu gpu = test_gpu(75);

    gpu.memory = (size_t)4 << 40;
    struct machine *machine = machine_new(&gpu, 1);
    assert_non_null(machine);
    return machine;
}

static uint8_t *allocate(struct machine *machine, size_t size, enum memory_kind kind)
{
    const uint64_t address = memory_allocate(machine, size, kind, NULL);

    assert_int_not_equal(address, 0);
    return memory_host(machine, address);
}

/* Pages of this process that memory holds. */
static size_t resident(void)
{
    size_t size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (!file || fscanf(file, "%zu %zu", &size, &pages) != 2)
        skip();
    fclose(file);
    return pages;
}

static void expect_fresh(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += 4093)
        assert_int_equal(bytes[i], FRESH_BYTE);
    assert_int_equal(bytes[size - 1], FRESH_BYTE);
}

/* Much is allocated and little written: what is written stays where it is, and goes when freed. */
TEST(test_pages_come_when_written)
{
    struct machine *machine = new_machine();
    const size_t before = resident();
    uint8_t *bytes[4];

    for (int i = 0; i < 4; i++)
        bytes[i] = allocate(machine, large + 5, MEMORY_DEVICE);
    memset(bytes[1] + 5, 7, 1 << 20);
    assert_true(resident() - before < (64 << 20) / (size_t)sysconf(_SC_PAGESIZE));
    assert_int_equal(bytes[1][5], 7);
    for (int i = 0; i < 4; i++)
        expect_fresh(bytes[i] + (i == 1 ? (1 << 20) + 5 : 0), large - (2 << 20));
    assert_int_equal(bytes[3][large + 4], FRESH_BYTE);
    assert_true(memory_release(machine, memory_address(machine, bytes[1])));
    machine_free(machine);
}

/* All that is promised may be written, at the end. */
TEST(test_no_more_than_there_is)
{
    struct machine *machine = new_machine();
    const uint64_t most = host_memory("") / large;
    const size_t step = (most / 64 + 1) * large;
    uint64_t given = 0;

    if (host_memory("") == UINT64_MAX)
        skip();
    while (given < 2 * most * large && memory_allocate(machine, step, MEMORY_DEVICE, NULL))
        given += step;
    assert_true(given > 0);
    assert_true(given < (most + 4) * large);
    machine_free(machine);
}

/* Room that is used again is fresh again, after large allocations and small. */
TEST(test_used_room_is_fresh)
{
    struct gpu gpu = test_gpu(75);
    static const size_t sizes[] = {(size_t)40 << 20, (size_t)1 << 20};

    struct machine *machine = machine_new(&gpu, 1);
    for (int i = 0; i < 8; i++) {
        const size_t size = sizes[i % 2];
        uint8_t *bytes = allocate(machine, size, MEMORY_DEVICE);
        expect_fresh(bytes, size);
        memset(bytes, 0, size);
        assert_true(memory_release(machine, memory_address(machine, bytes)));
    }
    machine_free(machine);
}

/* Managed memory is zeros, as on a GPU, and comes when written too. */
TEST(test_managed_memory)
{
    struct gpu gpu = test_gpu(75);
    static const size_t sizes[] = {(size_t)40 << 20, 1000};

    struct machine *machine = machine_new(&gpu, 1);
    const size_t before = resident();
    for (int i = 0; i < 6; i++) {
        const size_t size = sizes[i % 2];
        uint8_t *bytes = allocate(machine, size, MEMORY_MANAGED);
        assert_true(resident() - before < (16 << 20) / (size_t)sysconf(_SC_PAGESIZE));
        for (size_t k = 0; k < size; k += 499)
            assert_int_equal(bytes[k], 0);
        memset(bytes, 7, size);
        assert_true(memory_release(machine, memory_address(machine, bytes)));
    }
    machine_free(machine);
}

/* Where files may not be as long, and where the program has closed all of them. */
TEST(test_without_the_file)
{
    struct machine *machine = new_machine();
    struct rlimit before, limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 1 << 20;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    uint8_t *filled = allocate(machine, (size_t)17 << 20, MEMORY_DEVICE);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    expect_fresh(filled, (size_t)17 << 20);
    expect_fresh(allocate(machine, large, MEMORY_DEVICE), large);

    const int next = dup(1);
    assert_true(next > 0);
    for (int file = 3; file <= next; file++)
        close(file);
    FILE *other = tmpfile();
    assert_non_null(other);
    expect_fresh(allocate(machine, large, MEMORY_DEVICE), large);
    machine_free(machine);
    assert_true(fputs("still open", other) >= 0);
    assert_int_equal(fclose(other), 0);
}

TEST_MAIN()

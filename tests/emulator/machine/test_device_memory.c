/* SPDX-License-Identifier: MIT */
/* The device's memory: what is found where, and what there is none left for. */
#include <string.h>

#include "../../cmocka_main.h"
#include "test_gpu.h"

TEST(test_memory)
{
    const struct gpu gpu = test_gpu(75);
    struct machine *machine = machine_new(&gpu, 1);
    const size_t before = memory_available(machine);
    static char host[256];
    const uint64_t a = memory_allocate(machine, 1000, MEMORY_DEVICE, NULL);
    const uint64_t b = memory_allocate(machine, 1, MEMORY_DEVICE, "b");

    assert_int_not_equal(a, 0);
    assert_int_equal(a % 256, 0);
    assert_int_equal(*(uint8_t *)memory_host(machine, b), 0xCD);
    assert_non_null(memory_find(machine, a, 1000));
    assert_non_null(memory_find(machine, a + 999, 1));
    assert_null(memory_find(machine, a + 999, 2));
    assert_null(memory_find(machine, a + 1000, 1));
    assert_null(memory_find(machine, a - 1, 2));
    assert_string_equal(memory_find(machine, b, 1)->name, "b");
    assert_int_equal(memory_allocate(machine, 0, MEMORY_DEVICE, NULL), 0);
    assert_int_equal(memory_allocate(machine, gpu.memory, MEMORY_DEVICE, NULL), 0);

    assert_true(memory_register_host(machine, host, sizeof host));
    assert_false(memory_register_host(machine, host + 255, 2));
    assert_int_equal(memory_find(machine, (uint64_t)(uintptr_t)host + 8, 8)->kind, MEMORY_HOST);
    assert_true(memory_release(machine, (uint64_t)(uintptr_t)host));
    assert_null(memory_find(machine, (uint64_t)(uintptr_t)host + 8, 8));

    assert_false(memory_release(machine, a + 4));
    assert_true(memory_release(machine, a));
    assert_false(memory_release(machine, a));
    assert_null(memory_find(machine, a, 1));
    assert_true(memory_release(machine, b));
    assert_int_equal(memory_available(machine), before);
    machine_free(machine);
}

/* What an address outside is near to: no variable of nvcc's, which the program does not know. */
TEST(test_describe)
{
    const struct gpu gpu = test_gpu(75);
    struct machine *machine = machine_new(&gpu, 1);
    const uint64_t a = memory_allocate(machine, 1024, MEMORY_DEVICE, NULL);
    const uint64_t text = memory_allocate(machine, 256, MEMORY_DEVICE, "$str");
    char what[200];

    assert_true(text > a);
    memory_describe(machine, text + 100000000, 4, what, sizeof what);
    assert_non_null(strstr(what, " bytes past the end of a 1024-byte allocation"));
    memory_describe(machine, text + 16, 4, what, sizeof what);
    assert_string_equal(what, "16 bytes into the 256-byte variable $str");
    assert_true(memory_release(machine, a));
    memory_describe(machine, text + 100000000, 4, what, sizeof what);
    assert_string_equal(what, "no memory of the device");
    machine_free(machine);
}

/* The device has room, the host has not: an error, not the end of the process. */
TEST(test_host_memory_is_asked)
{
    struct gpu gpu = test_gpu(75);
    gpu.memory = (size_t)4 << 40;
    struct machine *machine = machine_new(&gpu, 1);
    assert_non_null(machine);
    assert_int_equal(memory_allocate(machine, gpu.memory, MEMORY_DEVICE, NULL), 0);
    assert_int_equal(memory_available(machine), gpu.memory);
    assert_int_not_equal(memory_allocate(machine, (size_t)32 << 20, MEMORY_DEVICE, NULL), 0);
    machine_free(machine);
}

TEST_MAIN()

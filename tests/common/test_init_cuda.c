/* SPDX-License-Identifier: MIT */
/* init_cuda.c: which device is taken, and how the program ends where none is. */
#include <string.h>

#include "unit.h"

/* What a child asks of InitCUDA. */
struct request {
    int wanted, minimum;
};

static int init(void *data)
{
    const struct request *request = data;
    struct device device;

    return InitCUDA(request->wanted, request->minimum, &device);
}

static void ends(int wanted, int minimum, int code, const char *message)
{
    struct request request = {wanted, minimum};
    const struct outcome outcome = run_child(init, &request);

    assert_int_equal(outcome.code, code);
    assert_one_line(outcome.err, message);
    assert_string_equal(outcome.out, "");
}

/* A device beside the first, of a capability of its own. */
static void add_device(const char *name, int major, int minor)
{
    struct fake_device *device = &fake.devices[fake.device_count++];

    *device = fake.devices[0];
    device->name = name;
    device->major = major;
    device->minor = minor;
}

static struct device taken(int wanted, int minimum)
{
    struct device device;

    assert_int_equal(InitCUDA(wanted, minimum, &device), EXIT_MATCH);
    assert_int_equal(fake.current, device.index);
    return device;
}

static void near(double value, double expected)
{
    assert_true(value > expected * 0.999999 && value < expected * 1.000001);
}

TEST_WITH(test_properties, setup_fake, NULL)
{
    const struct device device = taken(-1, 75);

    assert_int_equal(device.index, 0);
    assert_string_equal(device.name, "NVIDIA H100 80GB HBM3");
    assert_false(device.modelled);
    assert_int_equal(device.major, 9);
    assert_int_equal(device.minor, 0);
    assert_int_equal(device.driver, 13000);
    assert_int_equal(device.runtime, 13000);
    assert_int_equal(device.multiprocessors, 132);
    assert_int_equal(device.max_threads, 1024);
    assert_int_equal(device.max_grid_x, 2147483647);
    assert_true(device.memory == (size_t)80 << 30);
    assert_true(device.shared_per_block == 49152);
    near(device.clock_hz, 1.98e9);
    near(device.peak_bytes, 3.35232e12); /* 2 x 2.619 GHz x 640 bytes */
    near(device.peak_flops, 66.9082e12); /* 132 x 128 lanes x 2 x 1.98 GHz */
}

TEST_WITH(test_lanes, setup_fake, NULL)
{
    static const struct {
        int major, minor, lanes;
    } known[] = {{1, 0, 8},   {1, 3, 8},    {2, 1, 48},   {3, 5, 192}, {5, 2, 128}, {6, 0, 64},
                 {6, 1, 128}, {7, 0, 64},   {7, 5, 64},   {8, 0, 64},  {8, 6, 128}, {8, 9, 128},
                 {9, 0, 128}, {10, 0, 128}, {12, 0, 128}, {99, 0, 0}};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        fake.devices[0].major = known[i].major;
        fake.devices[0].minor = known[i].minor;
        assert_int_equal((int)(taken(-1, 10).peak_flops / (2 * 132 * 1.98e9) + 0.5),
                         known[i].lanes);
    }
}

/* As on a slice of a GPU, which names no memory clock. */
TEST_WITH(test_unknown_clock, setup_fake, NULL)
{
    fake.devices[0].memory_khz = 0;
    assert_true(taken(-1, 75).peak_bytes == 0);
}

TEST_WITH(test_modelled, setup_fake, NULL)
{
    assert_false(taken(-1, 75).modelled);
    assert_non_null(strchr(fake.log, 'L')); /* that the attribute is not known is nobody's error */
    fake.devices[0].name = "Plain GPU (emulated)"; /* a name is for people */
    assert_false(taken(-1, 75).modelled);
    fake.devices[0].modelled = true;
    assert_true(taken(-1, 75).modelled);
    fake.devices[0].name = "Plain GPU";
    assert_true(taken(-1, 75).modelled);
}

TEST_WITH(test_first_that_serves, setup_fake, NULL)
{
    fake.devices[0].major = 6;
    add_device("second", 7, 5);
    add_device("third", 9, 0);
    assert_int_equal(taken(-1, 60).index, 0);
    assert_int_equal(taken(-1, 75).index, 1);
    assert_string_equal(taken(-1, 80).name, "third");
    assert_int_equal(taken(2, 60).index, 2);
    ends(1, 80, EXIT_SKIP, "needs compute capability 8.0; device 1, second, has 7.5\n");
    ends(-1, 100, EXIT_SKIP, "needs compute capability 10.0; device 2, third, has 9.0; no other");
}

TEST_WITH(test_no_such_device, setup_fake, NULL)
{
    add_device("second", 9, 0);
    ends(99, 75, EXIT_USAGE, "--device 99: no such device; allowed is 0 to 1");
    ends(2, 75, EXIT_USAGE, "allowed is 0 to 1");
}

TEST_WITH(test_no_device, setup_fake, NULL)
{
    fake.fails = 'N';
    fake.error = cudaErrorNoDevice;
    ends(-1, 75, EXIT_SKIP, "no CUDA device; run it on the emulator: ");
    ends(0, 75, EXIT_SKIP, "no CUDA device");

    fake.fails = 0;
    fake.device_count = 0;
    ends(-1, 75, EXIT_SKIP, "no CUDA device");
}

/* The runtime says the same of a driver that is too old and of none. */
TEST_WITH(test_driver, setup_fake, NULL)
{
    fake.fails = 'N';
    fake.error = cudaErrorInsufficientDriver;
    fake.driver = 0;
    ends(-1, 75, EXIT_SKIP, "no CUDA device");

    fake.driver = 11040;
    ends(-1, 75, EXIT_CUDA, "cudaErrorInsufficientDriver");
    ends(-1, 75, EXIT_CUDA, "update the driver");
}

TEST_WITH(test_errors, setup_fake, NULL)
{
    static const char calls[] = "NPTDVU";

    for (size_t i = 0; i < strlen(calls); i++) {
        fake.fails = calls[i];
        fake.error = cudaErrorDevicesUnavailable;
        ends(-1, 75, EXIT_CUDA, "cudaErrorDevicesUnavailable");
    }
}

TEST_MAIN()

/* SPDX-License-Identifier: MIT */
/* What fetches and constant loads cost: counters worked out by hand, and both time models. */
#include "observed.h"

#include "machine/texture.h"

#include <math.h>

enum { SIDE = 64 }; /* texels of the image: one number of 4 bytes each */

/* fetch: `times` rounds; thread t fetches column t % width, row t / width.
 * constants: `times` loads one behind the other, of word (t * stride) % 64. */
static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".const .align 4 .b8 table[256];\n"
    ".visible .entry fetch(.param .u64 texture, .param .u64 width, .param .u64 times)\n{\n"
    "    .reg .b32 %r<8>;\n    .reg .b64 %t;\n    .reg .f32 %f<8>;\n    .reg .pred %p;\n"
    "    ld.param.u64 %t, [texture];\n"
    "    ld.param.u32 %r1, [width];\n"
    "    ld.param.u32 %r2, [times];\n"
    "    mov.u32 %r3, %tid.x;\n"
    "    rem.u32 %r4, %r3, %r1;\n"
    "    div.u32 %r5, %r3, %r1;\n"
    "    cvt.rn.f32.u32 %f1, %r4;\n"
    "    cvt.rn.f32.u32 %f2, %r5;\n"
    "    add.f32 %f1, %f1, 0f3F000000;\n"
    "    add.f32 %f2, %f2, 0f3F000000;\n"
    "NEXT:\n"
    "    tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%t, {%f1, %f2}];\n"
    "    sub.u32 %r2, %r2, 1;\n"
    "    setp.ne.u32 %p, %r2, 0;\n"
    "    @%p bra NEXT;\n"
    "    ret;\n}\n"
    ".visible .entry constants(.param .u64 stride, .param .u64 times)\n{\n"
    "    .reg .b32 %r<8>;\n    .reg .b64 %a<4>;\n    .reg .pred %p;\n"
    "    ld.param.u32 %r1, [stride];\n"
    "    ld.param.u32 %r2, [times];\n"
    "    mov.u32 %r3, %tid.x;\n"
    "    mul.lo.u32 %r3, %r3, %r1;\n"
    "    and.b32 %r3, %r3, 63;\n"
    "    mov.u64 %a1, table;\n"
    "NEXT:\n"
    "    mul.wide.u32 %a2, %r3, 4;\n"
    "    add.u64 %a2, %a1, %a2;\n"
    "    ld.const.u32 %r4, [%a2];\n"
    "    add.u32 %r3, %r3, %r4;\n"
    "    sub.u32 %r2, %r2, 1;\n"
    "    setp.ne.u32 %p, %r2, 0;\n"
    "    @%p bra NEXT;\n"
    "    ret;\n}\n";

static struct observed start(const char *gpu_name)
{
    struct gpu gpu = test_gpu(75);
    char error[GPU_ERROR_SIZE];

    if (gpu_name && !gpu_read(EMU_GPUS, gpu_name, &gpu, error))
        fail_msg("%s", error);
    return observe_ptx(&gpu, 1, ptx);
}

static uint64_t make_texture(const struct observed *observed, bool tiled, bool filters)
{
    const struct texture texture = {
        .texels = {.address = observed_memory(observed, SIDE * SIDE * sizeof(float)),
                   .pitch = SIDE * sizeof(float),
                   .tiled = tiled},
        .bytes = SIDE * SIDE * sizeof(float),
        .array = tiled,
        .dimensions = 2,
        .size = {SIDE, SIDE, 1},
        .layers = 1,
        .kind = TEXEL_FLOAT,
        .channels = 1,
        .channel_bytes = 4,
        .filters = filters,
        .modes = {MODE_CLAMP, MODE_CLAMP, MODE_CLAMP},
    };

    return texture_create(observed->machine, &texture);
}

static const uint64_t *last_counters(const struct observed *observed)
{
    size_t count;
    const struct profile_kernel *kernels = profile_kernels(observed->profile, &count);

    return kernels[count - 1].counters;
}

/* A warp's fetch of `width` columns and 32 / width rows. */
static void expect_fetch(bool tiled, bool filters, uint64_t width, uint64_t texels,
                         uint64_t sectors)
{
    struct observed observed = start(NULL);
    uint64_t arguments[] = {make_texture(&observed, tiled, filters), width, 1};

    observed_launch(&observed, "fetch", 1, 32, arguments, 3);
    const uint64_t *counters = last_counters(&observed);
    assert_int_equal(counters[PROFILE_TEXTURE_FETCHES], 1);
    assert_int_equal(counters[PROFILE_TEXTURE_TEXELS], texels);
    assert_int_equal(counters[PROFILE_TEXTURE_SECTORS], sectors);
    assert_int_equal(counters[PROFILE_GLOBAL_LOADS], 0);
    observed_free(&observed);
}

TEST(test_sectors)
{
    expect_fetch(false, false, 32, 32, 4);
    expect_fetch(false, false, 1, 32, 32);
    expect_fetch(false, false, 8, 32, 4);
    /* In an array a sector is 4 texels of 2 rows. */
    expect_fetch(true, false, 32, 32, 8);
    expect_fetch(true, false, 1, 32, 16);
    expect_fetch(true, false, 8, 32, 4);
    /* At the centres of texels a linear filter reads one. */
    expect_fetch(true, true, 8, 32, 4);
}

/* Every byte of a tiled image has a place of its own. */
TEST(test_tiles)
{
    enum { PITCH = 192, ROWS = 24 };
    static bool taken[PITCH * ROWS];
    const struct texels texels = {.address = 4096, .pitch = PITCH, .tiled = true};

    for (uint64_t y = 0; y < ROWS; y++)
        for (uint64_t x = 0; x < PITCH; x++) {
            const uint64_t at = texels_at(&texels, x, y, 0) - 4096;
            assert_true(at < sizeof(taken));
            assert_false(taken[at]);
            taken[at] = true;
            assert_int_equal(at / 512, y / 8 * (PITCH / 64) + x / 64);
        }
}

/* What was fetched before costs device memory nothing, and time all the same. */
static void expect_hits(const char *gpu)
{
    struct observed observed = start(gpu);
    const uint64_t texture = make_texture(&observed, true, false);
    uint64_t once[] = {texture, 8, 1}, often[] = {texture, 8, 50};

    observed_launch(&observed, "fetch", 1, 32, once, 3);
    const struct timing_launch first = timing_last(observed.timing);
    observed_launch(&observed, "fetch", 1, 32, often, 3);
    const struct timing_launch second = timing_last(observed.timing);
    assert_int_equal(first.memory_bytes, 4 * 32);
    assert_int_equal(second.memory_bytes, 4 * 32);
    assert_true(second.ms > first.ms);
    observed_free(&observed);
}

TEST(test_cache)
{
    expect_hits(NULL);
    expect_hits("geforce-8800-gt");
}

static double constants_ms(const char *gpu, uint64_t stride, uint64_t passes)
{
    struct observed observed = start(gpu);
    uint64_t arguments[] = {stride, 1000};

    observed_launch(&observed, "constants", 1, 32, arguments, 2);
    const uint64_t *counters = last_counters(&observed);
    assert_int_equal(counters[PROFILE_CONSTANT_LOADS], 1000);
    assert_int_equal(counters[PROFILE_CONSTANT_PASSES], 1000 * passes);
    const double ms = timing_last(observed.timing).ms;
    observed_free(&observed);
    return ms;
}

/* The constant cache gives one word a pass to all that want it. */
static void expect_passes(const char *gpu, double clocks_a_pass)
{
    struct observed observed = start(gpu);
    const int khz = machine_gpu(observed.machine)->clock_khz;
    const double one = constants_ms(gpu, 0, 1), two = constants_ms(gpu, 32, 2);
    const double all = constants_ms(gpu, 1, 32);

    observed_free(&observed);
    assert_float_equal((two - one) * khz / 1000, clocks_a_pass, 0.01);
    assert_float_equal((all - one) * khz / 1000, 31 * clocks_a_pass, 0.01);
}

TEST(test_constants)
{
    expect_passes(NULL, 1);
    expect_passes("geforce-8800-gt", 4);
}

/* Freed memory that another allocation has now is not read through the texture of the old one. */
TEST(test_memory_of_another)
{
    struct observed observed = start(NULL);
    const uint64_t handle = make_texture(&observed, true, false);
    const uint64_t texels = texture_find(observed.machine, handle)->texels.address;
    const size_t much = (size_t)40 << 20;
    uint64_t address = 0, width = 8, times = 1;
    void *arguments[] = {(void *)&handle, &width, &times};
    const struct launch_request request = {.kernel = program_kernel(observed.program, "fetch"),
                                           .grid = {1, 1, 1},
                                           .block = {32, 1, 1},
                                           .arguments = arguments};
    struct fault fault = {.kind = FAULT_NONE};

    assert_null(texture_refusal(observed.machine, handle));
    assert_true(memory_release(observed.machine, texels));
    for (int i = 0; i < 100 && !memory_find(observed.machine, texels, 1); i++) {
        if (address)
            memory_release(observed.machine, address);
        address = memory_allocate(observed.machine, much, MEMORY_DEVICE, NULL);
    }
    assert_non_null(memory_find(observed.machine, texels, SIDE * SIDE * sizeof(float)));
    machine_launch(observed.machine, &request, &fault);
    assert_int_equal(fault.kind, FAULT_ADDRESS);
    assert_non_null(strstr(fault.message, "the memory behind the object was freed"));
    observed_free(&observed);
}

/* The texel of ten that a coordinate names; -1: the border's colour. */
static int texel_at(enum texture_mode mode, bool normalised, float coordinate)
{
    const struct texture texture = {.texels = {.address = 4096},
                                    .dimensions = 1,
                                    .size = {10, 1, 1},
                                    .layers = 1,
                                    .channels = 1,
                                    .channel_bytes = 4,
                                    .normalised = normalised,
                                    .modes = {mode, mode, mode}};
    struct taps taps;

    texture_locate(&texture, &coordinate, 0, 0, &taps);
    assert_int_equal(taps.count, 1);
    return taps.items[0].address ? (int)(taps.items[0].address - 4096) / 4 : -1;
}

/* What is no number counts as 0. */
TEST(test_far_outside)
{
    for (int normalised = 0; normalised < 2; normalised++) {
        assert_int_equal(texel_at(MODE_BORDER, normalised, NAN), 0);
        assert_int_equal(texel_at(MODE_CLAMP, normalised, NAN), 0);
        assert_int_equal(texel_at(MODE_BORDER, normalised, INFINITY), -1);
        assert_int_equal(texel_at(MODE_BORDER, normalised, -INFINITY), -1);
        assert_int_equal(texel_at(MODE_CLAMP, normalised, INFINITY), 9);
        assert_int_equal(texel_at(MODE_CLAMP, normalised, -INFINITY), 0);
    }
    assert_int_equal(texel_at(MODE_WRAP, true, NAN), 0);
    assert_int_equal(texel_at(MODE_WRAP, true, INFINITY), 0);
    assert_int_equal(texel_at(MODE_WRAP, true, -INFINITY), 0);
    /* So near to 0 that the fraction is rounded to 1. */
    assert_int_equal(texel_at(MODE_WRAP, true, -1e-30f), 0);
    assert_int_equal(texel_at(MODE_WRAP, true, -1e-3f), 9);
}

/* What a fetch outside of the texture gives where the border's colour is `border`. */
static uint32_t outside(enum texel_kind kind, bool normalised, float border)
{
    const struct texture texture = {.channels = 1,
                                    .channel_bytes = kind == TEXEL_FLOAT ? 4 : 1,
                                    .kind = kind,
                                    .reads_normalised = normalised,
                                    .border = {border}};
    const struct taps taps = {.items = {{.weight = 1}}, .count = 1};
    uint32_t colour[4];

    texture_sample(&texture, &taps, colour);
    return colour[0];
}

static float outside_float(enum texel_kind kind, bool normalised, float border)
{
    const uint32_t bits = outside(kind, normalised, border);
    float colour;

    memcpy(&colour, &bits, sizeof(colour));
    return colour;
}

/* The border's colour is one that the texels could have, the nearest. */
TEST(test_border)
{
    assert_true(outside_float(TEXEL_UNSIGNED, true, -0.5f) == 0);
    assert_true(outside_float(TEXEL_UNSIGNED, true, 0.5f) == 0.5f);
    assert_true(outside_float(TEXEL_SIGNED, true, -0.5f) == -0.5f);
    assert_true(outside_float(TEXEL_SIGNED, true, -2) == -1);
    assert_true(outside_float(TEXEL_SIGNED, true, 2) == 1);
    assert_true(outside_float(TEXEL_FLOAT, false, -2) == -2);
    assert_int_equal(outside(TEXEL_UNSIGNED, false, 3e9f), 3000000000);
    assert_int_equal(outside(TEXEL_UNSIGNED, false, -3), 0);
    assert_int_equal(outside(TEXEL_UNSIGNED, false, 5e9f), UINT32_MAX);
    assert_int_equal(outside(TEXEL_SIGNED, false, -3), (uint32_t)-3);
    assert_int_equal(outside(TEXEL_SIGNED, false, 3e9f), INT32_MAX);
    assert_int_equal(outside(TEXEL_SIGNED, false, NAN), 0);
}

TEST_MAIN()

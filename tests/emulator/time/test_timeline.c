/* SPDX-License-Identifier: MIT */
/* What the models tell of blocks and warps over time: each block once and in a place of its own,
 * each warp's spans one behind the other, and waits by their cause. */
#include "observed.h"

/* Warp 0 loads, then all meet at a barrier and store. */
static const char ptx[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                          ".visible .entry meet(.param .u64 in)\n{\n"
                          "    .reg .b32 %r<5>;\n    .reg .b64 %rd<3>;\n    .reg .pred %p<2>;\n"
                          "    ld.param.u64 %rd1, [in];\n"
                          "    mov.u32 %r1, %tid.x;\n"
                          "    mov.u32 %r2, 7;\n"
                          "    setp.ge.u32 %p1, %r1, 32;\n"
                          "    @%p1 bra MEET;\n"
                          "    ld.global.u32 %r2, [%rd1];\n"
                          "    add.u32 %r2, %r2, 1;\n"
                          "MEET:\n"
                          "    bar.sync 0;\n"
                          "    st.global.u32 [%rd1], %r2;\n"
                          "    ret;\n}\n";

enum { BLOCKS = 300, WARPS = 2, MOST_PLACES = 64, MOST_SMS = 64 };

struct heard {
    int times[BLOCKS]; /* that a block was told of */
    uint64_t place_free[MOST_SMS][MOST_PLACES];
    uint64_t until[MOST_PLACES]; /* of each warp's place on the first multiprocessor */
    uint64_t clocks[WARPS][TIMELINE_STATE_COUNT]; /* of block 0 */
    uint64_t last;
};

static void hear_block(void *self, int sm, int slot, uint64_t number, uint64_t begin, uint64_t end)
{
    struct heard *heard = self;

    assert_in_range(sm, 0, MOST_SMS - 1);
    assert_in_range(slot, 0, MOST_PLACES - 1);
    assert_in_range(number, 0, BLOCKS - 1);
    assert_true(begin < end);
    assert_true(begin >= heard->place_free[sm][slot]);
    heard->place_free[sm][slot] = end;
    heard->times[number]++;
    heard->last = end > heard->last ? end : heard->last;
}

static void hear_warp(void *self, int slot, uint64_t number, uint32_t warp,
                      enum timeline_state state, uint64_t begin, uint64_t end)
{
    struct heard *heard = self;

    assert_in_range(slot, 0, MOST_PLACES - 1);
    assert_in_range(warp, 0, WARPS - 1);
    assert_true(begin < end);
    assert_true(begin >= heard->until[slot]);
    heard->until[slot] = end;
    if (number == 0)
        heard->clocks[warp][state] += end - begin;
}

static struct heard hear(const struct gpu *gpu, int workers)
{
    struct heard heard = {.last = 0};
    const struct timeline timeline = {&heard, hear_block, hear_warp};
    char error[256] = "";
    struct machine *machine = machine_new(gpu, workers);
    struct ptx_module *module = parse_ptx(ptx, error, sizeof(error));
    struct program *program = machine_load(machine, module, error, sizeof(error));
    struct timing *timing = timing_new(machine, TIMING_BEST);
    uint64_t in = memory_allocate(machine, 4, MEMORY_DEVICE, NULL);
    struct fault fault = {.kind = FAULT_NONE};
    void *arguments[] = {&in};
    const struct launch_request request = {program_kernel(program, "meet"),
                                           {BLOCKS, 1, 1},
                                           {WARPS * WARP_SIZE, 1, 1},
                                           0,
                                           arguments,
                                           {0, 0, 0},
                                           0};

    timing_draw(timing, &timeline);
    machine_observe(machine, timing_observer(timing));
    timing_launch(timing, &request, &fault);
    assert_int_equal(fault.kind, FAULT_NONE);
    machine_unload(machine, program);
    machine_free(machine);
    timing_free(timing);
    return heard;
}

static void check(const struct gpu *gpu)
{
    const struct heard heard = hear(gpu, 1), again = hear(gpu, 3);

    /* All blocks, or, of a model that runs a sample, the first multiprocessor's. */
    const bool all = heard.times[1] > 0;
    for (int i = 0; i < BLOCKS; i++)
        assert_int_equal(heard.times[i], all || i % gpu->multiprocessors == 0);
    for (int warp = 0; warp < WARPS; warp++)
        assert_true(heard.clocks[warp][TIMELINE_ISSUES] > 0);
    /* Warp 0 waits for what it loads, from memory or L2, warp 1 at the barrier, nearly as long. */
    assert_true(heard.clocks[0][TIMELINE_MEMORY] >= (uint64_t)gpu->global_latency / 4);
    assert_true(heard.clocks[1][TIMELINE_BARRIER] >= (uint64_t)gpu->global_latency / 4);
    assert_int_equal(heard.clocks[1][TIMELINE_MEMORY], 0);
    assert_true(heard.clocks[0][TIMELINE_BARRIER] < heard.clocks[1][TIMELINE_BARRIER]);
    assert_memory_equal(&heard, &again, sizeof(heard));
}

TEST(test_every_model)
{
    char error[GPU_ERROR_SIZE];
    char *names = gpu_list(EMU_GPUS, error);
    struct gpu gpu;

    assert_non_null(names);
    for (char *rest, *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        assert_true(gpu_read(EMU_GPUS, name, &gpu, error));
        if (gpu.multiprocessors > MOST_SMS)
            gpu.multiprocessors = MOST_SMS;
        check(&gpu);
    }
    free(names);
}

TEST_MAIN()

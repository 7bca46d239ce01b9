/* SPDX-License-Identifier: MIT */
/* Observers that are told of requests in short count the same as beside one that wants every
 * instruction and every access, and a fault is the same. */
#include "observed.h"

/* walk: in each of 256 rounds all requests move on by a word, and every 16 rounds their lanes move
 * further apart; a guard lets ever more lanes through.
 * tiles: loads of all widths at elements that groups of lanes have in common, or one behind the
 * other; what is read of them is stored.
 * reach: a load at place, and two stores of lane i at place + i * step, the second one `further`
 * on. */
#define LOAD "    ld.shared.u32 %r7, [%r6];\n    add.u32 %r4, %r4, %r7;\n"
#define LOADS_5 LOAD LOAD LOAD LOAD LOAD
#define LOADS_25 LOADS_5 LOADS_5 LOADS_5 LOADS_5 LOADS_5
static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".const .align 4 .b8 table[4096];\n"
    ".visible .entry walk(.param .u64 in, .param .u64 out)\n{\n"
    "    .shared .align 16 .b8 words[8192];\n"
    "    .reg .b32 %r<12>;\n    .reg .b64 %rd<12>;\n    .reg .pred %p<4>;\n"
    "    ld.param.u64 %rd1, [in];\n"
    "    ld.param.u64 %rd2, [out];\n"
    "    mov.u32 %r1, %tid.x;\n"
    "    mov.u32 %r2, 0;\n"
    "    mov.u32 %r9, words;\n"
    "    mov.u64 %rd9, table;\n"
    "ROUND:\n"
    "    shr.u32 %r3, %r2, 4;\n" /* how far apart, in words */
    "    mul.lo.u32 %r4, %r3, %r1;\n"
    "    add.u32 %r4, %r4, %r2;\n"
    "    mul.wide.u32 %rd3, %r4, 4;\n"
    "    add.u64 %rd4, %rd1, %rd3;\n"
    "    ld.global.u32 %r5, [%rd4];\n"
    "    shr.u32 %r8, %r2, 3;\n"
    "    setp.lt.u32 %p1, %r1, %r8;\n"
    "    @%p1 ld.global.u32 %r6, [%rd4+4];\n"
    "    add.u64 %rd5, %rd2, %rd3;\n"
    "    @!%p1 st.global.u32 [%rd5], %r5;\n"
    "    @%p1 st.global.u8 [%rd5], %r6;\n"
    "    ld.u32 %r6, [%rd4];\n" /* generic */
    "    shl.b32 %r4, %r4, 2;\n"
    "    and.b32 %r7, %r4, 4095;\n"
    "    add.u32 %r7, %r7, %r9;\n"
    "    st.shared.u32 [%r7], %r1;\n"
    "    @%p1 ld.shared.u32 %r6, [%r7+12];\n"
    "    cvt.u64.u32 %rd6, %r7;\n"
    "    cvta.shared.u64 %rd6, %rd6;\n"
    "    ld.u16 %r6, [%rd6];\n"
    "    and.b32 %r7, %r7, -16;\n"
    "    ld.shared.v4.u32 {%r6, %r8, %r10, %r11}, [%r7];\n"
    "    and.b32 %r7, %r4, 4092;\n"
    "    cvt.u64.u32 %rd7, %r7;\n"
    "    add.u64 %rd7, %rd7, %rd9;\n"
    "    ld.const.u32 %r6, [%rd7];\n"
    "    mul.wide.u32 %rd8, %r1, 8;\n" /* in turn from shared and from global memory */
    "    cvt.u64.u32 %rd11, %r9;\n"
    "    cvta.shared.u64 %rd11, %rd11;\n"
    "    and.b32 %r7, %r2, 1;\n"
    "    setp.eq.u32 %p3, %r7, 0;\n"
    "    selp.b64 %rd11, %rd11, %rd1, %p3;\n"
    "    add.u64 %rd11, %rd11, %rd8;\n"
    "    ld.u32 %r6, [%rd11];\n"
    "    add.u32 %r2, %r2, 1;\n"
    "    setp.lt.u32 %p2, %r2, 256;\n"
    "    @%p2 bra ROUND;\n"
    "    ret;\n}\n"
    /* turns: loops whose turns make the same reports, or all but one; without a request; one in
     * another; one whose lanes leave it one by one; and one in which warps hold back other lanes,
     * load from other banks, and skip a load in more turns than the warp before; in front of it,
     * more requests in a row than are kept. */
    ".visible .entry turns(.param .u64 in, .param .u64 out)\n{\n"
    "    .shared .align 16 .b8 room[8192];\n"
    "    .reg .b32 %r<12>;\n    .reg .b64 %rd<6>;\n    .reg .pred %p<4>;\n"
    "    ld.param.u64 %rd1, [in];\n"
    "    ld.param.u64 %rd2, [out];\n"
    "    mov.u32 %r1, %tid.x;\n"
    "    mul.wide.u32 %rd3, %r1, 4;\n"
    "    add.u64 %rd1, %rd1, %rd3;\n"
    "    add.u64 %rd2, %rd2, %rd3;\n"
    "    mov.u32 %r3, room;\n"
    "    mov.u32 %r2, 0;\n"
    "    ld.global.u32 %r8, [%rd1+8192];\n"
    "SAME:\n"
    "    ld.global.u32 %r4, [%rd1];\n"
    "    setp.eq.u32 %p1, %r2, 70;\n"
    "    @%p1 add.u32 %r4, %r4, 1;\n"
    "    st.shared.u32 [%r3], %r4;\n"
    "    add.u64 %rd1, %rd1, 128;\n"
    "    add.u32 %r2, %r2, 1;\n"
    "    setp.lt.u32 %p2, %r2, 200;\n"
    "    @%p2 bra SAME;\n"
    "    bar.sync 0;\n" /* the next warp comes to the same loop */
    "    mov.u32 %r2, 0;\n"
    "ALONE:\n"
    "    mad.lo.u32 %r4, %r4, 3, %r2;\n"
    "    add.u32 %r2, %r2, 1;\n"
    "    setp.lt.u32 %p2, %r2, 100;\n"
    "    @%p2 bra ALONE;\n"
    "    bar.sync 0;\n"
    "    mov.u32 %r5, 0;\n"
    "OUTER:\n"
    "    mov.u32 %r2, 0;\n"
    "    mul.lo.u32 %r6, %r1, 8;\n"
    "    add.u32 %r6, %r6, %r3;\n"
    "INNER:\n"
    "    ld.shared.u32 %r7, [%r6];\n"
    "    add.u32 %r4, %r4, %r7;\n"
    "    setp.gt.u32 %p1, %r2, 5;\n"
    "    @%p1 bra BEHIND;\n"
    "    add.u32 %r6, %r6, 4;\n"
    "BEHIND:\n"
    "    st.global.u32 [%rd2], %r4;\n"
    "    add.u32 %r2, %r2, 1;\n"
    "    setp.lt.u32 %p2, %r2, 9;\n"
    "    @%p2 bra INNER;\n"
    "    add.u32 %r5, %r5, 1;\n"
    "    setp.lt.u32 %p2, %r5, 6;\n"
    "    @%p2 bra OUTER;\n"
    "    mov.u32 %r2, 0;\n"
    "    add.u32 %r4, %r4, %r8;\n"
    "LEAVE:\n"
    "    ld.shared.u32 %r7, [%r3];\n"
    "    add.u32 %r4, %r4, %r7;\n"
    "    add.u32 %r2, %r2, 1;\n"
    "    setp.lt.u32 %p2, %r2, %r1;\n"
    "    @%p2 bra LEAVE;\n"
    "    mov.u32 %r2, 0;\n"
    "    mov.u64 %rd4, %rd2;\n"
    "    shr.u32 %r9, %r1, 5;\n"
    "    mul.lo.u32 %r10, %r9, 7;\n"
    "    mul.lo.u32 %r6, %r9, %r1;\n"
    "    shl.b32 %r6, %r6, 3;\n"
    "    add.u32 %r6, %r6, %r3;\n" LOADS_25 LOADS_25 LOADS_25 "DIFFER:\n" LOADS_25 LOADS_25 LOADS_25
    "    setp.eq.u32 %p1, %r9, 1;\n"
    "    @%p1 add.u32 %r4, %r4, 1;\n"
    "    ld.shared.u32 %r7, [%r6];\n"
    "    setp.lt.u32 %p1, %r2, %r10;\n"
    "    @%p1 bra SKIP;\n"
    "    ld.global.u32 %r7, [%rd4];\n"
    "SKIP:\n"
    "    add.u64 %rd4, %rd4, 32;\n" /* from one line into the next */
    "    add.u32 %r4, %r4, %r7;\n"
    "    add.u32 %r2, %r2, 1;\n"
    "    setp.lt.u32 %p2, %r2, 25;\n"
    "    @%p2 bra DIFFER;\n"
    "    st.global.u32 [%rd2], %r4;\n"
    "    ret;\n}\n"
    ".visible .entry tiles(.param .u64 in, .param .u64 out)\n{\n"
    "    .reg .b32 %r<16>;\n    .reg .b64 %rd<16>;\n    .reg .pred %p<2>;\n"
    "    ld.param.u64 %rd1, [in];\n"
    "    ld.param.u64 %rd2, [out];\n"
    "    mov.u32 %r1, %tid.x;\n"
    "    mov.u32 %r2, 0;\n"
    "    mul.wide.u32 %rd3, %r1, 4;\n"
    "    add.u64 %rd2, %rd2, %rd3;\n"
    "AGAIN:\n"
    /* Lane i reads element (i & keep) * times + (i & same); all three are of this turn. */
    "    mul.wide.u32 %rd4, %r2, 12;\n"
    "    add.u64 %rd4, %rd4, %rd1;\n"
    "    ld.global.u32 %r3, [%rd4];\n"
    "    ld.global.u32 %r4, [%rd4+4];\n"
    "    ld.global.u32 %r5, [%rd4+8];\n"
    "    and.b32 %r6, %r1, %r3;\n"
    "    mul.lo.u32 %r6, %r6, %r4;\n"
    "    and.b32 %r7, %r1, %r5;\n"
    "    add.u32 %r6, %r6, %r7;\n"
    "    mul.wide.u32 %rd5, %r6, 4;\n"
    "    add.u64 %rd5, %rd5, %rd1;\n"
    "    mov.u32 %r8, 1;\n"
    "    mov.b64 %rd7, 1;\n"
    "    mov.u32 %r9, 1;\n"
    "    mov.u32 %r10, 1;\n"
    "    mov.u32 %r11, 1;\n"
    "    mov.u32 %r12, 1;\n"
    "    mov.u32 %r13, 1;\n"
    "    mov.u32 %r14, 1;\n"
    "    mov.b64 %rd9, 1;\n"
    "    mov.b64 %rd10, 1;\n"
    "    and.b32 %r15, %r1, %r2;\n"
    "    and.b32 %r15, %r15, 8;\n"
    "    setp.eq.u32 %p1, %r15, 0;\n"
    "    @%p1 ld.global.u32 %r8, [%rd5+1024];\n"
    "    mul.wide.u32 %rd6, %r6, 8;\n"
    "    add.u64 %rd6, %rd6, %rd1;\n"
    "    @%p1 ld.global.u64 %rd7, [%rd6+1024];\n"
    "    @%p1 ld.global.v2.u32 {%r9, %r10}, [%rd6+1024];\n"
    "    mul.wide.u32 %rd8, %r6, 16;\n"
    "    add.u64 %rd8, %rd8, %rd1;\n"
    "    @%p1 ld.global.v4.u32 {%r11, %r12, %r13, %r14}, [%rd8+1024];\n"
    "    @%p1 ld.global.v2.u64 {%rd9, %rd10}, [%rd8+1024];\n"
    "    mad.lo.u32 %r8, %r8, 3, %r9;\n"
    "    mad.lo.u32 %r8, %r8, 5, %r10;\n"
    "    mad.lo.u32 %r8, %r8, 7, %r11;\n"
    "    mad.lo.u32 %r8, %r8, 9, %r12;\n"
    "    mad.lo.u32 %r8, %r8, 11, %r13;\n"
    "    mad.lo.u32 %r8, %r8, 13, %r14;\n"
    "    add.u64 %rd9, %rd9, %rd10;\n"
    "    add.u64 %rd9, %rd9, %rd7;\n"
    "    shr.u64 %rd10, %rd9, 32;\n"
    "    cvt.u32.u64 %r9, %rd9;\n"
    "    cvt.u32.u64 %r10, %rd10;\n"
    "    mad.lo.u32 %r8, %r8, 15, %r9;\n"
    "    mad.lo.u32 %r8, %r8, 17, %r10;\n"
    "    st.global.u32 [%rd2], %r8;\n"
    "    add.u64 %rd2, %rd2, 256;\n"
    "    add.u32 %r2, %r2, 1;\n"
    "    setp.lt.u32 %p1, %r2, 16;\n"
    "    @%p1 bra AGAIN;\n"
    "    ret;\n}\n"
    ".visible .entry reach(.param .u64 place, .param .u64 step, .param .u64 further)\n{\n"
    "    .reg .b32 %r<3>;\n    .reg .b64 %rd<7>;\n    .reg .pred %p;\n"
    "    ld.param.u64 %rd1, [place];\n"
    "    ld.param.u64 %rd2, [step];\n"
    "    ld.param.u64 %rd3, [further];\n"
    "    ld.global.u32 %r1, [%rd1];\n"
    "    mov.u32 %r1, %tid.x;\n"
    "    cvt.u64.u32 %rd4, %r1;\n"
    "    mul.lo.u64 %rd4, %rd4, %rd2;\n"
    "    add.u64 %rd1, %rd1, %rd4;\n"
    "    mov.u32 %r2, 0;\n"
    "AGAIN:\n"
    "    st.global.u32 [%rd1], %r1;\n"
    "    add.u64 %rd1, %rd1, %rd3;\n"
    "    add.u32 %r2, %r2, 1;\n"
    "    setp.lt.u32 %p, %r2, 2;\n"
    "    @%p bra AGAIN;\n"
    "    ret;\n}\n";

static void hear_instruction(void *self, const struct instruction_event *event)
{
    ++*(int *)self;
    (void)event;
}

/* A price that is kept is that of these addresses, and from the first of these without gaps to the
 * last, all sectors are used. */
static void hear_access(void *self, const struct access_event *event)
{
    const struct gpu *gpu = machine_gpu(warp_launch(event->warp)->machine);
    const struct price price =
        request_price(gpu, event->kind, event->space, event->lanes, event->addresses, event->bytes);

    const struct price kept = access_price(event);

    ++*(int *)self;
    assert_memory_equal(&price, &kept, sizeof(price));
    if (event->gapless && event->space == PTX_GLOBAL)
        assert_int_equal(price.global.sectors,
                         coalesce_span(event->low, event->high + event->bytes).sectors);
}

static struct observed start(enum coalescing rule, int bank_lanes, int *heard)
{
    struct gpu gpu = test_gpu(75);

    gpu.coalescing = rule;
    gpu.bank_lanes = bank_lanes;
    gpu.banks = bank_lanes;
    const struct observed observed = observe_ptx(&gpu, 1, ptx);
    if (heard)
        machine_observe(observed.machine, &(struct observer){.self = heard,
                                                             .instruction = hear_instruction,
                                                             .access = hear_access});
    return observed;
}

/* Counters and times of a kernel that runs three times, and how often a listener was told of
 * something. */
static char *count(const char *kernel, enum coalescing rule, int bank_lanes, int *heard)
{
    struct observed observed = start(rule, bank_lanes, heard);
    uint64_t arguments[] = {observed_memory(&observed, 65536), observed_memory(&observed, 65536)};
    char *text = NULL;
    size_t size;

    observed_launch(&observed, kernel, 3, 75, arguments, 2);
    for (int i = 0; i < 2; i++) {
        observed_launch(&observed, kernel, 2, 64, arguments, 2);
        arguments[0] += 4; /* where the same comes to more sectors */
    }
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    profile_set_timing(observed.profile, observed.timing);
    profile_print(observed.profile, file, true);
    fprintf(file, "%.17g ms\n", timing_now_ms(observed.timing));
    fclose(file);
    observed_free(&observed);
    return text;
}

TEST(test_counters)
{
    static const struct {
        enum coalescing rule;
        int bank_lanes;
    } gpus[] = {{COALESCE_SECTORS, 32}, {COALESCE_HALF_WARP, 16}, {COALESCE_SEGMENTS, 16}};
    static const char *const kernels[] = {"walk", "turns"};

    for (size_t i = 0; i < sizeof(gpus) / sizeof(*gpus); i++) {
        for (int k = 0; k < 2; k++) {
            int heard = 0;
            char *brief = count(kernels[k], gpus[i].rule, gpus[i].bank_lanes, NULL);
            char *full = count(kernels[k], gpus[i].rule, gpus[i].bank_lanes, &heard);
            assert_string_equal(brief, full);
            assert_true(heard > 3 * 3 * 200 * 8);
            free(brief);
            free(full);
        }
    }
}

/* How two stores end, the second one `further` on. */
static void reach(struct observed *observed, int64_t from, int64_t step, int64_t further,
                  struct fault *fault)
{
    const uint64_t place = observed_memory(observed, 4096) + (uint64_t)from;
    void *arguments[] = {(void *)&place, &step, &further};
    const struct launch_request request = {.kernel = program_kernel(observed->program, "reach"),
                                           .grid = {1, 1, 1},
                                           .block = {32, 1, 1},
                                           .arguments = arguments};

    timing_launch(observed->timing, &request, fault);
}

TEST(test_faults)
{
    static const struct {
        int64_t from, step, further;
        bool fails;
    } cases[] = {
        {0, 4, 4, false},
        {0, 4, -4, true},
        {4092 - 124, 4, 4, true},
        {4092 - 124, 4, 0, false},
        {0, 4, 2, true},
        {4092, -4, 0, false},
        {4092, -4, 4, true},
        {124, -4, -4, true},
        {0, 4, INT64_MIN, true},
        {0, 0, 4092, false},
        {0, 0, 4096, true},
        {0, 1, 0, true},
        {0, INT64_MAX - 3, 0, true},
        {2048, INT64_C(1) << 59, 0, true},
        {2048, -(INT64_C(1) << 58), 0, true},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct fault brief = {0}, full = {0};
        int heard = 0;
        struct observed observed = start(COALESCE_SECTORS, 32, NULL);
        reach(&observed, cases[i].from, cases[i].step, cases[i].further, &brief);
        observed_free(&observed);
        observed = start(COALESCE_SECTORS, 32, &heard);
        reach(&observed, cases[i].from, cases[i].step, cases[i].further, &full);
        observed_free(&observed);
        assert_int_equal(brief.kind != FAULT_NONE, cases[i].fails);
        assert_int_equal(brief.kind, full.kind);
        /* Where the memory lies may differ. */
        assert_int_equal(strncmp(brief.message, full.message, strlen("out-of-bounds store of 4")),
                         0);
        const char *where = strstr(brief.message, " in kernel");
        assert_true(!where == !cases[i].fails);
        if (where)
            assert_string_equal(where, strstr(full.message, " in kernel"));
    }
}

static const uint32_t turns[8][3] = {{~0u, 1, 0}, {0, 0, 0},    {~15u, 2, 15}, {~7u, 3, 7},
                                     {16, 1, 15}, {~15u, 4, 0}, {~7u, 1, 0},   {~3u, 5, 3}};

/* What lane `i` stores in turn `t`; `in` is behind the turns. */
static uint32_t tile_value(const uint32_t *in, uint32_t i, uint32_t t)
{
    const uint32_t *turn = turns[t % 8];
    const uint32_t at = (i & turn[0]) * turn[1] + (i & turn[2]);
    const uint32_t *pair = &in[at * 2], *four = &in[at * 4];
    const bool reads = (i & t & 8) == 0;
    uint32_t sum = reads ? in[at] : 1;
    uint64_t wide = 3;

    sum = sum * 3 + (reads ? pair[0] : 1);
    sum = sum * 5 + (reads ? pair[1] : 1);
    for (uint32_t k = 0; k < 4; k++)
        sum = sum * (7 + 2 * k) + (reads ? four[k] : 1);
    if (reads)
        wide = (pair[0] | (uint64_t)pair[1] << 32) + (four[0] | (uint64_t)four[1] << 32) +
               (four[2] | (uint64_t)four[3] << 32);
    sum = sum * 15 + (uint32_t)wide;
    return sum * 17 + (uint32_t)(wide >> 32);
}

static void run_tiles(int *heard)
{
    struct observed observed = start(COALESCE_SECTORS, 32, heard);
    uint64_t arguments[] = {observed_memory(&observed, 65536), observed_memory(&observed, 4096)};
    uint32_t *in = memory_host(observed.machine, arguments[0]),
             *out = memory_host(observed.machine, arguments[1]);

    for (uint32_t i = 0; i < 16384; i++)
        in[i] = i * 2654435761u;
    memcpy(in, turns, sizeof(turns));
    memcpy(in + 24, turns, sizeof(turns));
    observed_launch(&observed, "tiles", 1, 64, arguments, 2);
    for (uint32_t t = 0; t < 16; t++)
        for (uint32_t i = 0; i < 64; i++)
            assert_int_equal(out[t * 64 + i], tile_value(in + 256, i, t));
    observed_free(&observed);
}

TEST(test_values)
{
    int heard = 0;

    run_tiles(NULL);
    run_tiles(&heard);
}

TEST_MAIN()

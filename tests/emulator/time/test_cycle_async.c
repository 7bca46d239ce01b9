/* SPDX-License-Identifier: MIT */
/* The cycle model of time: copies in the background, barriers in shared memory, clusters. */
#include "observed.h"

/* In all of them %r1 counts rounds down and %r8 is where in shared memory the thread has 16 bytes.
 * lanes_all, lanes_but_3: each thread copies 16 bytes a round and waits for all copies, or for all
 * but the last three.
 * lanes_none: nobody waits.
 * bulk, bulk_nobody: thread 0 asks for `size` bytes, and waits at their barrier, or does not.
 * late: the last warp is slow, all others wait for it at a barrier in shared memory, and then the
 * first is; they meet.
 * follow: a chain through shared memory of the block whose rank is the second argument.
 * meet, meet_block: all wait for the cluster, or for the block.
 * send: each thread sends 4 bytes to the other block, which waits for them. */
#define ROUNDS(name, parameters, more, before, round)                                         \
    ".visible .entry " name "(.param .u64 from, .param .u64 rounds, .param .u64 more)\n" more \
    "{\n"                                                                                     \
    "    .reg .b32 %r<16>;\n    .reg .b64 %rd<8>;\n    .reg .pred %p<4>;\n"                   \
    "    .shared .align 128 .b8 room[32768];\n    .shared .align 8 .b64 met;\n"               \
    "    ld.param.u64 %rd1, [from];\n    ld.param.u32 %r1, [rounds];\n"                       \
    "    ld.param.u32 %r2, [more];\n    mov.u32 %r3, %tid.x;\n    mov.u32 %r4, room;\n"       \
    "    mov.u32 %r5, met;\n    mov.u32 %r6, 0;\n    shl.b32 %r7, %r3, 4;\n"                  \
    "    add.u32 %r8, %r4, %r7;\n    cvt.u64.u32 %rd2, %r7;\n    add.u64 %rd1, %rd1, %rd2;\n" \
    "    setp.eq.u32 %p1, %r3, 0;\n" before "NEXT:\n    .pragma \"nounroll\";\n" round        \
    "    add.u32 %r6, %r6, 1;\n    sub.u32 %r1, %r1, 1;\n    setp.ne.u32 %p2, %r1, 0;\n"      \
    "    @%p2 bra NEXT;\n" parameters "    ret;\n}\n"
#define INIT(count)                                              \
    "    @%p1 mbarrier.init.shared::cta.b64 [%r5], " count ";\n" \
    "    bar.sync 0;\n"
#define COPY                                                                         \
    "    cp.async.cg.shared.global [%r8], [%rd1], 16;\n    cp.async.commit_group;\n" \
    "    add.u64 %rd1, %rd1, 512;\n"
#define ASK                                                                                     \
    "    @!%p1 bra ASKED;\n"                                                                    \
    "    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], %r2;\n"                            \
    "    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%rd1], %r2," \
    " [%r5];\nASKED:\n"
#define WAIT                                                          \
    "    and.b32 %r9, %r6, 1;\nAGAIN:\n"                              \
    "    mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r5], %r9;\n" \
    "    @!%p3 bra AGAIN;\n"
/* Only threads `first` to `last` do it. */
#define SLOW(label, first, last)                                                           \
    "    setp.lt.u32 %p3, %r3, " first ";\n    @%p3 bra QUICK" label ";\n"                 \
    "    setp.ge.u32 %p3, %r3, " last ";\n    @%p3 bra QUICK" label ";\n"                  \
    "    mov.u32 %r11, 500;\nSLOWLY" label ":\n    .pragma \"nounroll\";\n"                \
    "    sub.u32 %r11, %r11, 1;\n    setp.ne.u32 %p3, %r11, 0;\n    @%p3 bra SLOWLY" label \
    ";\nQUICK" label ":\n"
#define PAIR ".explicitcluster .reqnctapercluster 2, 1, 1\n"
#define MEET "    barrier.cluster.arrive.relaxed.aligned;\n    barrier.cluster.wait.aligned;\n"
static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n" ROUNDS(
    "lanes_all", "", "", "",
    COPY "    cp.async.wait_group 0;\n") ROUNDS("lanes_but_3", "    cp.async.wait_all;\n", "", "",
                                                COPY "    cp.async.wait_group 3;\n")
    ROUNDS("lanes_none", "", "", "", COPY) ROUNDS("bulk", "", "", INIT("1"), ASK WAIT)
        ROUNDS("bulk_nobody", WAIT, "", INIT("%r1"), ASK) ROUNDS(
            "late", "", "",
            "    mov.u32 %r12, %ntid.x;\n    sub.u32 %r13, %r12, 32;\n" INIT("%r12"),
            SLOW("1", "%r13", "%r12") "    mbarrier.arrive.shared::cta.b64 _, [%r5];\n" WAIT SLOW(
                "2", "0", "32") "    bar.sync 0;\n")
            ROUNDS("follow", MEET, PAIR,
                   "    mapa.shared::cluster.u32 %r4, %r4, %r2;\n"
                   "    st.shared.u32 [%r8], 0;\n    mov.u32 %r9, 0;\n" MEET,
                   "    add.u32 %r10, %r4, %r9;\n"
                   "    ld.shared::cluster.u32 %r9, [%r10];\n") ROUNDS("meet", "", PAIR, "", MEET)
                ROUNDS("meet_block", "", "", "", "    bar.sync 0;\n")
                    ROUNDS("send", MEET, PAIR,
                           INIT("1") "    mov.u32 %r10, %cluster_ctarank;\n"
                                     "    xor.b32 %r10, %r10, 1;\n"
                                     "    mapa.shared::cluster.u32 %r11, %r8, %r10;\n"
                                     "    mapa.shared::cluster.u32 %r12, %r5, %r10;\n" MEET,
                           "    @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], "
                           "%r2;\n"
                           "    st.async.weak.shared::cluster.mbarrier::complete_tx::bytes"
                           ".u32 [%r11], %r1, [%r12];\n" WAIT "    bar.sync 0;\n");

static struct observed start(int workers)
{
    const struct gpu gpu = observed_h200(64 << 20);
    return observe_ptx_by(&gpu, workers, ptx, TIMING_BEST);
}

/* Clocks of a round of a launch, by the difference between many rounds and few, the second time:
 * then all is in L2. */
static double round_of(const struct observed *observed, const char *name, uint32_t blocks,
                       uint32_t threads, uint64_t more)
{
    enum { FEW = 16, MANY = 80 };
    const uint64_t from = observed_memory(observed, 1 << 20);
    double ms[2];

    for (int i = 0; i < 2; i++) {
        uint64_t arguments[] = {from, i ? MANY : FEW, more};
        for (int k = 0; k < 2; k++)
            observed_launch(observed, name, blocks, threads, arguments, 3);
        ms[i] = timing_last(observed->timing).ms;
    }
    return (ms[1] - ms[0]) * machine_gpu(observed->machine)->clock_khz / (MANY - FEW);
}

/* A wait takes as long as the copy is under way; with three more under way a fourth of that. */
TEST(test_copies_are_waited_for)
{
    struct observed observed = start(1);
    const struct gpu *gpu = machine_gpu(observed.machine);
    const double all = round_of(&observed, "lanes_all", 1, 32, 0);
    const double but_3 = round_of(&observed, "lanes_but_3", 1, 32, 0);
    const double none = round_of(&observed, "lanes_none", 1, 32, 0);

    assert_in_range((int)all, gpu->l2_latency + gpu->copy_latency,
                    gpu->l2_latency + gpu->copy_latency + 40);
    assert_in_range((int)but_3, (int)all / 4 - 5, (int)all / 4 + 5);
    assert_true(none < 40);
    observed_free(&observed);
}

/* So it is with bulk copies, which take a clock or more for each line. Who asks for them without
 * waiting is held all the same. */
TEST(test_bulk_copies_are_waited_for)
{
    struct observed observed = start(1);
    const struct gpu *gpu = machine_gpu(observed.machine);
    const double small = round_of(&observed, "bulk", 1, 32, 128);
    const double large = round_of(&observed, "bulk", 1, 32, 16384);
    const double nobody = round_of(&observed, "bulk_nobody", 1, 32, 128);

    assert_true(small > gpu->bulk_latency + gpu->l2_latency + gpu->mbarrier_latency);
    assert_true(small < gpu->bulk_latency + gpu->l2_latency + 3 * gpu->mbarrier_latency + 40);
    assert_in_range((int)(large - small), (int)(126 * gpu->bulk_line_clocks),
                    (int)(130 * gpu->bulk_line_clocks));
    assert_in_range((int)nobody, gpu->bulk_latency + gpu->bulk_clocks,
                    gpu->bulk_latency + gpu->bulk_clocks + 40);
    observed_free(&observed);
}

/* Who waits at a barrier in shared memory goes on when the last has come, and not later. */
TEST(test_the_last_one_opens)
{
    struct observed observed = start(1);
    const double alone = round_of(&observed, "late", 1, 32, 0);
    const double eight = round_of(&observed, "late", 1, 256, 0);

    assert_true(alone > 2 * 500 * 4);
    assert_float_equal(eight, alone, alone / 20);
    observed_free(&observed);
}

/* Another block's shared memory is further off than one's own; a barrier of two blocks costs more
 * than one of a block. */
TEST(test_clusters_are_further_apart)
{
    struct observed observed = start(1);
    const struct gpu *gpu = machine_gpu(observed.machine);
    const double own = round_of(&observed, "follow", 2, 32, 0);
    const double other = round_of(&observed, "follow", 2, 32, 1);
    const double meet = round_of(&observed, "meet", 2, 32, 0);
    const double block = round_of(&observed, "meet_block", 2, 32, 0);
    const double send = round_of(&observed, "send", 2, 32, 128);

    assert_in_range((int)own, gpu->cluster_own_latency, gpu->cluster_own_latency + 30);
    assert_in_range((int)other, gpu->cluster_latency, gpu->cluster_latency + 30);
    assert_true(meet > gpu->cluster_barrier_latency && meet > 2 * block);
    assert_true(send > gpu->cluster_latency + 32 * gpu->send_clocks + gpu->mbarrier_latency);
    observed_free(&observed);
}

/* The same, to the last bit, whoever runs the blocks. */
TEST(test_any_number_of_workers)
{
    static const char *const names[] = {"lanes_all", "bulk", "meet", "follow", "send"};
    enum { COUNT = sizeof(names) / sizeof(names[0]) };
    double first[COUNT] = {0};

    for (int workers = 1; workers <= 5; workers += 2) {
        struct observed observed = start(workers);
        uint64_t arguments[] = {observed_memory(&observed, 1 << 20), 16, 128};
        for (int i = 0; i < COUNT; i++) {
            arguments[2] = i == 3 ? 1 : 128;
            observed_launch(&observed, names[i], 264, 32, arguments, 3);
            const double time = timing_last(observed.timing).ms;
            if (workers > 1)
                assert_float_equal(time, first[i], 0);
            first[i] = time;
        }
        observed_free(&observed);
    }
}

TEST_MAIN()

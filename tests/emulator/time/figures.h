/* SPDX-License-Identifier: MIT */
/* The table of test_figures.c: figures, the kernels that live by them, and those that do not. */
#ifndef FIGURES_H
#define FIGURES_H

#include <stdbool.h>

enum { WITH = 2 };

/* A kernel: `times` times `each`. */
struct work {
    int times;
    const char *each, *before, *after;
};

/* Where it runs: on a GPU with some figures of its own. */
struct trial {
    const char *gpu;
    bool plain; /* the plain model */
    int blocks, threads, cluster;
    struct work work;
    struct {
        const char *figure;
        double value;
    } with[WITH];
};

/* `factor` times the figure, the time of the trial's work is `least` times what it was, or further
 * from 1; that of `still` is what it was. NULL: there is no kernel without it. */
struct figure {
    const char *name;
    double factor, least;
    struct trial trial;
    const struct work *still;
};

/* The trial's work takes `least` to `most` times as long as the other. */
struct rule {
    const char *name;
    double least, most;
    struct trial trial;
    struct work other;
};

/* Where a thread is at home: %rd2, %rd3 and %rd4 are 4, 16 and 128 bytes apart. */
#define HOME                                                                            \
    "    mov.u32 %r1, %tid.x;\n    mov.u32 %r2, %ctaid.x;\n    mov.u32 %r3, %ntid.x;\n" \
    "    mad.lo.u32 %r2, %r2, %r3, %r1;\n    mul.wide.u32 %rd2, %r2, 4;\n"              \
    "    mul.wide.u32 %rd3, %r2, 16;\n    mul.wide.u32 %rd4, %r2, 128;\n"               \
    "    add.u64 %rd2, %rd1, %rd2;\n    add.u64 %rd3, %rd1, %rd3;\n"                    \
    "    add.u64 %rd4, %rd1, %rd4;\n    mul.wide.u32 %rd7, %r2, 8;\n"                   \
    "    add.u64 %rd7, %rd1, %rd7;\n"
/* Shared memory: %r10 is its beginning, %r11 and %r12 the thread's words, 4 and 8 bytes apart. */
#define ROOM_OF(bytes)                                                                 \
    "    .shared .align 128 .b8 room[" #bytes "];\n    mov.u32 %r10, room;\n"          \
    "    mov.u32 %r1, %tid.x;\n    shl.b32 %r11, %r1, 2;\n    shl.b32 %r12, %r1, 3;\n" \
    "    add.u32 %r11, %r11, %r10;\n    add.u32 %r12, %r12, %r10;\n"                   \
    "    st.shared.u32 [%r11], 0;\n"
#define ROOM ROOM_OF(8192)
/* %r30 rounds of what is between. */
#define LOOP(rounds)                          \
    "    mov.u32 %r30, " #rounds ";\nNEXT:\n" \
    "    .pragma \"nounroll\";\n"
#define END_LOOP                                                  \
    "    sub.u32 %r30, %r30, 1;\n    setp.ne.u32 %p3, %r30, 0;\n" \
    "    @%p3 bra NEXT;\n"

/* Chains: each waits for the one before. */
#define FMA(n) "    fma.rn.f32 %f" #n ", %f" #n ", %f8, %f9;\n"
#define MAX(n) "    max.s32 %r" #n ", %r" #n ", %r20;\n"
#define MUL(n) "    mul.lo.s32 %r" #n ", %r" #n ", %r20;\n"
#define ADD(n) "    add.s32 %r" #n ", %r" #n ", %r20;\n"
#define FMA64(n) "    fma.rn.f64 %d" #n ", %d" #n ", %d6, %d7;\n"
#define EX2(n) "    ex2.approx.ftz.f32 %f" #n ", %f" #n ";\n"
#define TO_INT(n) "    cvt.rzi.s32.f32 %r" #n ", %f9;\n"
#define MMA(a, b, c, d)                                                                          \
    "    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f" #a ", %f" #b ", %f" #c ", %f" #d \
    "}, {%r20, %r20, %r20, %r20}, {%r20, %r20}, "                                                \
    "{%f" #a ", %f" #b ", %f" #c ", %f" #d "};\n"
/* By four warps; the factors are zeros, all in one place. */
#define WGMMA(a, b, c, d)                                                                          \
    "    wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f" #a ", %f" #b ", %f" #c ", %f" #d \
    "}, %rd8, %rd8, 1, 1, 1, 0, 0;\n"
#define BEGIN_WGMMA ROOM "    mov.b64 %rd8, 0;\n    wgmma.fence.sync.aligned;\n"
#define AWAIT_WGMMA "    wgmma.commit_group.sync.aligned;\n    wgmma.wait_group.sync.aligned 0;\n"
#define HOP "    ld.shared.u32 %r9, [%r10];\n    add.u32 %r10, %r10, %r9;\n"
#define GO(how, size) \
    "    ld.global" how ".u64 %rd8, [%rd" size "];\n    add.u64 %rd" size ", %rd" size ", %rd8;\n"
#define READ_4 "    ld.global.u32 %r4, [%rd2];\n"
#define READS                                                          \
    "    ld.global.u32 %r4, [%rd2];\n    ld.global.u32 %r5, [%rd2];\n" \
    "    ld.global.u32 %r6, [%rd2];\n    ld.global.u32 %r7, [%rd2];\n"
#define READ_8 "    ld.global.v2.u32 {%r4, %r5}, [%rd7];\n"
#define READ_16 "    ld.global.cg.v4.u32 {%r4, %r5, %r6, %r7}, [%rd3];\n"
#define READ_16_TOO "    ld.global.cg.v4.u32 {%r20, %r21, %r22, %r23}, [%rd3];\n"
#define STEP "    add.u64 %rd3, %rd3, 2162688;\n"
#define WRITE_16 "    st.global.v4.u32 [%rd3], {%r4, %r5, %r6, %r7};\n"

#define ON_4K GO("", "4") "    add.u64 %rd4, %rd4, 4096;\n"
#define FAR_4K GO(".cg", "4") "    add.u64 %rd4, %rd4, 4096;\n"
/* So much that it is not in the way twice. */
#define STREAM READ_16 STEP READ_16_TOO STEP
#define OPERAND(n, from) \
    "    ld.shared.f32 %f" #n ", [" from "];\n    add.f32 %f1, %f1, %f" #n ";\n"
#define OPERANDS(from) OPERAND(2, from) OPERAND(3, from) OPERAND(4, from) OPERAND(5, from)
/* Each block fetches 8 times as much as its threads are, round and round. */
#define TEXTURE \
    "    ld.param.u64 %rd5, [texture];\n    mov.u32 %r8, %tid.x;\n    mov.u32 %r9, %ntid.x;\n"
#define FETCH_TO(a, b, c, d)                                                           \
    "    tex.1d.v4.f32.s32 {%f" #a ", %f" #b ", %f" #c ", %f" #d "}, [%rd5, {%r8}];\n" \
    "    add.u32 %r8, %r8, %r9;\n"
#define FETCH_4 \
    FETCH_TO(0, 1, 2, 3) FETCH_TO(4, 5, 6, 7) FETCH_TO(8, 9, 10, 11) FETCH_TO(12, 13, 14, 15)
#define FETCHES FETCH_4 FETCH_4 "    mov.u32 %r8, %tid.x;\n"

/* Bulk copies of %r15 bytes: thread 0 (%p1) asks; all wait at a barrier. */
#define INIT(count)                                                                  \
    "    .shared .align 8 .b64 met;\n    mov.u32 %r13, met;\n    mov.u32 %r14, 0;\n" \
    "    setp.eq.u32 %p1, %r1, 0;\n"                                                 \
    "    @%p1 mbarrier.init.shared::cta.b64 [%r13], " #count ";\n    bar.sync 0;\n"
#define ASK                                                                               \
    "    @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r13], %r15;\n"               \
    "    @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], " \
    "[%rd1], %r15, [%r13];\n"
#define AWAIT                                                                          \
    "    {\nAGAIN:\n    mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r13], %r14;\n" \
    "    @!%p2 bra AGAIN;\n    xor.b32 %r14, %r14, 1;\n    }\n"
/* The way back: thread 0 stores %r15 bytes at %rd4, or adds them. */
#define PUT "    @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd4], [%r10], %r15;\n"
#define PUT_ADDED                                                                          \
    "    @%p1 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd4], [%r10], " \
    "%r15;\n"
#define AWAIT_PUT "    @%p1 cp.async.bulk.commit_group;\n    @%p1 cp.async.bulk.wait_group 0;\n"
#define AWAIT_READ \
    "    @%p1 cp.async.bulk.commit_group;\n    @%p1 cp.async.bulk.wait_group.read 0;\n"
#define FIRST_OF(bytes) \
    HOME ROOM_OF(32768) "    setp.eq.u32 %p1, %r1, 0;\n    mov.u32 %r15, " #bytes ";\n"
#define MEET "    barrier.cluster.arrive.relaxed.aligned;\n    barrier.cluster.wait.aligned;\n"
#define REMOTE(rank) "    mapa.shared::cluster.u32 %r16, %r10, " #rank ";\n" MEET
#define FAR_HOP "    ld.shared::cluster.u32 %r9, [%r16];\n    add.u32 %r16, %r16, %r9;\n"

static const struct work hops = {64, HOP, ROOM, NULL};
static const struct work sums = {64, FMA(1), NULL, NULL};
static const struct work meetings = {64, "    bar.sync 0;\n", NULL, NULL};

#define ON(name, number, lanes, ...)                                             \
    {                                                                            \
        .gpu = name, .blocks = number, .threads = lanes, .work = { __VA_ARGS__ } \
    }
#define PLAIN(name, number, lanes, ...)                                                         \
    {                                                                                           \
        .gpu = name, .plain = true, .blocks = number, .threads = lanes, .work = { __VA_ARGS__ } \
    }

#define H200(blocks, threads, ...) ON("h200", blocks, threads, __VA_ARGS__)
/* One of its figures is another one. */
#define WITH_FIGURE(name, changed, to, number, lanes, ...)                                \
    {                                                                                     \
        .gpu = name, .blocks = number, .threads = lanes, .work = {__VA_ARGS__}, .with = { \
            {changed, to}                                                                 \
        }                                                                                 \
    }
#define SMS 132

static const struct figure figures[] = {
    /* --- The cycle model: units --- */
    {"clock_khz", 2, 0.55, H200(1, 32, 64, FMA(1)), NULL},
    {"launch_us", 2, 1.5, H200(1, 32, 64, FMA(1)), NULL},
    {"schedulers", 0.5, 1.7, H200(1, 1024, 16, FMA(1) MAX(8) FMA(2) MUL(9)), NULL},
    {"multiprocessors", 0.5, 1.8, H200(SMS * 4, 1024, 16, FMA(1) FMA(2)), NULL},
    {"float_lanes", 0.5, 1.8, H200(1, 1024, 32, FMA(1) FMA(2)), &hops},
    {"integer_lanes", 0.5, 1.8, H200(1, 1024, 32, MAX(8) MAX(9)), &sums},
    {"integer_lanes", 0.5, 1.8, H200(1, 1024, 32, MUL(8) MUL(9)), &sums},
    {"special_lanes", 0.5, 1.8, H200(1, 1024, 32, EX2(1) EX2(2)), &sums},
    {"convert_lanes", 0.5, 1.8, H200(1, 1024, 32, TO_INT(8) TO_INT(9)), &sums},
    {"double_lanes", 0.5, 1.8, H200(1, 1024, 32, FMA64(1) FMA64(2)), &sums},
    {"arithmetic_latency", 2, 1.9, H200(1, 32, 64, FMA(1)), &meetings},
    {"special_latency", 2, 1.8, H200(1, 32, 64, EX2(1)), &sums},
    {"convert_latency", 2, 1.6,
     H200(1, 32, 64, "    cvt.rn.f32.s32 %f1, %r8;\n    cvt.rzi.s32.f32 %r8, %f1;\n"), &sums},
    {"double_latency", 2, 1.8, H200(1, 32, 64, FMA64(1)), &sums},
    {"shuffle_latency", 2, 1.8, H200(1, 32, 64, "    shfl.sync.idx.b32 %r8, %r8, 0, 31, -1;\n"),
     &sums},
    {"predicate_latency", 2, 1.5,
     H200(1, 32, 64, "    setp.ne.u32 %p1, %r8, 0;\n    vote.sync.ballot.b32 %r8, %p1, -1;\n"),
     &sums},
    {"tensor_products", 0.5, 1.8, H200(1, 1024, 16, MMA(1, 2, 3, 4) MMA(5, 6, 7, 8)), &sums},
    {"tensor_latency", 2, 1.8, H200(1, 32, 64, MMA(1, 2, 3, 4)), &sums},
    {"wgmma_products", 0.5, 1.8,
     H200(1, 1024, 32, WGMMA(1, 2, 3, 4) WGMMA(1, 2, 3, 4), BEGIN_WGMMA, AWAIT_WGMMA), &sums},
    {"tensor_latency", 2, 1.5, H200(1, 128, 16, WGMMA(1, 2, 3, 4) AWAIT_WGMMA, BEGIN_WGMMA), &sums},
    {"jump_latency", 2, 1.3, H200(1, 32, 1, FMA(1), LOOP(64), END_LOOP), &sums},
    {"code_clocks", 2, 1.5,
     WITH_FIGURE("h200", "code_instructions", 128, 1, 32, 64, FMA(1) FMA(2) FMA(3) FMA(4), LOOP(4),
                 END_LOOP),
     NULL},
    {"code_chunk", 2, 0.8, H200(1, 32, 64, FMA(1) FMA(2) FMA(3) FMA(4)), &sums},
    {"code_instructions", 0.5, 1.3,
     WITH_FIGURE("h200", "code_instructions", 384, 1, 32, 64, FMA(1) FMA(2) FMA(3) FMA(4), LOOP(4),
                 END_LOOP),
     &sums},
    /* Shared memory. */
    {"shared_latency", 2, 1.6, H200(1, 32, 64, HOP, ROOM), &sums},
    {"shared_latency", 2, 1.8, H200(1, 32, 64, "    fence.proxy.async;\n"), &sums},
    {"banks", 0.5, 1.5, H200(1, 1024, 32, "    ld.shared.u32 %r8, [%r11];\n", ROOM), &sums},
    {"bank_lanes", 0.5, 1.5, H200(1, 1024, 32, "    ld.shared.u32 %r8, [%r11];\n", ROOM), &sums},
    {"shared_swap_clocks", 2, 1.8,
     H200(1, 1024, 32, "    atom.shared.add.f32 %f1, [%r10], %f1;\n", ROOM), &hops},
    {"shared_swap_latency", 2, 1.8,
     H200(1, 32, 32, "    atom.shared.add.f32 %f1, [%r10], %f1;\n", ROOM), &hops},
    /* Global memory. */
    {"l1_latency", 2, 1.5, H200(1, 32, 64, GO("", "3"), HOME), &hops},
    {"l1_latency", 2, 1.2,
     H200(1, 32, 64,
          "    tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd5, {%r8}];\n"
          "    cvt.rzi.s32.f32 %r8, %f1;\n",
          "    ld.param.u64 %rd5, [texture];\n"),
     &hops},
    {"l1_bytes", 0.5, 1.5,
     WITH_FIGURE("h200", "l1_bytes", 32768, 1, 32, 16,
                 ON_4K ON_4K ON_4K ON_4K ON_4K "    sub.u64 %rd4, %rd4, 20480;\n", HOME),
     &hops},
    {"tag_clocks", 2, 1.5, H200(1, 512, 16, "    ld.global.u32 %r8, [%rd4];\n", HOME), &hops},
    {"sector_latency", 20, 1.5, H200(1, 32, 64, GO(".cg", "7"), HOME), &hops},
    {"l2_latency", 2, 1.7, H200(1, 32, 64, GO(".cg", "3"), HOME), &sums},
    {"l2_far_latency", 2, 1.2, WITH_FIGURE("h200", "l2_bytes", 1 << 20, 1, 32, 160, FAR_4K, HOME),
     &hops},
    {"l2_bytes", 0.5, 1.2, WITH_FIGURE("h200", "l2_bytes", 1 << 20, 1, 32, 160, FAR_4K, HOME),
     &hops},
    {"l2_share", 0.5, 1.2, WITH_FIGURE("h200", "l2_bytes", 1 << 20, 1, 32, 160, FAR_4K, HOME),
     &hops},
    {"l2_port_bytes", 0.5, 1.6, H200(1, 1024, 32, READ_16, HOME), &hops},
    {"l2_clock_bytes", 0.5, 1.6, H200(SMS, 512, 16, READ_16, HOME), &hops},
    {"l2_clock_requests", 0.5, 1.6, H200(SMS, 256, 8, "    ld.global.cg.u32 %r8, [%rd4];\n", HOME),
     &hops},
    {"global_latency", 2, 1.7,
     WITH_FIGURE("h200", "l2_bytes", 0, 1, 32, 64, GO(".cg", "3") "    add.u64 %rd3, %rd3, 4096;\n",
                 HOME),
     &hops},
    {"memory_share", 0.5, 1.6, WITH_FIGURE("h200", "l2_bytes", 0, SMS, 1024, 2, STREAM, HOME),
     &hops},
    {"memory_write_share", 0.5, 1.6,
     WITH_FIGURE("h200", "l2_bytes", 0, SMS, 1024, 4, WRITE_16 STEP, HOME), &hops},
    {"memory_write_share", 0.5, 1.1,
     WITH_FIGURE("h200", "l2_bytes", 3 << 20, SMS, 1024, 1,
                 READ_16_TOO STEP READ_16 STEP READ_16_TOO, HOME WRITE_16 STEP),
     &hops},
    {"memory_clock_khz", 0.5, 1.5, WITH_FIGURE("h200", "l2_bytes", 0, SMS, 1024, 2, STREAM, HOME),
     &hops},
    {"memory_bus_bits", 0.5, 1.5, WITH_FIGURE("h200", "l2_bytes", 0, SMS, 1024, 2, STREAM, HOME),
     &hops},
    {"fence_latency", 2, 1.9, H200(1, 32, 64, "    fence.acq_rel.gpu;\n"), &sums},
    /* Atomics. */
    {"atomic_clocks", 2, 1.8, H200(1, 1024, 16, "    red.global.add.u32 [%rd1], %r1;\n", HOME),
     &hops},
    {"atomic_clocks", 2, 1.8,
     H200(1, 1024, 16, "    red.global.add.u32 [%rd6], %r1;\n",
          HOME "    and.b64 %rd6, %rd2, -4096;\n"),
     &hops},
    {"atomic_float_clocks", 2, 1.8,
     H200(1, 1024, 16, "    red.global.add.f32 [%rd6], %f1;\n",
          HOME "    and.b64 %rd6, %rd2, -4096;\n"),
     &hops},
    {"atomic_slices", 0.5, 1.3, H200(SMS, 512, 8, "    red.global.add.u32 [%rd2], %r1;\n", HOME),
     &hops},
    {"atomic_slice_bytes", 2, 1.2, H200(1, 1024, 16, "    red.global.add.u32 [%rd2], %r1;\n", HOME),
     &hops},
    /* Blocks and barriers. */
    {"barrier_latency", 2, 1.5, H200(1, 32, 64, "    bar.sync 0;\n"), &sums},
    {"barrier_warp_clocks", 2, 1.4, H200(1, 1024, 64, "    bar.sync 0;\n"), &sums},
    {"block_latency", 2, 1.5, H200(SMS * 8, 1024, 1, FMA(1)), NULL},
    {"block_clocks", 2, 1.5, H200(SMS * 16, 32, 1, FMA(1)), NULL},
    /* Copies in the background. */
    {"copy_latency", 2, 1.2,
     H200(1, 32, 32,
          "    cp.async.ca.shared.global [%r11], [%rd2], 4;\n    cp.async.commit_group;\n"
          "    cp.async.wait_group 0;\n",
          HOME ROOM),
     &hops},
    {"bulk_latency", 2, 1.15, H200(1, 32, 32, ASK AWAIT, ROOM INIT(1) "    mov.u32 %r15, 16;\n"),
     &hops},
    {"bulk_clocks", 2, 1.2, H200(1, 32, 32, ASK, ROOM INIT(32) "    mov.u32 %r15, 16;\n", AWAIT),
     &hops},
    {"bulk_line_clocks", 2, 1.4,
     H200(1, 32, 16, ASK, ROOM_OF(32768) INIT(16) "    mov.u32 %r15, 32768;\n", AWAIT), &hops},
    {"bulk_latency", 2, 1.15, H200(1, 32, 32, PUT AWAIT_PUT, FIRST_OF(16)), &hops},
    {"bulk_clocks", 2, 1.2, H200(1, 32, 32, PUT, FIRST_OF(16), AWAIT_PUT), &hops},
    {"bulk_line_clocks", 2, 1.4, H200(1, 32, 16, PUT, FIRST_OF(32768), AWAIT_PUT), &hops},
    {"l2_latency", 2, 1.4, H200(1, 32, 32, PUT AWAIT_PUT, FIRST_OF(16)), &sums},
    {"l2_clock_bytes", 0.5, 1.8, H200(SMS, 32, 16, PUT, FIRST_OF(32768), AWAIT_PUT), &hops},
    {"memory_write_share", 0.5, 1.3,
     WITH_FIGURE("h200", "l2_bytes", 0, SMS, 32, 16, PUT "    add.u64 %rd4, %rd4, 540672;\n",
                 FIRST_OF(4096), AWAIT_PUT),
     &hops},
    {"atomic_clocks", 2, 1.8, H200(SMS, 32, 16, PUT_ADDED, FIRST_OF(32768), AWAIT_PUT), &hops},
    {"mbarrier_latency", 2, 1.4,
     H200(1, 32, 32, "    mbarrier.arrive.shared::cta.b64 _, [%r13];\n" AWAIT, ROOM INIT(32)),
     &hops},
/* Clusters. */
#define PAIR(lanes, ...)                                                                    \
    {                                                                                       \
        .gpu = "h200", .blocks = 2, .threads = lanes, .cluster = 2, .work = { __VA_ARGS__ } \
    }
    {"cluster_latency", 2, 1.6, PAIR(32, 32, FAR_HOP, ROOM REMOTE(1), MEET), &hops},
    {"cluster_own_latency", 2, 1.5, PAIR(32, 32, FAR_HOP, ROOM REMOTE(0), MEET), &hops},
    {"cluster_bytes", 0.5, 1.5,
     PAIR(1024, 16, "    ld.shared::cluster.v4.u32 {%r4, %r5, %r6, %r7}, [%r17];\n",
          ROOM_OF(16384) "    shl.b32 %r17, %r1, 4;\n    add.u32 %r17, %r17, %r10;\n"
                         "    mapa.shared::cluster.u32 %r17, %r17, 1;\n" MEET,
          MEET),
     &hops},
    {"cluster_barrier_latency", 2, 1.6, PAIR(32, 32, MEET), &hops},
    {"cluster_fence_latency", 2, 1.4,
     PAIR(32, 32, "    barrier.cluster.arrive.aligned;\n    barrier.cluster.wait.aligned;\n"),
     &hops},
    {"send_clocks", 2, 1.3,
     PAIR(512, 16,
          "    st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r16], %r1, "
          "[%r17];\n",
          ROOM INIT(1) "    mov.u32 %r15, 32768;\n"
                       "    @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r13], %r15;\n"
                       "    mov.u32 %r18, %cluster_ctarank;\n    xor.b32 %r18, %r18, 1;\n"
                       "    mapa.shared::cluster.u32 %r16, %r11, %r18;\n"
                       "    mapa.shared::cluster.u32 %r17, %r13, %r18;\n" MEET,
          AWAIT MEET),
     &hops},
    {"cluster_clocks",
     2,
     1.15,
     {.gpu = "h200", .blocks = SMS * 16, .threads = 32, .cluster = 2, .work = {1, FMA(1)}},
     NULL},
    /* --- The plain model --- */
    {"clock_khz", 2, 0.55, PLAIN("h200", 1, 32, 64, FMA(1)), NULL},
    {"launch_us", 2, 1.5, PLAIN("h200", 1, 32, 64, FMA(1)), NULL},
    {"schedulers", 0.5, 1.8, PLAIN("h200", 1, 1024, 64, FMA(1) FMA(2) FMA(3) FMA(4)), NULL},
    {"arithmetic_latency", 2, 1.9, PLAIN("h200", 1, 32, 64, FMA(1)), NULL},
    {"shared_latency", 2, 1.5, PLAIN("h200", 1, 32, 64, HOP, ROOM), &sums},
    {"global_latency", 2, 1.9, PLAIN("h200", 1, 32, 64, GO("", "3"), HOME), &hops},
    {"memory_clock_khz", 2, 0.6, PLAIN("default", 40, 1024, 16, READ_16, HOME), &sums},
    {"memory_bus_bits", 2, 0.6, PLAIN("default", 40, 1024, 16, READ_16, HOME), &sums},
    {"banks", 0.5, 1.5, PLAIN("h200", 1, 1024, 64, "    ld.shared.u32 %r8, [%r11];\n", ROOM),
     &sums},
    {"cluster_latency",
     2,
     1.5,
     {.gpu = "h200",
      .plain = true,
      .blocks = 2,
      .threads = 32,
      .cluster = 2,
      .work = {64, FAR_HOP, ROOM REMOTE(1), MEET}},
     &hops},
    {"texture_cache", 0.5, 1.3, PLAIN("default", 40, 1024, 4, FETCHES, TEXTURE), &sums},
/* --- The model of period GPUs --- */
#define GT(blocks, threads, ...) ON("geforce-8800-gt", blocks, threads, __VA_ARGS__)
    {"clock_khz", 2, 0.55, GT(1, 32, 64, FMA(1)), NULL},
    {"launch_us", 2, 1.5, GT(1, 32, 64, FMA(1)), NULL},
    {"arithmetic_latency", 2, 1.8, GT(1, 32, 64, FMA(1)), NULL},
    {"issue_clocks", 2, 1.8, GT(1, 256, 64, FMA(1) FMA(2)), NULL},
    {"special_clocks", 2, 1.7, GT(1, 256, 64, EX2(1) EX2(2)), &sums},
    {"shared_latency", 2, 1.5, GT(1, 32, 64, HOP, ROOM), &sums},
    {"shared_operand_clocks", 2, 1.5, GT(1, 256, 1, OPERANDS("%r11"), ROOM LOOP(16), END_LOOP),
     &sums},
    {"bank_clocks", 2, 1.3, GT(1, 256, 1, OPERANDS("%r12"), ROOM LOOP(16), END_LOOP), &sums},
    {"bank_clocks", 2, 1.2, GT(1, 256, 64, "    ld.shared.u32 %r8, [%r12];\n", ROOM), &sums},
    {"branch_clocks", 2, 1.2, GT(1, 32, 1, FMA(1), LOOP(64), END_LOOP), &sums},
    {"global_latency", 2, 1.4, GT(1, 32, 64, GO("", "3"), HOME), &sums},
    {"coalesced_clocks", 4, 1.5,
     WITH_FIGURE("geforce-8800-gt", "memory_bus_bits", 4096, 1, 512, 16, READS, HOME), &sums},
    {"door_clocks", 2, 1.5, GT(1, 256, 16, "    ld.global.u32 %r8, [%rd4];\n", HOME), &sums},
    {"turnaround_clocks", 2, 1.3,
     GT(14, 256, 8, "    ld.global.u32 %r8, [%rd2];\n    st.global.u32 [%rd2], %r8;\n", HOME),
     &sums},
    {"store_queue", 0.0078125, 1.1,
     ON("gtx-280", 30, 256, 8, "    ld.global.u32 %r8, [%rd2];\n    st.global.u32 [%rd2], %r8;\n",
        HOME),
     &sums},
    {"memory_clock_khz", 2, 0.7, GT(56, 256, 8, READ_4, HOME), &sums},
    {"memory_bus_bits", 2, 0.7, GT(56, 256, 8, READ_4, HOME), &sums},
    {"memory_efficiency", 0.5, 1.6, GT(56, 256, 8, READ_4, HOME), &sums},
    {"memory_efficiency_64", 0.5, 1.6, GT(56, 256, 8, READ_8, HOME), &sums},
    {"memory_efficiency_128", 0.5, 1.6, GT(56, 256, 8, READ_16, HOME), &sums},
    {"texture_cache", 0.5, 1.3,
     WITH_FIGURE("geforce-8800-gt", "texture_cache", 16384, 14, 512, 8, FETCHES, TEXTURE), &sums},
};
enum { FIGURE_COUNT = sizeof(figures) / sizeof(figures[0]) };

#define LOAD(n) "    ld.global.cg.u32 %r" #n ", [%rd2];\n"
#define SET(n) "    add.u32 %r" #n ", %r20, %r21;\n"
#define DIV(n) "    div.u32 %r" #n ", %r" #n ", %r21;\n"
#define DIV64(n) "    div.u64 %rd" #n ", %rd" #n ", %rd9;\n"
#define DIV_FLOAT(n) "    div.rn.f32 %f" #n ", %f" #n ", %f8;\n"
#define SHUFFLE(n) "    shfl.sync.idx.b32 %r" #n ", %r" #n ", 0, 31, -1;\n"
#define ONE                  \
    "    mov.u64 %rd9, 1;\n" \
    "    mov.u32 %r20, 1;\n    mov.u32 %r21, 1;\n"
#define WORK(label, rank)                                                          \
    "    mov.u32 %r18, %cluster_ctarank;\n    setp.ne.u32 %p1, %r18, " #rank ";\n" \
    "    @%p1 bra IDLE" label ";\n    mov.u32 %r30, 200;\nNEXT" label ":\n"        \
    "    .pragma \"nounroll\";\n    sub.u32 %r30, %r30, 1;\n"                      \
    "    setp.ne.u32 %p3, %r30, 0;\n    @%p3 bra NEXT" label ";\nIDLE" label ":\n"
/* Lanes below 16 read the one, the others the other: by a generic address, or one of a cluster. */
#define HALVES(low, high)                                                  \
    ROOM HOME "    mov.u64 %rd8, room;\n    cvta.shared.u64 %rd8, %rd8;\n" \
              "    setp.lt.u32 %p1, %r1, 16;\n    selp.b64 %rd9, " low ", " high ", %p1;\n"
#define RANKS(low, high)                                                    \
    ROOM "    setp.lt.u32 %p1, %r1, 16;\n    selp.b32 %r17, " low ", " high \
         ", %p1;\n    mapa.shared::cluster.u32 %r16, %r10, %r17;\n" MEET
#define FAR_READ "    ld.shared::cluster.u32 %r9, [%r16];\n"
/* A load that no lane does, where the block before has something at a known address. */
#define NO_LOAD_BEHIND(word)                                                                \
    "{\n" word "    bra.uni NONE;\nNONE:\n    add.u32 %r9, %r9, %r20;\n"                    \
    "    @%p1 ld.global.u32 %r8, [%rd1];\n    add.u32 %r8, %r8, %r20;\n    bra.uni NEXT;\n" \
    "NEXT:\n    add.u32 %r8, %r8, %r8;\n}\n"
#define NO_LANE "    setp.ne.u32 %p1, %r1, %r1;\n"
/* Four words next to each other in shared memory. */
#define FOUR_WORDS(at)                                                       \
    "    ld.shared.u32 %r4, [" at "];\n    ld.shared.u32 %r5, [" at "+4];\n" \
    "    ld.shared.u32 %r6, [" at "+8];\n    ld.shared.u32 %r7, [" at "+12];\n"
/* Products of halves of 64-bit integers, and one that is added to `low`. */
/* Products, so that the scheduler has more to do than shared memory. */
#define SIXTEEN FOUR FOUR FOUR FOUR
#define FOUR FMA(1) FMA(2) FMA(1) FMA(2)
#define ANY_64 "    mov.u64 %rd8, %rd1;\n    mov.u64 %rd9, %rd1;\n"
#define HALF_PRODUCT                                                \
    "{\n    .reg .b64 %t, %u;\n    and.b64 %t, %rd8, 4294967295;\n" \
    "    shr.u64 %u, %rd8, 32;\n    mul.lo.u64 %rd8, %t, %u;\n}\n"
#define WIDE_PRODUCT                                    \
    "{\n    .reg .b32 %t;\n    cvt.u32.u64 %t, %rd8;\n" \
    "    mul.wide.u32 %rd8, %t, %r20;\n}\n"
#define MOVED(low)                                                          \
    "{\n    .reg .b64 %t, %u, %v;\n    and.b64 %t, %rd8, 4294967295;\n" low \
    "    mul.lo.u64 %v, %t, %t;\n    add.u64 %rd8, %v, %u;\n}\n"
/* Products of which no two in a row have a register in common, or all do. */
#define PRODUCT(n, a, b) "    fma.rn.f32 %f" #n ", %f" #a ", %f" #b ", %f" #n ";\n"
#define APART PRODUCT(0, 4, 8) PRODUCT(1, 5, 9) PRODUCT(2, 4, 8) PRODUCT(3, 5, 9)
#define TOGETHER PRODUCT(0, 4, 4) PRODUCT(1, 4, 4) PRODUCT(2, 4, 4) PRODUCT(3, 4, 4)
#define FACTORS                                                                            \
    "    mov.u32 %r1, %tid.x;\n    cvt.rn.f32.u32 %f4, %r1;\n    add.f32 %f5, %f4, %f4;\n" \
    "    add.f32 %f8, %f5, %f4;\n    add.f32 %f9, %f5, %f5;\n    add.f32 %f0, %f8, %f4;\n" \
    "    add.f32 %f1, %f8, %f5;\n    add.f32 %f2, %f9, %f4;\n    add.f32 %f3, %f9, %f5;\n"
/* Every other lane has another two constants in the table. */
#define TWO_CONSTANTS                                                                      \
    "    mov.u32 %r1, %tid.x;\n    and.b32 %r1, %r1, 1;\n    mul.wide.u32 %rd9, %r1, 8;\n" \
    "    mov.u64 %rd8, table;\n    add.u64 %rd8, %rd8, %rd9;\n"

#define BRANCH                                                                   \
    "{\n    @%p1 bra BEHIND;\n" FMA(1) FMA(2) FMA(1) FMA(2) FMA(1) FMA(2) FMA(1) \
        FMA(2) "BEHIND:\n}\n"
static const struct rule rules[] = {
    {"neighbouring words of shared memory, in one load",
     0.9,
     1.1,
     H200(1, 1024, 16, FOUR_WORDS("%r10"), ROOM),
     {16, "    ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r10];\n", ROOM, NULL}},
    {"words of shared memory that may not be aligned",
     1.1,
     1.3,
     H200(1, 1024, 16, FOUR_WORDS("%r11") SIXTEEN, ROOM "    and.b32 %r11, %r10, %r20;\n"),
     {16, FOUR_WORDS("%r10") SIXTEEN, ROOM, NULL}},
    {"four words of shared memory, in a clock each though all lanes want the same",
     3.6,
     4.1,
     H200(1, 1024, 64, "    ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r10];\n", ROOM),
     {64, "    ld.shared.u32 %r4, [%r10];\n", ROOM, NULL}},
    {"a product of two halves, in one instruction",
     0.9,
     1.1,
     H200(1, 32, 64, HALF_PRODUCT, ANY_64),
     {64, WIDE_PRODUCT, ANY_64, NULL}},
    {"a product and a sum, in one instruction",
     0.9,
     1.1,
     H200(1, 32, 64, MOVED("    mov.u64 %u, %rd9;\n"), ANY_64),
     {64, WIDE_PRODUCT, ANY_64, NULL}},
    {"a half that is moved to be added to a product",
     1.2,
     2,
     H200(1, 32, 32, MOVED("    shr.u64 %u, %rd8, 32;\n"), ANY_64),
     {32, WIDE_PRODUCT, ANY_64, NULL}},
    {"one half that changes",
     0.9,
     1.1,
     H200(1, 32, 64, "    or.b64 %rd8, %rd8, 1;\n    xor.b64 %rd8, %rd8, 2;\n", ANY_64),
     {64, "    or.b32 %r8, %r8, 1;\n    xor.b32 %r8, %r8, 2;\n", NULL, NULL}},
    {"products of six registers, of which no two in a row have one in common",
     1.4,
     2.1,
     H200(1, 32, 16, APART, FACTORS LOOP(8), END_LOOP),
     {16, TOGETHER, FACTORS LOOP(8), END_LOOP}},
    {"the same with other warps",
     1.3,
     1.6,
     H200(1, 1024, 64, APART, FACTORS),
     {64, TOGETHER, FACTORS, NULL}},
    {"a branch at which lanes may part",
     1.1,
     1.4,
     H200(1, 1024, 64, BRANCH, "    mov.u32 %r1, %tid.x;\n    setp.gt.u32 %p1, %r1, 5000;\n"),
     {64, BRANCH, "    mov.u32 %r1, %ctaid.x;\n    setp.gt.u32 %p1, %r1, 5000;\n", NULL}},
    {"a branch at which half of the lanes part from the others",
     1.2,
     1.7,
     H200(1, 32, 64, BRANCH,
          "    mov.u32 %r1, %tid.x;\n    and.b32 %r1, %r1, 1;\n    setp.ne.u32 %p1, %r1, 0;\n"),
     {64, BRANCH, "    mov.u32 %r1, %tid.x;\n    setp.gt.u32 %p1, %r1, 5000;\n", NULL}},
    {"floats that no other lane adds to, and that all lanes of many warps do",
     8,
     1000,
     H200(1, 1024, 8, "    atom.shared.add.f32 %f1, [%r10], %f1;\n", ROOM),
     {8, "    atom.shared.add.f32 %f1, [%r11], %f1;\n", ROOM, NULL}},
    {"four constants, in two loads of two clocks",
     3,
     5,
     H200(1, 1024, 16, "    ld.const.v4.u32 {%r4, %r5, %r6, %r7}, [%rd8];\n",
          "    mov.u64 %rd8, table;\n"),
     {16, "    ld.const.u32 %r4, [%rd8];\n", "    mov.u64 %rd8, table;\n", NULL}},
    {"neighbouring constants, in one load of two words",
     0.9,
     1.1,
     H200(1, 1024, 16, "    ld.const.u32 %r4, [%rd8];\n    ld.const.u32 %r5, [%rd8+4];\n",
          TWO_CONSTANTS),
     {16, "    ld.const.v2.u32 {%r4, %r5}, [%rd8];\n", TWO_CONSTANTS, NULL}},
    {"a chain behind another one, which fills its stalls",
     0.9,
     1.3,
     H200(1, 32, 12, FMA(1) FMA(1) FMA(1) FMA(1) FMA(2) FMA(2) FMA(2) FMA(2)),
     {12, FMA(1) FMA(1) FMA(1) FMA(1), NULL, NULL}},
    {"sums, which two units make, and the larger one, which one does",
     0.4,
     0.6,
     H200(1, 1024, 32, ADD(8) ADD(9)),
     {32, MAX(8) MAX(9), NULL, NULL}},
    {"the larger one of a sum and something, in one instruction",
     0.9,
     1.1,
     H200(1, 32, 64,
          "{\n    .reg .b32 %t;\n    add.s32 %t, %r8, %r20;\n    max.s32 %r8, %t, %r20;\n}\n"),
     {64, MAX(8), NULL, NULL}},
    {"what takes an instruction with a predicate waits for the comparison",
     3,
     5,
     H200(1, 32, 32, "    setp.ne.u32 %p1, %r8, 0;\n    @%p1 max.s32 %r8, %r8, %r20;\n"),
     {32, MAX(8), NULL, NULL}},
    {"a bulk store is read long before it is done",
     1.5,
     9,
     H200(1, 32, 32, PUT AWAIT_PUT, FIRST_OF(128)),
     {32, PUT AWAIT_READ, FIRST_OF(128), NULL}},
    {"a bulk store of twice as much takes twice as long",
     1.5,
     2.1,
     H200(1, 32, 16, PUT, FIRST_OF(32768), AWAIT_PUT),
     {16, PUT, FIRST_OF(16384), AWAIT_PUT}},
    {"lanes in shared and in global memory, whichever come first",
     0.9,
     1.1,
     H200(1, 32, 64, "    ld.u32 %r8, [%rd9];\n", HALVES("%rd8", "%rd2")),
     {64, "    ld.u32 %r8, [%rd9];\n", HALVES("%rd2", "%rd8"), NULL}},
    {"lanes in both blocks of a cluster, whichever come first",
     0.9,
     1.1,
     {.gpu = "h200",
      .blocks = 2,
      .threads = 32,
      .cluster = 2,
      .work = {64, FAR_READ, RANKS("0", "1"), MEET}},
     {64, FAR_READ, RANKS("1", "0"), MEET}},
    {"loads that no lane does, behind words of constant memory or moves",
     1,
     1,
     H200(1, 32, 64, NO_LOAD_BEHIND("    ld.const.u32 %r8, [table];\n"), NO_LANE),
     {64, NO_LOAD_BEHIND("    mov.u32 %r8, %r21;\n"), NO_LANE, NULL}},
    {"a result that is there later than the next one of its register",
     3,
     100,
     H200(1, 32, 1, LOAD(8) SET(8), HOME),
     {1, LOAD(8) SET(9), HOME, NULL}},
    {"a result that is there later than the next one of its register",
     1.5,
     2,
     PLAIN("h200", 1, 32, 160, FMA(1), HOME LOAD(8) SET(8)),
     {160, FMA(1), HOME LOAD(8) SET(9), NULL}},
    {"a result that is there later than the next one of its register",
     1.4,
     100,
     GT(1, 32, 1, LOAD(8) SET(8) SET(8), HOME),
     {1, SET(8) SET(8), HOME, NULL}},
    {"fetches of four lanes a clock",
     4,
     10,
     H200(1, 1024, 4, FETCHES, TEXTURE),
     {32, "    ld.shared.u32 %r8, [%r11];\n", ROOM, NULL}},
    {"fetches of four lanes a clock, plain",
     6,
     10,
     PLAIN("h200", SMS * 2, 1024, 2, FETCHES, TEXTURE),
     {16, "    ld.shared.u32 %r8, [%r11];\n", ROOM, NULL}},
    {"integers divided", 10, 40, H200(1, 32, 16, DIV(8), ONE), {16, MAX(8), ONE, NULL}},
    {"integers divided by many warps",
     10,
     40,
     H200(1, 1024, 16, DIV(8), ONE),
     {16, MAX(8), ONE, NULL}},
    {"integers divided, plain",
     5,
     40,
     PLAIN("h200", 1, 32, 16, DIV(8), ONE),
     {16, MAX(8), ONE, NULL}},
    {"64-bit integers divided", 2, 5, H200(1, 32, 16, DIV64(8), ONE), {16, DIV(8), ONE, NULL}},
    {"64-bit integers divided, plain",
     3,
     5,
     PLAIN("h200", 1, 32, 16, DIV64(8), ONE),
     {16, DIV(8), ONE, NULL}},
    {"floats divided", 10, 20, H200(1, 32, 16, DIV_FLOAT(1)), {16, FMA(1), NULL, NULL}},
    {"floats divided, plain",
     4,
     10,
     PLAIN("h200", 1, 32, 16, DIV_FLOAT(1)),
     {16, FMA(1), NULL, NULL}},
    {"exchanges, plain", 4, 8, PLAIN("h200", 1, 32, 16, SHUFFLE(8)), {16, FMA(1), NULL, NULL}},
    {"exchanges of many warps, plain",
     3,
     5,
     PLAIN("h200", 1, 1024, 16, SHUFFLE(8)),
     {16, FMA(1), NULL, NULL}},
    {"doubles where few can be had",
     32,
     64,
     PLAIN("default", 1, 1024, 16, FMA64(1)),
     {16, FMA(1), NULL, NULL}},
    {"doubles where half as many as floats can be had",
     1.8,
     2.2,
     PLAIN("h200", 1, 1024, 16, FMA64(1)),
     {16, FMA(1), NULL, NULL}},
    {"special functions of many warps, plain",
     7,
     9,
     PLAIN("h200", 1, 1024, 16, EX2(1)),
     {16, FMA(1), NULL, NULL}},
    {"blocks of a cluster that work before and behind its barrier",
     1.7,
     2.1,
     {.gpu = "h200",
      .plain = true,
      .blocks = 2,
      .threads = 32,
      .cluster = 2,
      .work = {1, WORK("0", 0) MEET WORK("1", 1)}},
     {1, WORK("0", 0) WORK("1", 1), NULL, NULL}},
};
enum { RULE_COUNT = sizeof(rules) / sizeof(rules[0]) };

/* Figures that are no times of a kernel. */
static const char *const no_times[] = {
    /* Names and limits. */
    "name",
    "major",
    "own_features",
    "minor",
    "max_threads_per_block",
    "max_threads_per_sm",
    "max_blocks_per_sm",
    "max_cluster",
    "max_block",
    "max_grid",
    "memory",
    "constant_memory",
    "shared_per_block",
    "shared_per_block_optin",
    "shared_per_sm",
    "registers_per_block",
    "registers_per_sm",
    "max_registers",
    "shared_reserved",
    "shared_unit",
    "register_unit",
    "warp_unit",
    "max_pitch",
    "texture_alignment",
    "texture_pitch_alignment",
    "copy_engines",
    /* How accesses are shared, which counters show. */
    "coalescing",
    /* Of transfers and events, which the runtime times. */
    "link_gbs",
    "link_read_gbs",
    "link_us",
    "link_event_us",
    "pcie_gbs",
    "staging_gbs",
    "transfer_us",
    "event_us",
    "copy_row_us",
};
enum { NO_TIME_COUNT = sizeof(no_times) / sizeof(no_times[0]) };

#endif

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
/* A part of the lanes does eight products. */
#define BRANCH                                                                   \
    "{\n    @%p1 bra BEHIND;\n" FMA(1) FMA(2) FMA(1) FMA(2) FMA(1) FMA(2) FMA(1) \
        FMA(2) "BEHIND:\n}\n"
#define MEET "    barrier.cluster.arrive.relaxed.aligned;\n    barrier.cluster.wait.aligned;\n"
#define REMOTE(rank) "    mapa.shared::cluster.u32 %r16, %r10, " #rank ";\n" MEET
#define FAR_HOP "    ld.shared::cluster.u32 %r9, [%r16];\n    add.u32 %r16, %r16, %r9;\n"

/* A constant that all lanes share, and one in each sector of 512 bytes. */
#define UNIFORM(at) "    ld.const.f32 %f7, [%rd8+" #at "];\n    fma.rn.f32 %f1, %f1, %f2, %f7;\n"
#define SECTORS \
    UNIFORM(0)  \
    UNIFORM(64) UNIFORM(128) UNIFORM(192) UNIFORM(256) UNIFORM(320) UNIFORM(384) UNIFORM(448)
#define TABLE "    mov.u64 %rd8, table;\n"
/* A line after the other, at a lane's address. */
#define TABLE_OF_LANE                                            \
    TABLE "    mov.u32 %r8, %tid.x;\n    shr.u32 %r8, %r8, 5;\n" \
          "    mul.wide.u32 %rd9, %r8, 64;\n    add.u64 %rd8, %rd8, %rd9;\n"
#define LOAD_LINE UNIFORM(0) "    add.u64 %rd8, %rd8, 64;\n"
/* Blocks of one SM read four parts of it. */
#define TABLE_OF_BLOCK                                              \
    TABLE "    mov.u32 %r8, %ctaid.x;\n    and.b32 %r8, %r8, 12;\n" \
          "    mul.wide.u32 %rd9, %r8, 128;\n    add.u64 %rd8, %rd8, %rd9;\n"

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
    {"arithmetic_latency", 2, 1.9, H200(1, 32, 256, FMA(1)), &meetings},
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
    {"part_latency", 2, 1.2,
     H200(1, 32, 16, BRANCH, "    mov.u32 %r1, %tid.x;\n    setp.lt.u32 %p1, %r1, 16;\n"), &sums},
    {"code_clocks", 2, 1.5,
     WITH_FIGURE("h200", "code_instructions", 128, 1, 32, 64, FMA(1) FMA(2) FMA(3) FMA(4), LOOP(4),
                 END_LOOP),
     NULL},
    {"code_chunk", 2, 0.8, H200(1, 32, 64, FMA(1) FMA(2) FMA(3) FMA(4)), &sums},
    {"code_instructions", 0.5, 1.3,
     WITH_FIGURE("h200", "code_instructions", 384, 1, 32, 64, FMA(1) FMA(2) FMA(3) FMA(4), LOOP(4),
                 END_LOOP),
     &sums},
    /* Constants. */
    {"constant_latency", 5, 1.3, H200(1, 32, 1, UNIFORM(0), TABLE LOOP(256), END_LOOP), &sums},
    {"constant_miss_latency", 2, 1.5, H200(1, 32, 8, SECTORS, TABLE), NULL},
    {"constant_load_miss_latency", 2, 1.4,
     H200(1, 32, 1, LOAD_LINE, TABLE_OF_LANE LOOP(63), END_LOOP), &sums},
    {"constant_fetch_clocks", 2, 1.5, H200(16 * SMS, 32, 8, SECTORS, TABLE_OF_BLOCK), &sums},
    /* Shared memory. */
    {"shared_latency", 2, 1.6, H200(1, 32, 64, HOP, ROOM), &sums},
    {"shared_latency", 2, 1.8, H200(1, 32, 64, "    fence.proxy.async;\n"), &sums},
    {"banks", 0.5, 1.5, H200(1, 1024, 32, "    ld.shared.u32 %r8, [%r11];\n", ROOM), &sums},
    {"bank_lanes", 0.5, 1.5, H200(1, 1024, 32, "    ld.shared.u32 %r8, [%r11];\n", ROOM), &sums},
    {"shared_swap_passes", 2, 1.5,
     H200(1, 1024, 16, "    atom.shared.add.f32 %f1, [%r11], %f1;\n", ROOM), &hops},
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
    {"l2_dirty_share", 0.5, 1.2,
     WITH_FIGURE("h200", "l2_bytes", 4 << 20, SMS, 1024, 4, WRITE_16, HOME), &hops},
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
    {"atomic_clocks", 2, 1.8, H200(1, 1024, 32, "    red.global.add.u32 [%rd1], %r1;\n", HOME),
     &hops},
    {"atomic_clocks", 1.03, 1.01, H200(1, 1024, 16, "    red.global.add.u32 [%rd1], %r1;\n", HOME),
     &hops},
    {"atomic_clocks", 2, 1.8,
     H200(1, 1024, 16, "    red.global.add.u32 [%rd6], %r1;\n",
          HOME "    and.b64 %rd6, %rd2, -4096;\n"),
     &hops},
    {"atomic_float_clocks", 2, 1.8,
     H200(1, 1024, 16, "    red.global.add.f32 [%rd6], %f1;\n",
          HOME "    and.b64 %rd6, %rd2, -4096;\n"),
     &hops},
    {"atomic_line_clocks", 2, 1.5,
     WITH_FIGURE("h200", "atomic_slices", 1, 1, 512, 8, "    red.global.add.u32 [%rd4], %r1;\n",
                 HOME),
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
    {"atomic_clocks", 2, 1.7, H200(SMS, 32, 4, PUT_ADDED, FIRST_OF(32768), AWAIT_PUT), &hops},
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
    {"cluster_fence_clocks", 4, 1.2,
     PAIR(512, 32, "    barrier.cluster.arrive.aligned;\n    barrier.cluster.wait.aligned;\n"),
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
    {"double_lanes", 0.5, 1.8, PLAIN("h200", 1, 1024, 32, FMA64(1) FMA64(2)), &sums},
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
/* --- The model of GPUs of compute capability 1.x --- */
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
    "cluster_groups", /* test_cycle_clusters.c */
    "cluster_group_sms",
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
    "launch_gap_us",
    "graph_us",
    "graph_gap_us",
    "copy_row_us",
};
enum { NO_TIME_COUNT = sizeof(no_times) / sizeof(no_times[0]) };

#endif

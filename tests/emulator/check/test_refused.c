/* SPDX-License-Identifier: MIT */
/* Under a memory checker a bad address leaves its lane out, and the kernel goes on: every way to
 * reach memory, with bad addresses of every kind, from one lane, several, and all. */
#include <stdio.h>
#include <string.h>

#include "../../cmocka_main.h"
#include "machine/tensor.h"
#include "parse_ptx.h"
#include "test_gpu.h"

/* Each lane has a slot. `out` gets of every lane the words in its slot and those it has loaded. */
enum { WORDS = 4, SLOT = WORDS * 4, SLOTS = WARP_SIZE * SLOT, WORD = 1000, STORED = 5000 };

/* What becomes of the slots of good lanes. MIXED: some bytes that are not the test's affair. */
enum action { LOAD, STORE, ADD, MIXED };
struct access {
    enum action action;
    int bytes; /* that it moves */
    const char *text; /* S: the space; %p: the address, of a bad lane a bad one; %q: a good one */
};

/* Its name in an instruction, and how %q gets at the lane's slot. */
struct space {
    const char *name, *slot;
};

static const struct access loads[] = {
    {LOAD, 2, "ldS.u16 %v0, [%p];"},
    {LOAD, 4, "ldS.u32 %v0, [%p];"},
    {LOAD, 8, "ldS.u64 %x, [%p];\nmov.b64 {%v0, %v1}, %x;"},
    {LOAD, 8, "ldS.v2.u32 {%v0, %v1}, [%p];"},
    {LOAD, 16, "ldS.v4.u32 {%v0, %v1, %v2, %v3}, [%p];"},
};

static const struct access stores[] = {
    {STORE, 2, "stS.u16 [%p], %s0;"},
    {STORE, 4, "stS.u32 [%p], %s0;"},
    {STORE, 8, "mov.b64 %x, {%s0, %s1};\nstS.u64 [%p], %x;"},
    {STORE, 8, "stS.v2.u32 [%p], {%s0, %s1};"},
    {STORE, 16, "stS.v4.u32 [%p], {%s0, %s1, %s2, %s3};"},
};

static const struct access atomics[] = {
    {LOAD, 4, "ld.volatileS.u32 %v0, [%p];"},
    {STORE, 4, "st.volatileS.u32 [%p], %s0;"},
    {ADD, 4, "atomS.add.u32 %v0, [%p], 1;"},
    {ADD, 4, "ldS.u32 %v0, [%q];\nredS.add.u32 [%p], 1;"},
    {MIXED, 8, "atomS.cas.b64 %x, [%p], 0, %x;"},
};

static const struct access bytes[] = {
    {LOAD, 1, "ldS.u8 %v0, [%p];"},
    {STORE, 1, "stS.u8 [%p], %s0;"},
};

static const struct access copies[] = {
    {STORE, 4, "cp.async.ca.shared.global [%p], [%from], 4;\ncp.async.wait_all;"},
    {STORE, 16, "cp.async.cg.shared.global [%p], [%from], 16;\ncp.async.wait_all;"},
    {STORE, 16,
     "add.u64 %x, %from, %skew;\ncp.async.cg.shared.global [%q], [%x], 16;\n"
     "cp.async.wait_all;"},
    {STORE, 16,
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%p], [%from], 16, [bar];\n"
     "mul.lo.u32 %tx, %good, 16;\n"
     "@%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], %tx;\n"
     "W: mbarrier.try_wait.parity.shared.b64 %done, [bar], 0;\n@!%done bra W;"},
    {STORE, 16,
     "add.u64 %x, %from, %skew;\nmul.lo.u32 %tx, %good, 16;\n"
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%q], [%x], 16, [bar];\n"
     "@%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], %tx;\n"
     "W: mbarrier.try_wait.parity.shared.b64 %done, [bar], 0;\n@!%done bra W;"},
    {STORE, 4,
     "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%p], %s0, [bar];\n"
     "mul.lo.u32 %tx, %good, 4;\n"
     "@%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], %tx;\n"
     "W: mbarrier.try_wait.parity.shared.b64 %done, [bar], 0;\n@!%done bra W;"},
    {STORE, 16,
     "mul.wide.u32 %x, %lane, 128;\nmov.u64 %p, boxes;\nadd.u64 %p, %p, %x;\n"
     "add.u64 %x, %p, %skew;\nadd.u64 %from, %data, 1024;\nmul.lo.u32 %tx, %lane, 4;\n"
     "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%x], "
     "[%from, {%tx}], [bar];\n"
     "mul.lo.u32 %tx, %good, 16;\n"
     "@%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], %tx;\n"
     "W: mbarrier.try_wait.parity.shared.b64 %done, [bar], 0;\n@!%done bra W;\n"
     "setp.eq.u64 %done, %skew, 0;\n@%done ld.shared.v4.u32 {%s0, %s1, %s2, %s3}, [%p];\n"
     "@%done st.shared.v4.u32 [%q], {%s0, %s1, %s2, %s3};"},
};

static const struct access barriers[] = {
    {MIXED, 8,
     "mbarrier.initS.b64 [%p], 1;\nmbarrier.arriveS.b64 %x, [%p];\n"
     "W: mbarrier.try_wait.parityS.b64 %done, [%p], 0;\n@!%done bra W;"},
};

static const struct space global = {".global", "add.u64 %q, %data, %at;"};
static const struct space shared = {".shared", "mov.u64 %q, tile;\nadd.u64 %q, %q, %at;"};
static const struct space local = {".local", "mov.u64 %q, own;"};
static const struct space constant = {".const", "mov.u64 %q, table;\nadd.u64 %q, %q, %at;"};
static const struct space param = {".param", "mov.u64 %q, whole;\nadd.u64 %q, %q, %at;"};
static const struct space generic_global = {"", "add.u64 %q, %data, %at;"};
static const struct space generic_shared = {
    "", "mov.u64 %q, tile;\nadd.u64 %q, %q, %at;\ncvta.shared.u64 %q, %q;"};
static const struct space generic_local = {"", "mov.u64 %q, own;\ncvta.local.u64 %q, %q;"};
static const struct space generic_each = {
    "", "mov.u64 %q, own;\ncvta.local.u64 %q, %q;\nand.b32 %tx, %lane, 1;\n"
        "setp.eq.u32 %done, %tx, 0;\n@%done bra MET;\nadd.u64 %q, %data, %at;\n"
        "mov.u64 %x, tile;\nadd.u64 %x, %x, %at;\ncvta.shared.u64 %x, %x;\nand.b32 %tx, %lane, 2;\n"
        "setp.eq.u32 %done, %tx, 0;\nselp.u64 %q, %q, %x, %done;\nMET:"};
static const struct space of_cluster = {
    ".shared::cluster", "mov.u64 %q, tile;\nadd.u64 %q, %q, %at;\nmov.u32 %tx, %cluster_ctarank;\n"
                        "mapa.shared::cluster.u64 %q, %q, %tx;"};

static const char prologue[] =
    ".visible .entry test(.param .u64 out, .param .u64 data, .param .u32 bad, .param .u64 by,\n"
    ".param .align 16 .b8 whole[512])\n{\n"
    ".reg .pred %first, %done;\n.reg .b32 %lane, %good, %tx, %v<4>, %s<4>;\n"
    ".reg .b64 %out, %data, %from, %at, %skew, %p, %q, %x;\n"
    ".shared .align 16 .b8 tile[512];\n.shared .align 8 .b64 bar;\n"
    ".shared .align 128 .b8 boxes[4096];\n.local .align 16 .b8 own[16];\n"
    "mov.u32 %lane, %tid.x;\nld.param.u64 %out, [out];\nld.param.u64 %data, [data];\n"
    "mul.wide.u32 %at, %lane, 32;\nadd.u64 %out, %out, %at;\nmul.wide.u32 %at, %lane, 16;\n"
    "ld.param.u32 %tx, [bad];\nshr.u32 %v0, %tx, %lane;\nand.b32 %v0, %v0, 1;\n"
    "not.b32 %tx, %tx;\npopc.b32 %good, %tx;\n"
    "ld.param.u64 %skew, [by];\nsetp.eq.u32 %done, %v0, 0;\n@%done mov.u64 %skew, 0;\n"
    "setp.eq.u32 %first, %lane, 0;\n@%first mbarrier.init.shared.b64 [bar], 1;\n"
    "add.u64 %from, %data, 512;\nadd.u64 %from, %from, %at;\n"
    "ld.global.v4.u32 {%s0, %s1, %s2, %s3}, [%from];\nmov.u64 %x, 0;\n"
    "add.u64 %q, %data, %at;\nld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%q];\n";

static const char epilogue[] = "ld%s.v4.u32 {%%s0, %%s1, %%s2, %%s3}, [%%q];\n"
                               "st.global.v4.u32 [%%out], {%%s0, %%s1, %%s2, %%s3};\n"
                               "st.global.v4.u32 [%%out+16], {%%v0, %%v1, %%v2, %%v3};\nret;\n}\n";

/* `text` with S replaced by the space's name. */
static void append(char *whole, size_t size, const char *text, const char *space)
{
    size_t used = strlen(whole);
    for (; *text && used + strlen(space) + 1 < size; text++)
        if (*text == 'S')
            used += (size_t)snprintf(whole + used, size - used, "%s", space);
        else
            whole[used++] = *text;
    whole[used] = '\0';
}

/* A module with the kernel: the slots filled, the access, and what it left. */
static void write_module(const struct space *space, const struct access *access, char *text,
                         size_t size)
{
    const bool read_only = space == &constant || space == &param;
    snprintf(text, size,
             ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 16 .b32 "
             "table[%d] = {%d",
             SLOTS / 4, WORD);
    for (int i = 1; i < SLOTS / 4; i++)
        snprintf(text + strlen(text), size - strlen(text), ", %d", WORD + i);
    snprintf(text + strlen(text), size - strlen(text), "};\n%s%s\n", prologue, space->slot);
    if (!read_only)
        append(text, size, "stS.v4.u32 [%q], {%v0, %v1, %v2, %v3};\n", space->name);
    append(text, size,
           "add.u64 %p, %q, %skew;\nmov.u32 %v0, 0;\nmov.u32 %v1, 0;\n"
           "mov.u32 %v2, 0;\nmov.u32 %v3, 0;\n",
           "");
    append(text, size, access->text, space->name);
    snprintf(text + strlen(text), size - strlen(text), "\n");
    snprintf(text + strlen(text), size - strlen(text), epilogue, space->name);
}

/* The lanes whose accesses were refused. */
struct refused {
    uint32_t lanes;
    enum fault_kind kind;
};

static void note_refused(void *self, const struct fault_event *event)
{
    struct refused *refused = self;
    refused->lanes |= 1u << event->lane;
    refused->kind = event->kind;
}

/* What a lane found in its slot, and what it loaded. */
static void check_lane(const struct access *access, int lane, bool bad, const uint32_t *out)
{
    uint32_t slot[WORDS], stored[WORDS], loaded[WORDS] = {0};
    for (int k = 0; k < WORDS; k++) {
        slot[k] = (uint32_t)(WORD + WORDS * lane + k);
        stored[k] = (uint32_t)(STORED + WORDS * lane + k);
    }
    const bool loads_slot = access->action == LOAD || access->action == ADD;
    if (loads_slot)
        memcpy(loaded, slot, (size_t)access->bytes);
    if (!bad && access->action == STORE)
        memcpy(slot, stored, (size_t)access->bytes);
    if (!bad && access->action == ADD)
        slot[0]++;
    if (bad || access->action != MIXED)
        assert_memory_equal(out, slot, sizeof slot);
    if (!bad && loads_slot)
        assert_memory_equal(out + WORDS, loaded, sizeof loaded);
}

/* What lanes begin with, what they store, and this as a tensor. */
struct data {
    uint32_t words[SLOTS / 4], stored[SLOTS / 4];
    struct tensor_map map;
};

static void fill(struct data *data, uint64_t address)
{
    for (int i = 0; i < SLOTS / 4; i++) {
        data->words[i] = (uint32_t)(WORD + i);
        data->stored[i] = (uint32_t)(STORED + i);
    }
    data->map = (struct tensor_map){.mark = TENSOR_MARK,
                                    .address = address + offsetof(struct data, stored),
                                    .size = {SLOTS / 4},
                                    .box = {WORDS},
                                    .rank = 1,
                                    .element = 4};
}

/* A machine with a kernel, and what it refuses. */
struct bench {
    struct machine *machine;
    struct program *program;
    struct refused refused;
};

static void set_up(struct bench *bench, bool lenient, const char *text)
{
    char error[256] = "";
    const struct gpu gpu = test_gpu(90);
    const struct observer observer = {.self = &bench->refused, .fault = note_refused};

    *bench = (struct bench){.machine = machine_new(&gpu, 1)};
    machine_set_lenient(bench->machine, lenient);
    machine_observe(bench->machine, &observer);
    struct ptx_module *module = parse_ptx(text, error, sizeof error);
    bench->program = module ? machine_load(bench->machine, module, error, sizeof error) : NULL;
    if (!bench->program)
        fail_msg("%s in: %s", error, text);
}

/* One warp runs the kernel: `bad` lanes are to be refused, by faults of `kind`. */
static void launch(struct bench *bench, void **arguments, uint32_t bad, enum fault_kind kind,
                   const char *text)
{
    const struct launch_request request = {.kernel = program_kernel(bench->program, "test"),
                                           .grid = {1, 1, 1},
                                           .block = {WARP_SIZE, 1, 1},
                                           .arguments = arguments};
    struct fault fault = {0};

    machine_launch(bench->machine, &request, &fault);
    if (fault.kind != kind || bench->refused.kind != kind || bench->refused.lanes != bad)
        fail_msg("of the lanes 0x%x 0x%x are refused (%s) in: %s", bad, bench->refused.lanes,
                 fault.message, text);
}

static void tear_down(struct bench *bench)
{
    machine_unload(bench->machine, bench->program);
    machine_free(bench->machine);
}

/* Lanes `bad` go `by` bytes astray: they are told of as faults of `kind`, and the others do what
 * they would. */
static void try_access(const struct space *space, const struct access *access, uint32_t bad,
                       uint64_t by, enum fault_kind kind)
{
    static char text[16384];
    struct bench bench;

    write_module(space, access, text, sizeof text);
    set_up(&bench, true, text);
    uint64_t out = memory_allocate(bench.machine, (size_t)2 * SLOTS, MEMORY_DEVICE, NULL);
    uint64_t address = memory_allocate(bench.machine, sizeof(struct data), MEMORY_DEVICE, NULL);
    struct data *data = memory_host(bench.machine, address);
    fill(data, address);
    void *arguments[] = {&out, &address, &bad, &by, data->words};
    launch(&bench, arguments, bad, kind, text);
    for (int i = 0; i < WARP_SIZE; i++)
        check_lane(access, i, bad >> i & 1,
                   (uint32_t *)memory_host(bench.machine, out) + (size_t)2 * WORDS * i);
    tear_down(&bench);
}

static void try_all(const struct space *space, const struct access *accesses, size_t count)
{
    static const uint32_t sets[] = {1, 1u << 31, 0xFFFF, 0xAAAAAAAA, 0xFFFFFFFF};
    enum { OUTSIDE = 1 << 20 };

    for (size_t i = 0; i < count; i++) {
        try_access(space, &accesses[i], 0, 0, FAULT_NONE);
        for (size_t set = 0; set < sizeof sets / sizeof *sets; set++) {
            try_access(space, &accesses[i], sets[set], 1, FAULT_MISALIGNED);
            try_access(space, &accesses[i], sets[set], OUTSIDE + 1, FAULT_MISALIGNED);
            try_access(space, &accesses[i], sets[set], OUTSIDE, FAULT_ADDRESS);
        }
    }
}

#define TRY_ALL(space, accesses) try_all(&(space), accesses, sizeof(accesses) / sizeof *(accesses))

TEST(test_global)
{
    TRY_ALL(global, loads);
    TRY_ALL(global, stores);
    TRY_ALL(global, atomics);
}

TEST(test_shared)
{
    TRY_ALL(shared, loads);
    TRY_ALL(shared, stores);
    TRY_ALL(shared, atomics);
    TRY_ALL(shared, copies);
    TRY_ALL(shared, barriers);
}

TEST(test_cluster)
{
    TRY_ALL(of_cluster, loads);
    TRY_ALL(of_cluster, stores);
    TRY_ALL(of_cluster, atomics);
}

TEST(test_own)
{
    TRY_ALL(local, loads);
    TRY_ALL(local, stores);
    TRY_ALL(constant, loads);
    TRY_ALL(param, loads);
}

TEST(test_generic)
{
    static const struct space *const spaces[] = {&generic_global, &generic_shared, &generic_local,
                                                 &generic_each};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        TRY_ALL(*spaces[i], loads);
        TRY_ALL(*spaces[i], stores);
    }
    TRY_ALL(generic_global, atomics);
    TRY_ALL(generic_shared, atomics);
    TRY_ALL(generic_shared, barriers);
}

/* Lanes side by side, the last of which reaches, or does not reach, past the end of an allocation
 * of `size` bytes. */
static void try_end(const char *space, const struct access *access, size_t size, bool past,
                    bool lenient)
{
    enum { BEHIND = 16 };
    static char text[4096];
    struct bench bench;
    const uint64_t step = (uint64_t)access->bytes;
    const uint64_t last = size / step * step - (past ? 0 : step);
    const uint32_t bad = past ? 1u << (WARP_SIZE - 1) : 0;

    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_90\n.address_size 64\n"
             ".visible .entry test(.param .u64 data, .param .u64 first, .param .u32 step)\n{\n"
             ".reg .b32 %%lane, %%step, %%v<4>, %%s<4>;\n.reg .b64 %%p, %%q, %%x;\n"
             "ld.param.u64 %%q, [data];\nld.param.u64 %%p, [first];\nadd.u64 %%p, %%p, %%q;\n"
             "mov.u32 %%lane, %%tid.x;\nld.param.u32 %%step, [step];\n"
             "mul.wide.u32 %%x, %%lane, %%step;\nadd.u64 %%p, %%p, %%x;\nmov.u64 %%x, 0;\n"
             "mov.u32 %%s0, 1;\nmov.u32 %%s1, 1;\nmov.u32 %%s2, 1;\nmov.u32 %%s3, 1;\n");
    append(text, sizeof text, access->text, space);
    append(text, sizeof text, "\nret;\n}\n", "");
    set_up(&bench, lenient, text);
    uint64_t data = memory_allocate(bench.machine, size, MEMORY_DEVICE, NULL);
    uint64_t first = last - (WARP_SIZE - 1) * step;
    void *arguments[] = {&data, &first, (void *)&step};
    launch(&bench, arguments, bad, past ? FAULT_ADDRESS : FAULT_NONE, text);
    const uint8_t *behind = (uint8_t *)memory_host(bench.machine, data) + size;
    for (int i = 0; i < BEHIND; i++)
        assert_int_equal(behind[i], 0xCD);
    tear_down(&bench);
}

static void try_ends(const struct access *accesses, size_t count)
{
    static const size_t sizes[] = {612, 613, 624};
    enum { WAYS = 8 };

    for (size_t i = 0; i < count; i++)
        for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++)
            for (int way = 0; way < WAYS; way++)
                try_end(way & 1 ? ".global" : "", &accesses[i], sizes[size], way & 2, way & 4);
}

/* The byte behind an allocation is nobody's, wherever the access begins. */
TEST(test_end_of_allocation)
{
    try_ends(bytes, sizeof bytes / sizeof *bytes);
    try_ends(loads, sizeof loads / sizeof *loads);
    try_ends(stores, sizeof stores / sizeof *stores);
    try_ends(atomics, sizeof atomics / sizeof *atomics);
}

TEST_MAIN()

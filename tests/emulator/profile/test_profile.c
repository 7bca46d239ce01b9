/* SPDX-License-Identifier: MIT */
/* Counters of small kernels, against numbers worked out by hand. */
#include "observed.h"

#include <jansson.h>

/* strided: thread t loads in[t * stride] and stores out[t]. 12 instructions.
 * diverge: 9 instructions; lanes 0 to 19 take two that the others skip, and a guard stops one.
 * banks: thread t stores and loads word t * stride of shared memory.
 * spaces: a load of constant memory by lane % 4, a local store and load, an atomic on one
 * address. */
static const char ptx[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".const .align 4 .b8 table[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};\n"
    ".visible .entry strided(.param .u64 in, .param .u64 out, .param .u64 stride)\n{\n"
    "    .reg .b32 %r<5>;\n    .reg .b64 %rd<6>;\n"
    "    ld.param.u64 %rd1, [in];\n"
    "    ld.param.u64 %rd2, [out];\n"
    "    ld.param.u32 %r1, [stride];\n"
    "    mov.u32 %r2, %tid.x;\n"
    "    mul.lo.u32 %r3, %r2, %r1;\n"
    "    mul.wide.u32 %rd3, %r3, 4;\n"
    "    add.u64 %rd4, %rd1, %rd3;\n"
    "    ld.global.u32 %r4, [%rd4];\n"
    "    mul.wide.u32 %rd3, %r2, 4;\n"
    "    add.u64 %rd5, %rd2, %rd3;\n"
    "    st.global.u32 [%rd5], %r4;\n"
    "    ret;\n}\n"
    ".visible .entry diverge()\n{\n"
    "    .reg .b32 %r<2>;\n    .reg .pred %p<3>;\n"
    "    mov.u32 %r1, %tid.x;\n"
    "    setp.lt.u32 %p1, %r1, 8;\n"
    "    @%p1 add.u32 %r1, %r1, 1;\n"
    "    setp.lt.u32 %p2, %r1, 20;\n"
    "    @!%p2 bra DONE;\n"
    "    add.u32 %r1, %r1, 1;\n"
    "    add.u32 %r1, %r1, 1;\n"
    "DONE:\n"
    "    bar.sync 0;\n"
    "    ret;\n}\n"
    ".visible .entry banks(.param .u64 stride)\n{\n"
    "    .shared .align 4 .b8 words[8192];\n"
    "    .reg .b32 %r<5>;\n"
    "    ld.param.u32 %r1, [stride];\n"
    "    mov.u32 %r2, %tid.x;\n"
    "    mul.lo.u32 %r1, %r1, %r2;\n"
    "    shl.b32 %r1, %r1, 2;\n"
    "    mov.u32 %r3, words;\n"
    "    add.u32 %r3, %r3, %r1;\n"
    "    st.shared.u32 [%r3], %r2;\n"
    "    bar.sync 0;\n"
    "    ld.shared.u32 %r4, [%r3];\n"
    "    ret;\n}\n"
    ".visible .entry spaces(.param .u64 out)\n{\n"
    "    .local .align 4 .b8 own[8];\n"
    "    .reg .b32 %r<6>;\n    .reg .b64 %rd<4>;\n"
    "    ld.param.u64 %rd1, [out];\n"
    "    mov.u32 %r1, %tid.x;\n"
    "    and.b32 %r2, %r1, 3;\n"
    "    mul.wide.u32 %rd2, %r2, 4;\n"
    "    mov.u64 %rd3, table;\n"
    "    add.u64 %rd3, %rd3, %rd2;\n"
    "    ld.const.u32 %r3, [%rd3];\n"
    "    st.local.u32 [own], %r3;\n"
    "    ld.local.u32 %r4, [own];\n"
    "    red.global.add.u32 [%rd1], %r4;\n"
    "    ret;\n}\n";

static struct observed start(enum coalescing rule, int workers)
{
    struct gpu gpu = test_gpu(75);

    gpu.coalescing = rule;
    return observe_ptx(&gpu, workers, ptx);
}

/* The only kernel, in the only shape. */
static const uint64_t *only_counters(const struct observed *observed)
{
    size_t count;
    const struct profile_kernel *kernels = profile_kernels(observed->profile, &count);

    assert_int_equal(count, 1);
    return kernels[0].counters;
}

static void launch_strided(const struct observed *observed, uint32_t blocks, uint64_t stride,
                           uint64_t shift)
{
    const uint64_t in = observed_memory(observed, 64 * 33 * 4 + 256);
    uint64_t arguments[] = {in + shift, observed_memory(observed, 256), stride};

    observed_launch(observed, "strided", blocks, 64, arguments, 3);
}

TEST(test_instructions)
{
    struct observed observed = start(COALESCE_SECTORS, 1);

    launch_strided(&observed, 3, 1, 0);
    const uint64_t *counters = only_counters(&observed);
    assert_int_equal(counters[PROFILE_WARP_INSTRUCTIONS], 3 * 2 * 12);
    assert_int_equal(counters[PROFILE_THREAD_INSTRUCTIONS], 3 * 64 * 12);
    assert_int_equal(counters[PROFILE_ACTIVE_THREADS], 3 * 64 * 12);
    assert_int_equal(counters[PROFILE_BRANCHES], 0);
    assert_int_equal(counters[PROFILE_BARRIERS], 0);
    assert_int_equal(counters[PROFILE_SHARED_LOADS], 0);
    observed_free(&observed);
}

/* Sectors and lines of two warps' loads; the stores are one run. */
static void expect_strided(uint64_t stride, uint64_t shift, uint64_t sectors, uint64_t lines)
{
    struct observed observed = start(COALESCE_SECTORS, 1);

    launch_strided(&observed, 1, stride, shift);
    const uint64_t *counters = only_counters(&observed);
    assert_int_equal(counters[PROFILE_GLOBAL_LOADS], 2);
    assert_int_equal(counters[PROFILE_GLOBAL_STORES], 2);
    assert_int_equal(counters[PROFILE_GLOBAL_LOAD_SECTORS], sectors);
    assert_int_equal(counters[PROFILE_GLOBAL_STORE_SECTORS], 8);
    assert_int_equal(counters[PROFILE_GLOBAL_SECTORS], sectors + 8);
    assert_int_equal(counters[PROFILE_GLOBAL_LINES], lines + 2);
    assert_int_equal(counters[PROFILE_GLOBAL_BYTES_ASKED], 2 * 2 * 128);
    assert_int_equal(counters[PROFILE_GLOBAL_BYTES_MOVED], 32 * (sectors + 8));
    observed_free(&observed);
}

TEST(test_global)
{
    expect_strided(1, 0, 8, 2);
    expect_strided(1, 4, 10, 4);
    expect_strided(2, 0, 16, 4);
    expect_strided(32, 0, 64, 64);
    expect_strided(0, 0, 2, 2);
}

TEST(test_half_warp_gpu)
{
    struct observed observed = start(COALESCE_HALF_WARP, 1);

    launch_strided(&observed, 1, 2, 0);
    const uint64_t *counters = only_counters(&observed);
    assert_int_equal(counters[PROFILE_GLOBAL_TRANSACTIONS], 64 + 4);
    assert_int_equal(counters[PROFILE_GLOBAL_BYTES_MOVED], 64 * 32 + 4 * 64);
    observed_free(&observed);
}

TEST(test_divergence)
{
    struct observed observed = start(COALESCE_SECTORS, 1);

    observed_launch(&observed, "diverge", 2, 32, NULL, 0);
    const uint64_t *counters = only_counters(&observed);
    assert_int_equal(counters[PROFILE_WARP_INSTRUCTIONS], 2 * 9);
    assert_int_equal(counters[PROFILE_ACTIVE_THREADS], 2 * (7 * 32 + 2 * 20));
    /* One instruction lets 8 lanes through, the branch 12. */
    assert_int_equal(counters[PROFILE_THREAD_INSTRUCTIONS], 2 * (5 * 32 + 8 + 12 + 2 * 20));
    assert_int_equal(counters[PROFILE_BRANCHES], 2);
    assert_int_equal(counters[PROFILE_DIVERGENT_BRANCHES], 2);
    assert_int_equal(counters[PROFILE_BARRIERS], 2);
    observed_free(&observed);
}

static void expect_banks(uint64_t stride, uint64_t passes)
{
    struct observed observed = start(COALESCE_SECTORS, 1);

    observed_launch(&observed, "banks", 1, 32, &stride, 1);
    const uint64_t *counters = only_counters(&observed);
    assert_int_equal(counters[PROFILE_SHARED_LOADS], 1);
    assert_int_equal(counters[PROFILE_SHARED_STORES], 1);
    assert_int_equal(counters[PROFILE_SHARED_LOAD_WAVEFRONTS], passes);
    assert_int_equal(counters[PROFILE_SHARED_STORE_WAVEFRONTS], passes);
    assert_int_equal(counters[PROFILE_SHARED_WAVEFRONTS], 2 * passes);
    assert_int_equal(counters[PROFILE_SHARED_IDEAL], 2);
    assert_int_equal(counters[PROFILE_SHARED_CONFLICTS], 2 * passes - 2);
    assert_int_equal(counters[PROFILE_GLOBAL_SECTORS], 0);
    observed_free(&observed);
}

TEST(test_shared)
{
    expect_banks(1, 1);
    expect_banks(2, 2);
    expect_banks(32, 32);
    expect_banks(33, 1);
}

/* Thread t copies 16 bytes from in[t + shift], two of them none, to 32 * t; then 4 bytes to t. */
static const char copying[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                              ".visible .entry copies(.param .u64 in)\n{\n"
                              "    .shared .align 16 .b8 tile[1024];\n"
                              "    .reg .b32 %r<5>;\n    .reg .b64 %rd<4>;\n    .reg .pred %p<2>;\n"
                              "    ld.param.u64 %rd1, [in];\n"
                              "    mov.u32 %r1, %tid.x;\n"
                              "    mad.wide.u32 %rd2, %r1, 16, %rd1;\n"
                              "    mov.u32 %r2, tile;\n"
                              "    mad.lo.u32 %r3, %r1, 32, %r2;\n"
                              "    setp.lt.u32 %p1, %r1, 30;\n"
                              "    selp.u32 %r4, 16, 0, %p1;\n"
                              "    cp.async.cg.shared.global [%r3], [%rd2], 16, %r4;\n"
                              "    mad.lo.u32 %r3, %r1, 4, %r2;\n"
                              "    cp.async.wait_all;\n"
                              "    cp.async.ca.shared.global [%r3], [%rd1], 4;\n"
                              "    cp.async.wait_all;\n"
                              "    ret;\n}\n";

TEST(test_copies)
{
    const struct gpu gpu = test_gpu(80);
    struct observed observed = observe_ptx(&gpu, 1, copying);
    uint64_t arguments[] = {observed_memory(&observed, 1024)};

    observed_launch(&observed, "copies", 1, 32, arguments, 1);
    const uint64_t *counters = only_counters(&observed);
    assert_int_equal(counters[PROFILE_GLOBAL_LOADS], 2);
    assert_int_equal(counters[PROFILE_GLOBAL_LOAD_SECTORS], 30 / 2 + 1);
    assert_int_equal(counters[PROFILE_GLOBAL_BYTES_ASKED], 30 * 16 + 32 * 4);
    assert_int_equal(counters[PROFILE_GLOBAL_STORES], 0);
    /* 16 bytes are of 8 lanes at a time; every second piece left out is a conflict of two. */
    assert_int_equal(counters[PROFILE_SHARED_STORES], 2);
    assert_int_equal(counters[PROFILE_SHARED_STORE_WAVEFRONTS], 2 * 4 + 1);
    assert_int_equal(counters[PROFILE_SHARED_IDEAL], 4 + 1);
    assert_int_equal(counters[PROFILE_SHARED_LOADS], 0);
    observed_free(&observed);
}

/* One product, whose first factor has rows `pitch` halves apart, in shared and in global memory. */
static const char multiplying[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n.global .align 16 .b8 matrix[2048];\n"
    ".visible .entry product(.param .u64 pitch)\n{\n"
    "    .shared .align 16 .b8 tile[2048];\n"
    "    .reg .b32 %r<30>;\n"
    "    ld.param.u32 %r1, [pitch];\n"
    "    wmma.load.a.sync.aligned.row.m16n16k16.shared.bf16 {%r2, %r3, %r4, %r5}, [tile], %r1;\n"
    "    wmma.load.b.sync.aligned.row.m16n16k16.global.bf16 {%r6, %r7, %r8, %r9}, [matrix], 32;\n"
    "    wmma.load.c.sync.aligned.row.m16n16k16.global.f32"
    " {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [matrix], 16;\n"
    "    wmma.mma.sync.aligned.row.row.m16n16k16.f32.bf16.bf16.f32"
    " {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, {%r2, %r3, %r4, %r5},"
    " {%r6, %r7, %r8, %r9}, {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17};\n"
    "    wmma.store.d.sync.aligned.row.m16n16k16.shared.f32"
    " [tile], {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, 16;\n"
    "    ret;\n}\n";

/* As machine code asks for them: rows of 16 bytes from shared memory, four matrices at once; from
 * global memory a register at a time, and two floats. */
TEST(test_fragments)
{
    const struct gpu gpu = test_gpu(80);
    for (uint64_t pitch = 24; pitch <= 64; pitch += 40) {
        struct observed observed = observe_ptx(&gpu, 1, multiplying);
        observed_launch(&observed, "product", 1, 32, &pitch, 1);
        const uint64_t *counters = only_counters(&observed);
        assert_int_equal(counters[PROFILE_TENSOR_INSTRUCTIONS], 1);
        assert_int_equal(counters[PROFILE_SHARED_LOADS], 1);
        assert_int_equal(counters[PROFILE_SHARED_LOAD_WAVEFRONTS], pitch == 24 ? 4 : 32);
        assert_int_equal(counters[PROFILE_SHARED_STORES], 4);
        assert_int_equal(counters[PROFILE_GLOBAL_LOADS], 8);
        assert_int_equal(counters[PROFILE_GLOBAL_LOAD_SECTORS], 4 * 8 + 4 * 8);
        observed_free(&observed);
    }
}

/* Row i of matrices begins at `pitch` times i. */
static const char moving[] = ".version 7.8\n.target sm_90\n.address_size 64\n"
                             ".visible .entry matrices(.param .u64 pitch)\n{\n"
                             "    .shared .align 16 .b8 tile[4096];\n"
                             "    .reg .b32 %r<9>;\n"
                             "    ld.param.u32 %r1, [pitch];\n"
                             "    mov.u32 %r2, %tid.x;\n"
                             "    mov.u32 %r3, tile;\n"
                             "    mad.lo.u32 %r1, %r1, %r2, %r3;\n"
                             "    ldmatrix.sync.aligned.m8n8.x4.shared.b16"
                             " {%r2, %r3, %r4, %r5}, [%r1];\n"
                             "    ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r6}, [%r1];\n"
                             "    stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r1], {%r2, %r3};\n"
                             "    ret;\n}\n";

/* A wavefront for each matrix, and one more for each row in banks that another row of it uses. */
static void expect_matrices(uint64_t pitch, uint64_t wavefronts)
{
    const struct gpu gpu = test_gpu(90);
    struct observed observed = observe_ptx(&gpu, 1, moving);

    observed_launch(&observed, "matrices", 1, 32, &pitch, 1);
    const uint64_t *counters = only_counters(&observed);
    assert_int_equal(counters[PROFILE_SHARED_LOADS], 2);
    assert_int_equal(counters[PROFILE_SHARED_STORES], 1);
    assert_int_equal(counters[PROFILE_SHARED_LOAD_WAVEFRONTS], 5 * wavefronts);
    assert_int_equal(counters[PROFILE_SHARED_STORE_WAVEFRONTS], 2 * wavefronts);
    assert_int_equal(counters[PROFILE_SHARED_IDEAL], 5 + 2);
    observed_free(&observed);
}

TEST(test_matrices)
{
    expect_matrices(16, 1);
    expect_matrices(32, 2);
    expect_matrices(64, 4);
    expect_matrices(128, 8);
    expect_matrices(128 - 16, 1); /* as in a padded tile */
}

TEST(test_other_spaces)
{
    struct observed observed = start(COALESCE_SECTORS, 1);
    uint64_t out = observed_memory(&observed, 4);
    uint32_t sum;

    observed_launch(&observed, "spaces", 1, 32, &out, 1);
    memcpy(&sum, memory_host(observed.machine, out), sizeof(sum));
    assert_int_equal(sum, 8 * (1 + 2 + 3 + 4));
    const uint64_t *counters = only_counters(&observed);
    assert_int_equal(counters[PROFILE_CONSTANT_LOADS], 1);
    assert_int_equal(counters[PROFILE_CONSTANT_PASSES], 4);
    assert_int_equal(counters[PROFILE_LOCAL_LOADS], 1);
    assert_int_equal(counters[PROFILE_LOCAL_STORES], 1);
    assert_int_equal(counters[PROFILE_LOCAL_SECTORS], 8);
    assert_int_equal(counters[PROFILE_GLOBAL_ATOMICS], 1);
    assert_int_equal(counters[PROFILE_GLOBAL_ATOMIC_SECTORS], 1);
    observed_free(&observed);
}

/* Launches of one shape add up; another shape is a row of its own. */
TEST(test_rows)
{
    struct observed observed = start(COALESCE_SECTORS, 1);
    size_t count;

    launch_strided(&observed, 1, 1, 0);
    observed_launch(&observed, "diverge", 1, 32, NULL, 0);
    launch_strided(&observed, 1, 1, 0);
    launch_strided(&observed, 2, 1, 0);
    const struct profile_kernel *kernels = profile_kernels(observed.profile, &count);
    assert_int_equal(count, 3);
    assert_string_equal(kernels[0].function, "strided");
    assert_int_equal(kernels[0].launches, 2);
    assert_int_equal(kernels[0].counters[PROFILE_GLOBAL_SECTORS], 2 * 16);
    assert_string_equal(kernels[1].function, "diverge");
    assert_string_equal(kernels[2].function, "strided");
    assert_int_equal(kernels[2].grid.x, 2);
    assert_int_equal(kernels[2].launches, 1);
    assert_int_equal(kernels[2].failed_launches, 0);
    observed_free(&observed);
}

/* The same launch in another range is a row of its own. */
TEST(test_ranges)
{
    struct observed observed = start(COALESCE_SECTORS, 1);
    size_t count;

    launch_strided(&observed, 1, 1, 0);
    for (int i = 0; i < 2; i++) {
        profile_next_range(observed.profile);
        launch_strided(&observed, 1, 1, 0);
        launch_strided(&observed, 1, 1, 0);
    }
    const struct profile_kernel *kernels = profile_kernels(observed.profile, &count);
    assert_int_equal(count, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(kernels[i].range, i);
        assert_int_equal(kernels[i].launches, i ? 2 : 1);
        assert_int_equal(kernels[i].counters[PROFILE_GLOBAL_LOADS], kernels[i].launches * 2);
    }
    observed_free(&observed);
}

TEST(test_any_number_of_workers)
{
    uint64_t one[PROFILE_COUNTER_COUNT];

    for (int workers = 1; workers <= 5; workers += 2) {
        struct observed observed = start(COALESCE_SECTORS, workers);
        launch_strided(&observed, 37, 3, 4);
        const uint64_t *counters = only_counters(&observed);
        if (workers == 1)
            memcpy(one, counters, sizeof(one));
        assert_memory_equal(counters, one, sizeof(one));
        observed_free(&observed);
    }
}

/* What profile_print writes, as one string to be freed. */
static char *print(const struct observed *observed, bool json)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    assert_non_null(file);
    profile_print(observed->profile, file, json);
    fclose(file);
    return text;
}

TEST(test_json)
{
    struct observed observed = start(COALESCE_SECTORS, 1);

    launch_strided(&observed, 1, 32, 0);
    char *text = print(&observed, true);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);

    json_error_t error;
    json_t *root = json_loads(text, 0, &error);
    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, "device")), "emulated for tests");
    const json_t *kernel = json_array_get(json_object_get(root, "kernels"), 0);
    assert_string_equal(json_string_value(json_object_get(kernel, "name")), "strided");
    assert_int_equal(json_integer_value(json_object_get(kernel, "launches")), 1);
    assert_int_equal(json_integer_value(json_object_get(kernel, "global_sectors")), 64 + 8);
    assert_float_equal(json_real_value(json_object_get(kernel, "sectors_per_load")), 32, 0);
    assert_float_equal(json_real_value(json_object_get(kernel, "active_lanes")), 32, 0);
    assert_true(json_is_null(json_object_get(kernel, "wavefronts_per_shared_request")));
    json_decref(root);
    free(text);
    observed_free(&observed);
}

TEST(test_text)
{
    struct observed observed = start(COALESCE_SECTORS, 1);
    uint64_t stride = 2;

    char *text = print(&observed, false);
    assert_non_null(strstr(text, "no kernel was launched"));
    free(text);
    observed_launch(&observed, "banks", 100, 32, &stride, 1);
    text = print(&observed, false);
    assert_non_null(strstr(text, "banks <<<(100, 1, 1), (32, 1, 1)>>>, 8192 bytes"));
    assert_non_null(strstr(text, " 1 000\n")); /* warp instructions */
    assert_non_null(strstr(text, "400  smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared\n"));
    assert_null(strstr(text, "global"));
    free(text);
    observed_free(&observed);
}

/* GPUs that Nsight Compute does not know have no metric of its to be equal to. */
TEST(test_text_old_gpu)
{
    const struct gpu gpu = test_gpu(61);
    char *old_ptx = strdup(ptx);
    uint64_t stride = 2;

    char *target = strstr(old_ptx, "sm_75");
    assert_non_null(target);
    memcpy(target, "sm_61", strlen("sm_61"));
    struct observed observed = observe_ptx(&gpu, 1, old_ptx);
    free(old_ptx);
    observed_launch(&observed, "banks", 100, 32, &stride, 1);
    char *text = print(&observed, false);
    assert_non_null(strstr(text, "(PTX instructions)\n"));
    assert_non_null(strstr(text, " 400\n"));
    assert_null(strstr(text, "smsp__"));
    assert_null(strstr(text, "Nsight"));
    free(text);
    observed_free(&observed);
}

TEST_MAIN()

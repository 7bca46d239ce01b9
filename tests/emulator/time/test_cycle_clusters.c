/* SPDX-License-Identifier: MIT */
/* The cycle model of time: how many clusters of which size run at once. */
#include "observed.h"

/* Each block counts to n. */
static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry count(.param .u64 n)\n{\n"
                          "    .reg .b32 %r<2>;\n    .reg .pred %p<2>;\n"
                          "    ld.param.u32 %r1, [n];\n"
                          "NEXT:\n    .pragma \"nounroll\";\n    sub.u32 %r1, %r1, 1;\n"
                          "    setp.ne.u32 %p1, %r1, 0;\n    @%p1 bra NEXT;\n    ret;\n}\n";

/* In how many waves that many clusters run, of which an SM holds one block at once. */
static int waves(const struct gpu *gpu, uint32_t size, uint32_t clusters)
{
    double ms[2];

    for (int i = 0; i < 2; i++) {
        struct observed observed = observe_ptx(gpu, 2, ptx);
        struct fault fault = {.kind = FAULT_NONE};
        uint64_t n = 2000;
        void *arguments[] = {&n};
        const struct launch_request request = {program_kernel(observed.program, "count"),
                                               {i ? clusters * size : size, 1, 1},
                                               {32, 1, 1},
                                               200 << 10,
                                               arguments,
                                               {size, 1, 1},
                                               0};
        timing_launch(observed.timing, &request, &fault);
        assert_int_equal(fault.kind, FAULT_NONE);
        ms[i] = timing_last(observed.timing).ms - gpu->launch_us / 1000;
        observed_free(&observed);
    }
    return (int)(ms[1] / ms[0] + 0.5);
}

/* What an H200 says of clusters of 1 to 16 blocks, with 1, 2 and 8 blocks on an SM
 * (cudaOccupancyMaxActiveClusters), and how its launches of such clusters take their time. */
TEST(test_clusters_are_in_groups_of_sms)
{
    static const int at_once[][16] = {
        {132, 66, 39, 30, 22, 17, 15, 15, 9, 7, 7, 7, 7, 7, 7, 7},
        {264, 132, 79, 62, 47, 39, 32, 30, 23, 21, 16, 16, 14, 14, 14, 14},
        {1056, 528, 327, 248, 193, 163, 139, 124, 102, 88, 81, 74, 67, 65, 58, 58},
    };
    const int blocks[] = {1, 2, 8};
    const struct gpu gpu = observed_h200(16 << 20);

    for (int i = 0; i < 3; i++)
        for (int size = 1; size <= 16; size++)
            assert_int_equal(gpu_clusters_at_once(&gpu, size, blocks[i]), at_once[i][size - 1]);
    for (uint32_t size = 2; size <= 16; size++) {
        const uint32_t most = (uint32_t)at_once[0][size - 1];
        assert_int_equal(waves(&gpu, size, most), 1);
        assert_int_equal(waves(&gpu, size, most + 1), 2);
        assert_int_equal(waves(&gpu, size, 2 * most), 2);
        assert_int_equal(waves(&gpu, size, 4 * most + 1), 5);
    }
}

/* Where a GPU's groups are not known, any SMs share a cluster, and some may be left over. A GPU may
 * have fewer SMs than the groups, or than a cluster has blocks. */
TEST(test_without_groups_any_sms_share_a_cluster)
{
    struct gpu gpu = observed_h200(16 << 20);

    gpu.cluster_groups[0] = 0;
    assert_int_equal(waves(&gpu, 3, 44), 1);
    assert_int_equal(waves(&gpu, 3, 45), 2);
    assert_int_equal(waves(&gpu, 5, 26), 1);
    assert_int_equal(waves(&gpu, 5, 27), 2);
    gpu = observed_h200(16 << 20);
    gpu.multiprocessors = 4;
    assert_int_equal(gpu_clusters_at_once(&gpu, 3, 2), 2);
    assert_int_equal(waves(&gpu, 8, 3), 3);
}

TEST_MAIN()

/* SPDX-License-Identifier: MIT */
/* The description of an emulated GPU, read from gpus/NAME.txt. */
#ifndef GPU_H
#define GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the lanes of a warp share a request to global memory. */
enum coalescing {
    COALESCE_SECTORS, /* 32-byte sectors of 128-byte lines, whole warps: compute 3 and later */
    COALESCE_HALF_WARP, /* compute 1.0/1.1: half-warps, in order and aligned, or 16 transactions */
    COALESCE_SEGMENTS, /* compute 1.2/1.3: half-warps, a transaction for each segment they touch */
};

struct gpu {
    char name[128]; /* as cudaGetDeviceProperties tells it; says "emulated", for people */
    int major, minor;
    int own_features; /* 1: it runs what is for GPUs of just this capability, as sm_90a; 0 */

    /* Limits. */
    int multiprocessors;
    int max_threads_per_block, max_threads_per_sm, max_blocks_per_sm;
    uint32_t max_block[3], max_grid[3];
    size_t memory; /* bytes */
    size_t constant_memory;
    int max_cluster; /* blocks; 1: it knows no clusters */
    size_t shared_per_block, shared_per_block_optin, shared_per_sm;
    int registers_per_block, registers_per_sm;
    int max_registers; /* of a thread */
    int max_pitch; /* bytes between rows of a copy of rows */
    int texture_alignment; /* bytes that texture addresses are multiples of */
    int texture_pitch_alignment; /* and the bytes between rows of one in pitched memory */
    size_t texture_cache; /* bytes of a multiprocessor's */
    int copy_engines; /* copies that can go on beside a kernel */

    /* How a multiprocessor hands out what blocks share. */
    size_t shared_reserved; /* bytes of every block the system keeps for itself */
    size_t shared_unit; /* bytes a block's shared memory is rounded up to */
    int register_unit; /* registers a warp's are rounded up to; a block's on compute 1.x */
    int warp_unit; /* warps a block's registers are handed out by: the SM's partitions */

    /* Rules. */
    enum coalescing coalescing;
    int banks; /* of shared memory, one 4-byte word wide */
    int bank_lanes; /* lanes served together: 32, or 16 for half-warps */

    /* Speeds. */
    int clock_khz, memory_clock_khz, memory_bus_bits;
    size_t l2_bytes;
    int schedulers; /* warp instructions a multiprocessor issues per clock */
    /* Clocks to a dependent instruction; cluster_latency: to another block's shared memory. */
    int arithmetic_latency, shared_latency, cluster_latency, global_latency;
    double launch_us; /* of an empty kernel */
    double link_gbs; /* GB/s (10^9) from one device to another, each way; 0: they cannot reach each
                        other's memory */
    double link_us; /* until a copy over the link begins to arrive */
    double pcie_gbs; /* GB/s (10^9) between page-locked host memory and the device, each way */
    double staging_gbs; /* GB/s at which pageable memory is first copied to page-locked */
    double transfer_us; /* of an empty copy */

    /* Of GPUs whose multiprocessors the cycle model runs; all 0 for others. Clocks are the
     * multiprocessors', lanes those of a multiprocessor. */
    size_t l1_bytes; /* of a multiprocessor, shared memory included */
    int l1_latency, l2_latency; /* clocks of a load that hits */
    int l2_far_latency; /* in the half of L2 that is not the multiprocessor's */
    double tag_clocks; /* between two lines of a request */
    double l2_port_bytes; /* a clock between a multiprocessor and L2 */
    double l2_clock_bytes, l2_clock_requests; /* a clock between all of them and L2 */
    double memory_share; /* of the bandwidth of device memory, what is reached by reading */
    double memory_write_share; /* by what is written among that: the bus has to turn round */
    int float_lanes, integer_lanes, special_lanes, convert_lanes, double_lanes;
    int special_latency, convert_latency, double_latency, shuffle_latency;
    int tensor_products; /* of halves, that mma adds up a clock; 0: no tensor cores */
    int tensor_latency; /* of an mma */
    int wgmma_products; /* as tensor_products, of wgmma; 0: as many */
    int code_instructions; /* that an SM keeps; */
    double code_clocks; /* for each that it has to fetch again */
    int jump_latency; /* clocks to the instruction that a branch goes to */
    int barrier_latency, barrier_warp_clocks; /* of a barrier; for each warp that arrives */
    int fence_latency;
    /* Of copies in the background: from a line's arrival until a thread that waits goes on; until
     * the engine of bulk copies knows what a warp asks for, which is held so long, and longer for
     * each lane that asks; between two lines of those. */
    int copy_latency, bulk_latency, bulk_clocks;
    double bulk_line_clocks;
    int mbarrier_latency; /* until a barrier in shared memory has seen something, or has answered */
    /* Of clusters: clocks of a load from the SM's own shared memory by an address of the cluster;
     * bytes a clock to and from the others'; clocks for each lane that sends there. */
    int cluster_own_latency;
    double cluster_bytes, send_clocks;
    int cluster_barrier_latency; /* of their barrier; and for a fence before it */
    int cluster_fence_latency;
    double cluster_clocks; /* between the starts of two clusters, beside their blocks' */
    double block_clocks; /* between the starts of two blocks */
    int block_latency; /* from the end of a block to the start of the next in its place */
    double atomic_clocks, atomic_float_clocks; /* of L2, for each addition to one word */
    int atomic_slices, atomic_slice_bytes; /* parts of L2 that do them, and how they interleave */
    int shared_swap_clocks; /* a round of an atomic that shared memory has no unit for */
    double event_us; /* of an event behind a kernel */

    /* Of GPUs of compute capability 1.x, whose multiprocessors are modelled clock by clock; all 0
     * for others. Clocks are the multiprocessors'. */
    int issue_clocks; /* a warp instruction keeps the issue port */
    int special_clocks; /* a special function does */
    int shared_operand_clocks; /* an instruction with an operand in shared memory does */
    int bank_clocks; /* each further pass over the banks does */
    int branch_clocks; /* from a branch to the warp's next instruction */
    int coalesced_clocks, door_clocks; /* between multiprocessor and memory: a half-warp's
                                          transaction, one of a single thread */
    int turnaround_clocks; /* of device memory, between loads and stores */
    size_t store_queue; /* bytes of stores that device memory lets wait for each other */
    /* Of the bandwidth, what pages and refresh leave to words of 32, 64 and 128 bits. */
    double memory_efficiency, memory_efficiency_64, memory_efficiency_128;
    double copy_row_us; /* of every row of a copy of rows */
};

/* Read the description of `name` ("default", or the base name of a file in the folder of
 * descriptions). Returns false with one line in `error` (GPU_ERROR_SIZE bytes) that names file,
 * line and what is wrong, or lists the names there are. */
bool gpu_read(const char *folder, const char *name, struct gpu *gpu, char *error);
enum { GPU_ERROR_SIZE = 512 };
/* What a description may ask for at most of what the models of time have room for. */
enum { SCHEDULERS_MOST = 8, SLICES_MOST = 256 };

/* The names of the descriptions in `folder`, sorted, a space between them; the caller frees them.
 * Returns NULL with one line in `error` where the folder cannot be read or holds none. */
char *gpu_list(const char *folder, char *error);

/* Blocks of `threads` threads, with `registers` a thread and `shared` bytes a block, that one
 * multiprocessor of `gpu` holds at once; 0: not even one. After the CUDA C++ Programming Guide's
 * section on multiprocessor level occupancy: the least of what threads, blocks, registers and
 * shared memory allow. */
int gpu_blocks_per_multiprocessor(const struct gpu *gpu, int threads, int registers, size_t shared);

#endif

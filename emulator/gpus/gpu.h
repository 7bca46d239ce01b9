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

/* What the kinds of rows of gpu.def are as members. */
typedef char gpu_text[128];
typedef uint32_t gpu_triple[3];
#define GPU_TEXT gpu_text
#define GPU_INT int
#define GPU_TRIPLE gpu_triple
#define GPU_SIZE size_t
#define GPU_REAL double
#define GPU_COALESCING enum coalescing
struct gpu {
#define FIELD(kind, key, least) GPU_##kind key;
#include "gpus/gpu.def"
#undef FIELD
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

/* Clusters of `size` blocks that `gpu` holds at once, where a multiprocessor holds `blocks`. Those
 * of more than two blocks are in one of its groups, with as many multiprocessors as blocks at least
 * (H200, benchmarks/model/cluster.cu). */
int gpu_clusters_at_once(const struct gpu *gpu, int size, int blocks);

#endif

/* An observer that counts: what each kernel asked of the GPU.
 *
 * The counts are of PTX instructions, before ptxas makes machine code of them. Those that depend on
 * addresses alone equal what Nsight Compute reports and, on a GPU that it knows, carry its metric's
 * name; instruction, branch and request counts may move by a third either way.
 *
 * As JSON, one object on one line:
 *
 *   {"device": "...", "kernels": [
 *     {"name": "sum_of_squares",        base name
 *      "function": "_Z14sum_of...",     mangled name
 *      "range": 0,                      calls of cudaProfilerStart() before its launches
 *      "grid": [x, y, z], "block": [x, y, z],
 *      "shared_bytes": 1024,            a block's, static and dynamic
 *      "launches": 1,                   of this shape in this range; counts are their sum
 *      "failed_launches": 0,            of those, stopped by a fault
 *      "warp_instructions": 123, ...    every key of PROFILE_COUNTERS
 *      "active_lanes": 31.5,            the ratios below; null where nothing was counted
 *      "sectors_per_load": 4.0,
 *      "sectors_per_store": 4.0,
 *      "wavefronts_per_shared_request": 1.0,
 *      "sectors_per_fetch": 8.0,
 *      "passes_per_constant_load": 1.0,
 *      "modelled_ms": 0.1,              the launches' modelled time, where a timing was set,
 *      "bound_by": "issue",             of the last one what took most of it,
 *      "occupancy": 0.67,               and the share of an SM's threads that were resident
 *      "registers": 24,                 of a thread: ptxas's count if the program holds machine
 *      "registers_estimated": true,     code that the GPU runs, else an estimate
 *      "global_efficiency": 1.0}, ...]} bytes asked for / bytes moved; above 1 where lanes share
 */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdio.h>

#include "machine/observer.h"
#include "time/timing.h"

/* X(id, JSON key, name for people, Nsight Compute's metric that it equals or NULL) */
#define PROFILE_COUNTERS(X)                                                                       \
    /* A warp executing an instruction counts one, whatever its mask. */                          \
    X(WARP_INSTRUCTIONS, "warp_instructions", "warp instructions", NULL)                          \
    /* Lanes that its guard lets through; lanes on the path, guard or not. */                     \
    X(THREAD_INSTRUCTIONS, "thread_instructions", "thread instructions", NULL)                    \
    X(ACTIVE_THREADS, "active_thread_instructions", "thread instructions, guarded off too", NULL) \
    X(BRANCHES, "branches", "conditional branches", NULL)                                         \
    X(DIVERGENT_BRANCHES, "divergent_branches", "divergent branches", NULL)                       \
    /* Arrivals of a warp. */                                                                     \
    X(BARRIERS, "barriers", "barriers (warps arriving)", NULL)                                    \
    X(WARP_BARRIERS, "warp_barriers", "warp barriers", NULL)                                      \
    /* One request: one memory instruction of one warp. The three kinds follow each other. */     \
    X(GLOBAL_LOADS, "global_loads", "global load requests", NULL)                                 \
    X(GLOBAL_STORES, "global_stores", "global store requests", NULL)                              \
    X(GLOBAL_ATOMICS, "global_atomics", "global atomic requests", NULL)                           \
    X(GLOBAL_LOAD_SECTORS, "global_load_sectors", "  32-byte sectors loaded", NULL)               \
    X(GLOBAL_STORE_SECTORS, "global_store_sectors", "  32-byte sectors stored", NULL)             \
    X(GLOBAL_ATOMIC_SECTORS, "global_atomic_sectors", "  32-byte sectors of atomics", NULL)       \
    X(GLOBAL_SECTORS, "global_sectors", "  32-byte sectors", "smsp__sass_sectors_mem_global")     \
    X(GLOBAL_LINES, "global_lines", "  128-byte lines", NULL)                                     \
    X(GLOBAL_TRANSACTIONS, "global_transactions", "  memory transactions", NULL)                  \
    X(GLOBAL_BYTES_ASKED, "global_bytes_asked", "  bytes asked for", NULL)                        \
    X(GLOBAL_BYTES_MOVED, "global_bytes_moved", "  bytes moved", NULL)                            \
    X(LOCAL_LOADS, "local_loads", "local load requests", NULL)                                    \
    X(LOCAL_STORES, "local_stores", "local store requests", NULL)                                 \
    X(LOCAL_SECTORS, "local_sectors", "  32-byte sectors", NULL)                                  \
    X(SHARED_LOADS, "shared_loads", "shared load requests", NULL)                                 \
    X(SHARED_STORES, "shared_stores", "shared store requests", NULL)                              \
    X(SHARED_ATOMICS, "shared_atomics", "shared atomic requests", NULL)                           \
    X(SHARED_LOAD_WAVEFRONTS, "shared_load_wavefronts", "  wavefronts of loads", NULL)            \
    X(SHARED_STORE_WAVEFRONTS, "shared_store_wavefronts", "  wavefronts of stores", NULL)         \
    X(SHARED_ATOMIC_WAVEFRONTS, "shared_atomic_wavefronts", "  wavefronts of atomics", NULL)      \
    X(SHARED_WAVEFRONTS, "shared_wavefronts", "  wavefronts",                                     \
      "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared")                                          \
    X(SHARED_IDEAL, "shared_wavefronts_ideal", "  wavefronts without conflicts", NULL)            \
    X(SHARED_CONFLICTS, "shared_bank_conflicts", "  bank conflicts (extra wavefronts)", NULL)     \
    X(TEXTURE_FETCHES, "texture_fetches", "texture fetch requests", NULL)                         \
    X(TEXTURE_TEXELS, "texture_texels", "  texels read", NULL)                                    \
    X(TEXTURE_SECTORS, "texture_sectors", "  32-byte sectors", NULL)                              \
    X(CONSTANT_LOADS, "constant_loads", "constant load requests", NULL)                           \
    X(CONSTANT_PASSES, "constant_passes", "  passes (different addresses)", NULL)

enum profile_counter {
#define X(id, key, label, metric) PROFILE_##id,
    PROFILE_COUNTERS(X)
#undef X
        PROFILE_COUNTER_COUNT,
};

/* What was counted of one kernel launched in one shape, in one range. */
struct profile_kernel {
    char *name, *function; /* base name; mangled name */
    struct dim grid, block;
    size_t shared_bytes; /* static and dynamic */
    unsigned range;
    uint64_t launches, failed_launches;
    uint64_t counters[PROFILE_COUNTER_COUNT]; /* summed over the launches */
    double ms; /* modelled, summed over the launches */
    struct timing_launch timing; /* of the last launch */
};

struct profile;

/* A profile of `machine`, which must outlive it, with nothing counted yet. */
struct profile *profile_new(const struct machine *machine);
void profile_free(struct profile *profile);

/* Report what `timing` makes of the launches too. It observes the machine before the profile does
 * and outlives it. */
void profile_set_timing(struct profile *profile, const struct timing *timing);

/* Begin a range: the launches from here on are counted apart from those before. */
void profile_next_range(struct profile *profile);

/* What to hand to machine_observe(). Valid as long as the profile. */
const struct observer *profile_observer(struct profile *profile);

/* The kernels seen so far, in the order of their first launch, and how many. Valid until the next
 * launch. */
const struct profile_kernel *profile_kernels(const struct profile *profile, size_t *count);

/* Print the kernels seen so far to `file`: a table each, or one line of JSON. */
void profile_print(struct profile *profile, FILE *file, bool json);

#endif

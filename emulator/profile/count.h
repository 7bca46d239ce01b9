/* The counters, and what each event of the machine adds to them. An array of counts has
 * PROFILE_COUNTER_COUNT of them. */
#ifndef COUNT_H
#define COUNT_H

#include "gpus/gpu.h"
#include "machine/observer.h"

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

/* "global_sectors", as JSON has it. */
const char *count_key(enum profile_counter counter);

static inline void count_instruction(uint64_t *n, const struct instruction_event *event)
{
    n[PROFILE_WARP_INSTRUCTIONS]++;
    n[PROFILE_THREAD_INSTRUCTIONS] += __builtin_popcount(event->executing);
    n[PROFILE_ACTIVE_THREADS] += __builtin_popcount(event->active);
}

static inline void count_branch(uint64_t *n, const struct branch_event *event)
{
    n[PROFILE_BRANCHES]++;
    n[PROFILE_DIVERGENT_BRANCHES] += event->taken != 0 && event->taken != event->active;
}

static inline void count_barrier(uint64_t *n, const struct barrier_event *event)
{
    n[event->of_warp ? PROFILE_WARP_BARRIERS : PROFILE_BARRIERS]++;
}

void count_access(const struct gpu *gpu, uint64_t *n, const struct access_event *event);
void count_fetch(uint64_t *n, const struct fetch_event *event);

/* The counters that follow from others. */
void count_totals(uint64_t *n);

#endif

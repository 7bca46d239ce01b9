/* SPDX-License-Identifier: MIT */
/* What counters and the ratios of two are called, in JSON and for people: one name each, wherever
 * one is printed. Without anything of the emulator, so that the runner takes them from here too. */
#ifndef PROFILE_NAMES_H
#define PROFILE_NAMES_H

/* X(id, JSON key, name for people, Nsight Compute's metric that it equals or NULL); a name that
 * begins with spaces belongs to the one above it. */
#define PROFILE_COUNTERS(X)                                                                       \
    /* A warp executing an instruction counts one, whatever its mask. */                          \
    X(WARP_INSTRUCTIONS, "warp_instructions", "warp instructions", NULL)                          \
    /* Lanes that its guard lets through; lanes on the path, guard or not. */                     \
    X(THREAD_INSTRUCTIONS, "thread_instructions", "thread instructions", NULL)                    \
    X(ACTIVE_THREADS, "active_thread_instructions", "thread instructions, guarded off too", NULL) \
    X(BRANCHES, "branches", "conditional branches", NULL)                                         \
    X(DIVERGENT_BRANCHES, "divergent_branches", "divergent branches", NULL)                       \
    /* Products of matrices. */                                                                   \
    X(TENSOR_INSTRUCTIONS, "tensor_instructions", "tensor instructions", NULL)                    \
    /* Arrivals of a warp. */                                                                     \
    X(BARRIERS, "barriers", "barriers", NULL)                                                     \
    X(WARP_BARRIERS, "warp_barriers", "warp barriers", NULL)                                      \
    /* One request: one memory instruction of one warp. The three kinds follow each other. */     \
    X(GLOBAL_LOADS, "global_loads", "global load requests", NULL)                                 \
    X(GLOBAL_STORES, "global_stores", "global store requests", NULL)                              \
    X(GLOBAL_ATOMICS, "global_atomics", "global atomic requests", NULL)                           \
    X(GLOBAL_LOAD_SECTORS, "global_load_sectors", "  sectors loaded", NULL)                       \
    X(GLOBAL_STORE_SECTORS, "global_store_sectors", "  sectors stored", NULL)                     \
    X(GLOBAL_ATOMIC_SECTORS, "global_atomic_sectors", "  sectors of atomics", NULL)               \
    X(GLOBAL_SECTORS, "global_sectors", "  global sectors", "smsp__sass_sectors_mem_global")      \
    X(GLOBAL_LINES, "global_lines", "  128-byte lines", NULL)                                     \
    X(GLOBAL_TRANSACTIONS, "global_transactions", "  memory transactions", NULL)                  \
    X(GLOBAL_BYTES_ASKED, "global_bytes_asked", "  bytes asked for", NULL)                        \
    X(GLOBAL_BYTES_MOVED, "global_bytes_moved", "  bytes moved", NULL)                            \
    X(LOCAL_LOADS, "local_loads", "local load requests", NULL)                                    \
    X(LOCAL_STORES, "local_stores", "local store requests", NULL)                                 \
    X(LOCAL_SECTORS, "local_sectors", "  local sectors", NULL)                                    \
    X(SHARED_LOADS, "shared_loads", "shared load requests", NULL)                                 \
    X(SHARED_STORES, "shared_stores", "shared store requests", NULL)                              \
    X(SHARED_ATOMICS, "shared_atomics", "shared atomic requests", NULL)                           \
    X(SHARED_LOAD_WAVEFRONTS, "shared_load_wavefronts", "  wavefronts of loads", NULL)            \
    X(SHARED_STORE_WAVEFRONTS, "shared_store_wavefronts", "  wavefronts of stores", NULL)         \
    X(SHARED_ATOMIC_WAVEFRONTS, "shared_atomic_wavefronts", "  wavefronts of atomics", NULL)      \
    X(SHARED_WAVEFRONTS, "shared_wavefronts", "  shared wavefronts",                              \
      "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared")                                          \
    X(SHARED_IDEAL, "shared_wavefronts_ideal", "  wavefronts without conflicts", NULL)            \
    X(SHARED_CONFLICTS, "shared_bank_conflicts", "  bank conflicts", NULL)                        \
    X(TEXTURE_FETCHES, "texture_fetches", "texture fetches", NULL)                                \
    X(TEXTURE_TEXELS, "texture_texels", "  texels read", NULL)                                    \
    X(TEXTURE_SECTORS, "texture_sectors", "  texture sectors", NULL)                              \
    X(CONSTANT_LOADS, "constant_loads", "constant load requests", NULL)                           \
    /* Different addresses of a request take a pass each. */                                      \
    X(CONSTANT_PASSES, "constant_passes", "  constant passes", NULL)

#define ACTIVE_LANES_NAME "active lanes"
#define SECTORS_LOAD_NAME "sectors per load"
#define SECTORS_STORE_NAME "sectors per store"
#define WAVEFRONTS_NAME "wavefronts per shared request"
#define SECTORS_FETCH_NAME "sectors per texture fetch"
#define CONSTANT_PASSES_NAME "passes per constant load"
#define EFFICIENCY_NAME "bytes asked for per byte moved"

#endif

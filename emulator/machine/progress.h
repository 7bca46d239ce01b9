/* SPDX-License-Identifier: MIT */
/* A stretch under way, as the interpreter (stretch.c) and compiled kernels have it. These have this
 * text in front, so it includes nothing of the emulator; what stands before it defines OP_BYTES. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Registers are untyped memory: these views may alias. */
typedef uint32_t __attribute__((may_alias)) lane_u32;
typedef uint64_t __attribute__((may_alias)) lane_u64;

struct progress {
    struct warp *warp;
    char *const *base; /* its files */
    const struct op *told; /* the first that nobody has been told of */
    uint32_t active;
    uint32_t held; /* lanes that guards held back since, an instruction each */
    bool heard; /* somebody wants to hear of instructions */
    const char *ops; /* of the function */
    /* Interpret the instruction at `pc`. False: the path stops, or goes on elsewhere. */
    bool (*step)(struct progress *progress, int pc);
    /* The branch at `pc`, which `taken` take. False: not all lanes do, or the path stops. */
    bool (*branch)(struct progress *progress, int pc, uint32_t taken);
    /* Laps (laps.h). */
    uint32_t (*laps)(struct progress *progress, const int *stops);
    bool (*once)(struct progress *progress, const int *stops);
    bool (*leave)(struct progress *progress, const int *stops, uint32_t laps, int pc);
    void (*move)(struct progress *progress, int pc, char *base);
    bool (*tell)(struct progress *progress, const int *stops, uint32_t laps, uint64_t issued,
                 int pc, uint64_t first);
    char *shapes; /* the worker's */
    const char **loaded; /* the worker's */
    uint64_t priced; /* all bits: the observers want prices; or none */
    bool tells; /* each access is to be told of */
    int shy; /* how often laps are not to be tried: the last ones ended in the first turn */
    uint64_t none; /* 0: gcc makes no vector of a constant of 64 bits to be shifted, if it knows */
    bool left; /* laps were left at a request or a branch, which comes next */
};

#ifdef OP_BYTES
/* Call the executor of the op at `pc`, which begins with a pointer to it. */
typedef void executor(struct warp *warp, const char *op, uint32_t lanes);
/* The interpreter stores registers in pieces of 32 bytes. A load of more right after it waits
 * until they are in memory. */
#ifdef __x86_64__
#define BESIDE_INTERPRETER __attribute__((target("prefer-vector-width=256")))
#else
#define BESIDE_INTERPRETER
#endif
/* After enough branches that are merely unlikely gcc takes loops over the lanes to be cold, and
 * does not vectorise them. */
#if defined __GNUC__ && __GNUC__ >= 9
#define SELDOM(condition) __builtin_expect_with_probability((condition) != 0, 0, 1)
#else
#define SELDOM(condition) __builtin_expect((condition) != 0, 0)
#endif
/* A row that others share: a function for whole warps, one for PART lanes from `from` on, some of
 * which are `active`, and one for a lane alone. gcc 12 may count addresses from 0, then take stores
 * for some to NULL, the function for one without effects, and leave out calls: nothing that is said
 * in assembler is without effects. */
enum { PART = 8, FEW = 2 };
#define FOR_LANES_OF(row, name, ...)                                             \
    __attribute__((noinline)) BESIDE_INTERPRETER static void row##name(          \
        struct progress *progress, const uint32_t *o, uint32_t active, int from) \
    {                                                                            \
        row(progress, o, __VA_ARGS__);                                           \
        __asm__ volatile("" : : : "memory");                                     \
    }
#define SHARED(row)                                                                              \
    FOR_LANES_OF(row, _whole, true, ~0u, 0, 32)                                                  \
    FOR_LANES_OF(row, _part, false, active, from, from + PART)                                   \
    FOR_LANES_OF(row, _lane, false, 1u << from, from, from + 1)                                  \
    static inline void row##_some(struct progress *progress, const uint32_t *o, uint32_t active) \
    {                                                                                            \
        for (int from = 0; from < 32; from += PART) {                                            \
            uint32_t left = active & ((1u << PART) - 1) << from;                                 \
            if (__builtin_popcount(left) > FEW)                                                  \
                row##_part(progress, o, left, from);                                             \
            else                                                                                 \
                for (; left; left &= left - 1)                                                   \
                    row##_lane(progress, o, left, __builtin_ctz(left));                          \
        }                                                                                        \
    }
#define CALL_WHOLE(row) row##_whole(progress, o, ~0u, 0)
#define CALL_ANY(row) (whole ? CALL_WHOLE(row) : row##_some(progress, o, active))
/* A choice would be control flow, with which gcc leaves some loops as they are. */
#define MASKED(a, mask, b) (((a) & (mask)) | ((b) & ~(mask)))
#define OP(pc) (progress->ops + (pc)*OP_BYTES)
#define EXECUTE(pc) (*(executor *const *)OP(pc))(progress->warp, OP(pc), active)
#endif

#endif

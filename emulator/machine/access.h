/* SPDX-License-Identifier: MIT */
/* Requests to memory: what memory.c, atomic.c and print.c ask of access.c. */
#ifndef ACCESS_H
#define ACCESS_H

#include "warp.h"

struct access {
    uint64_t addresses[WARP_SIZE];
    char *pointers[WARP_SIZE]; /* of the lanes that take part */
};

/* A request of a warp's lanes to one space. */
struct request {
    enum access_kind kind;
    enum ptx_space space;
    uint32_t lanes;
    uint32_t bytes; /* a lane */
    uint32_t unit; /* a power of 2, of which addresses are multiples */
    uint32_t granule; /* bytes that one register takes or gives; 0: those of the op's elements */
    int part; /* its number among the requests of one instruction */
    bool quiet; /* the emulator's own: it is not reported to observers */
    bool of_cluster; /* the shared memory of the cluster's other blocks is in reach */
    bool in_full; /* it is reported to those alone that want it so */
    const struct block *owner; /* the block whose shared memory it is; NULL: the warp's own */
    struct shape *shape; /* NULL: it is not known */
    const uint8_t *sizes; /* by lane, where some reach less far than `bytes`; NULL: none does */
    struct access *access;
};

/* Report a request, which is valid, to the observers. */
void access_tell(struct warp *warp, const struct op *op, const struct request *request);

/* Fill in `access` for `lanes`: the addresses of the instruction, checked for alignment and bounds,
 * and the host's pointers. Reports the access to the observers. Lanes that a lenient machine
 * refuses point at the warp's sink. Returns false after a fault. */
bool access_memory(struct warp *warp, const struct op *op, uint32_t lanes, enum access_kind kind,
                   struct access *access);

/* The same, but each lane touches only its first `sizes[lane]` bytes. Returns the lanes that touch
 * any and were not refused. */
uint32_t access_part(struct warp *warp, const struct op *op, uint32_t lanes, enum access_kind kind,
                     const uint8_t *sizes, struct access *access);

/* The same for one lane and a run of `bytes`, in pieces of the op's own size. */
bool access_run(struct warp *warp, const struct op *op, uint32_t lane, enum access_kind kind,
                uint32_t bytes, struct access *access);

/* The same in the shared memory of the cluster's block of that rank, where the lane has its address
 * in its own. */
bool access_run_of(struct warp *warp, const struct op *op, int lane, enum access_kind kind,
                   uint32_t bytes, uint32_t rank, struct access *access);

/* The same for pieces of a matrix, at addresses that `access` has already: lanes of several paths
 * may have brought them. */
struct piece_request {
    enum access_kind kind;
    enum ptx_space space;
    uint32_t lanes;
    uint32_t bytes; /* a lane */
    uint32_t granule; /* of these, what goes to or comes from one register */
    int part; /* which of the requests of this instruction it is */
};
uint32_t access_pieces(struct warp *warp, const struct op *op, const struct piece_request *pieces,
                       struct access *access);

/* The same of global memory, at addresses that `access` has already: those of a surface. */
uint32_t access_texels(struct warp *warp, const struct op *op, uint32_t lanes,
                       enum access_kind kind, struct access *access);

/* The same at a global address that is in no register. */
bool access_at(struct warp *warp, const struct op *op, int lane, enum access_kind kind,
               uint64_t address, uint32_t bytes, struct access *access);

/* The host's pointer to [address, address + size) of a lane as a generic address, for `op`; NULL: a
 * fault. */
char *generic_pointer(struct warp *warp, const struct op *op, int lane, uint64_t address,
                      size_t size);

/* What a generic address in shared memory is there; others stay as they are. */
static inline uint64_t shared_address(uint64_t address)
{
    return (address & WINDOW_MASK) == SHARED_WINDOW ? address & ~WINDOW_MASK : address;
}

/* Aligned elements of 1, 2, 4 or 8 bytes, read and written whole: other workers may use them. */
static inline uint64_t load_element(const char *pointer, size_t bytes)
{
    switch (bytes) {
    case 1:
        return __atomic_load_n((const uint8_t *)pointer, __ATOMIC_RELAXED);
    case 2:
        return __atomic_load_n((const uint16_t __attribute__((may_alias)) *)pointer,
                               __ATOMIC_RELAXED);
    case 4:
        return __atomic_load_n((const lane_u32 *)pointer, __ATOMIC_RELAXED);
    default:
        return __atomic_load_n((const lane_u64 *)pointer, __ATOMIC_RELAXED);
    }
}

static inline void store_element(char *pointer, size_t bytes, uint64_t value)
{
    switch (bytes) {
    case 1:
        __atomic_store_n((uint8_t *)pointer, (uint8_t)value, __ATOMIC_RELAXED);
        break;
    case 2:
        __atomic_store_n((uint16_t __attribute__((may_alias)) *)pointer, (uint16_t)value,
                         __ATOMIC_RELAXED);
        break;
    case 4:
        __atomic_store_n((lane_u32 *)pointer, (uint32_t)value, __ATOMIC_RELAXED);
        break;
    default:
        __atomic_store_n((lane_u64 *)pointer, value, __ATOMIC_RELAXED);
    }
}

/* The addresses that `op` forms in the warp's current path, of all lanes. */
void gather_addresses(const struct warp *warp, const struct op *op, uint64_t *addresses);

/* What the address of `op` counts from (access.c). */
uint64_t address_base(const struct warp *warp, const struct op *op);

#endif

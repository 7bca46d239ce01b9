/* SPDX-License-Identifier: MIT */
/* Tensor maps: what the copy engine knows of a tensor in global memory, and of the boxes that
 * cp.async.bulk.tensor moves.
 *
 * PTX leaves open what the 128 bytes hold; these are ours. The order of a box's bytes in shared
 * memory is the manual's ("Tensors", "Swizzling modes").
 */
#ifndef TENSOR_H
#define TENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/types.h"

enum { TENSOR_RANKS = 5, TENSOR_MAX_BOX = 256, TENSOR_MAX_ROW = TENSOR_MAX_BOX * 8 };
enum { TENSOR_MAP_ALIGNMENT = 64 }; /* bytes */
#define TENSOR_MARK UINT64_C(0x70616D726F736E65)

/* Dimension 0 is the one whose elements lie next to each other. */
struct tensor_map {
    uint64_t mark; /* TENSOR_MARK */
    uint64_t address;
    uint64_t size[TENSOR_RANKS]; /* elements */
    uint64_t stride[TENSOR_RANKS - 1]; /* bytes, of dimensions 1 and up */
    uint16_t box[TENSOR_RANKS]; /* elements, up to TENSOR_MAX_BOX */
    uint8_t step[TENSOR_RANKS]; /* from one to the next; of dimension 0 always 1 */
    uint8_t rank, element; /* bytes of an element */
    uint8_t type; /* of one, enum ptx_type */
    uint8_t swizzle; /* 0, or the bytes within which 16-byte chunks trade places: 32, 64, 128 */
    uint8_t unused[21];
};
_Static_assert(sizeof(struct tensor_map) == 128, "as a CUtensorMap");

/* Bytes of a box that lie next to each other in both memories. */
struct tensor_piece {
    uint64_t address; /* in global memory; 0: outside of the tensor, where there are zeros */
    uint64_t to; /* in shared memory */
    uint32_t bytes;
    uint32_t run; /* from the first byte of a row that is the tensor's: up to the last; else 0 */
};

/* Bytes of a box, and the most pieces it may be cut into. */
uint32_t tensor_bytes(const struct tensor_map *map);
int tensor_pieces(const struct tensor_map *map);

/* The same map for one who asks for the bytes of a box, not for their order: without a swizzle that
 * stays within a row. */
struct tensor_map tensor_unordered(const struct tensor_map *map);

/* Hand `take` the pieces of the box whose first element is at coordinates `at`, for shared memory
 * from `to` on. Ends when `take` returns false, and then returns false. The manual does not say so,
 * but an H200 `stores` 16 bytes or nothing: a row's last ones with what lies after the tensor. */
bool tensor_cut(const struct tensor_map *map, const int32_t *at, uint64_t to, bool stores,
                bool (*take)(void *self, const struct tensor_piece *piece), void *self);

#endif

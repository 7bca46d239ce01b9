/* SPDX-License-Identifier: MIT */
/* Addresses apart from memory: a program reserves a range of addresses, makes memory, maps it into
 * the range, and says which devices may use it. To all others such memory is an allocation: one for
 * each run of neighbours that the same devices may use and that is of one device. */
#ifndef MAPPED_MEMORY_H
#define MAPPED_MEMORY_H

#include "machine.h"

enum { MAPPED_GRANULE = 2 << 20 }; /* what sizes and addresses are multiples of */

/* Reserve `size` bytes of addresses, a multiple of `alignment`, which is a power of two. 0: there
 * are no more. Giving them back takes all of them, with nothing mapped. */
uint64_t mapped_reserve(struct machine *machine, size_t size, size_t alignment);
bool mapped_unreserve(struct machine *machine, uint64_t address, size_t size);

/* Memory of the machine, held once; NULL: there is not that much. It is gone when nobody holds it
 * any more and it is mapped nowhere. */
struct mapped_memory *mapped_create(struct machine *machine, size_t size);
/* The memory with this handle, or that which is mapped at an address; NULL: there is none. */
struct mapped_memory *mapped_find(const struct machine *machine, uint64_t handle);
struct mapped_memory *mapped_at(const struct machine *machine, uint64_t address);
void mapped_hold(struct mapped_memory *memory);
/* False: nobody holds it. */
bool mapped_let_go(struct machine *machine, struct mapped_memory *memory);
size_t mapped_size(const struct mapped_memory *memory);
int mapped_machine(const struct mapped_memory *memory); /* the number of whose it is */

/* Map the first `size` bytes into reserved addresses; or unmap all that is mapped in a range, which
 * cuts nothing in two and has no holes, if anything is. False: this cannot be. */
bool mapped_map(struct machine *machine, uint64_t address, size_t size,
                struct mapped_memory *memory);
bool mapped_unmap(struct machine *machine, uint64_t address, size_t size);
/* Machine number `number` may use what is mapped in such a range from now on, or no more. */
bool mapped_allow(struct machine *machine, uint64_t address, size_t size, int number, bool may);
bool mapped_allows(const struct machine *machine, uint64_t address, int number);

#endif

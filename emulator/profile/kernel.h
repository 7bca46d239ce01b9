/* SPDX-License-Identifier: MIT */
/* What a profile keeps of a kernel. */
#ifndef KERNEL_H
#define KERNEL_H

#include "machine/observer.h"
#include "profile/count.h"
#include "time/timing.h"

/* What was counted of one kernel launched in one shape, in one range. */
struct profile_kernel {
    char *name, *function; /* base name; mangled name */
    struct dim grid, block;
    size_t shared_bytes; /* static and dynamic */
    unsigned range;
    uint64_t launches, failed_launches;
    uint64_t counters[PROFILE_COUNTER_COUNT]; /* summed over the launches */
    uint64_t sampled_blocks; /* that these were counted in; 0: in all */
    uint64_t link_bytes; /* of other devices' memory, likewise */
    uint64_t memory_bytes; /* of device memory, as the model has it, likewise */
    double ms; /* modelled, summed over the launches */
    struct timing_launch timing; /* of the last launch */
};

#endif

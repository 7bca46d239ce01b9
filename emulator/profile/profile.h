/* SPDX-License-Identifier: MIT */
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
 *      "device": 1,                     the device, where there are several
 *      "link_bytes": 4096,              of other devices' memory, likewise where there are several
 *      "grid": [x, y, z], "block": [x, y, z],
 *      "shared_bytes": 1024,            a block's, static and dynamic
 *      "launches": 1,                   of this shape in this range; counts are their sum
 *      "failed_launches": 0,            of those, stopped by a fault
 *      "sampled_blocks": 12,            with --sample, the blocks that ran in full: counts are
 *                                       theirs, in proportion; else missing
 *      "warp_instructions": 123, ...    every key of PROFILE_COUNTERS
 *      "active_lanes": 31.5,            the ratios below; null where nothing was counted
 *      "sectors_per_load": 4.0,
 *      "sectors_per_store": 4.0,
 *      "wavefronts_per_shared_request": 1.0,
 *      "sectors_per_fetch": 8.0,
 *      "passes_per_constant_load": 1.0,
 *      "modelled_ms": 0.1,              the launches' modelled time, where a timing was set,
 *      "bound_by": "issue",             of the last one what took most of it,
 *      "try_next": "...",               a sentence on that,
 *      "tenth": {"needs": "...",        what would take a tenth off the time, missing where nobody
 *                "counter": "...",      knows: of which key here, or null, there would have to be
 *                "now": 10, "wanted": 9},    so much instead of so much (see tenth.h)
 *      "memory_bytes": 4096,            of device memory, as the model has it,
 *      "warps_in_flight": 528,          the warps of all SMs that were at work at the same time,
 *      "occupancy": 0.67,               and the share of an SM's threads that were resident
 *      "registers": 24,                 of a thread: ptxas's count if the program holds machine
 *      "registers_estimated": true,     code that the GPU runs, else an estimate
 *      "global_efficiency": 1.0}, ...], bytes asked for / bytes moved; above 1 where lanes share
 *    "on_cpu": [                        calls of libraries that the CPU answered, in no time,
 *     {"name": "cublasSgemm", "calls": 1}, ...]}     where there are any
 */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdio.h>

#include "machine/observer.h"
#include "profile/kernel.h"

struct profile;

/* A profile of `machine`, which must outlive it, with nothing counted yet. */
struct profile *profile_new(const struct machine *machine);
void profile_free(struct profile *profile);

/* Report what `timing` makes of the launches too. It observes the machine before the profile does
 * and outlives it. */
void profile_set_timing(struct profile *profile, const struct timing *timing);

/* Print `next` after `profile`, the profile of another device, each kernel with the number of its
 * device: 0 for the first of such a chain. */
void profile_follow(struct profile *profile, struct profile *next);

/* The CPU answered a call of this function of a library; the name lives as long as the profile. */
void profile_hosted(struct profile *profile, const char *name);

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

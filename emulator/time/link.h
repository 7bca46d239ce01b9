/* SPDX-License-Identifier: MIT */
/* What kernels ask of the memory of other devices: it comes over the link, and a launch takes no
 * less than the link needs for the bytes of all its requests. The latency of one request is taken
 * for that of the device's own memory. */
#ifndef LINK_H
#define LINK_H

#include "machine/machine.h"
#include "time/timing.h"

struct link;

/* The link of `machine`, both of which must outlive it. */
struct link *link_new(const struct machine *machine, struct timing *timing);
void link_free(struct link *link);

/* What to hand to machine_observe(), behind the observer of the timing; valid as long as `link`. */
const struct observer *link_observer(const struct link *link);

#endif

/* SPDX-License-Identifier: MIT */
/* Requests of kernels to the memory of other devices go over the link, and a launch takes no less
 * time than the link needs for all their bytes. The latency of such a request is taken to be that
 * of the device's own memory. */
#ifndef LINK_H
#define LINK_H

#include "machine/machine.h"
#include "time/timing.h"

struct link;

/* The link of `machine`, both of which must outlive it. */
struct link *link_new(const struct machine *machine, struct timing *timing);
void link_free(struct link *link);

/* What to hand to machine_observe(), after the observer of the timing; valid as long as `link`. */
const struct observer *link_observer(const struct link *link);

#endif

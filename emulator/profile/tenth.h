/* SPDX-License-Identifier: MIT */
/* What would take a tenth off a kernel's time, from the sums of its time model. */
#ifndef TENTH_H
#define TENTH_H

#include "profile/kernel.h"

enum { TENTH_TEXT = 192 };

struct tenth {
    char text[TENTH_TEXT]; /* "12 % fewer warp instructions (243 648 now)"; "": nobody knows */
    const char *counter; /* of what: its key in the profile's JSON; NULL: nothing counts it */
    double now, wanted; /* of that */
};

/* Be K the part of the time that is not the launch, and k what is left of K without a tenth of the
 * time. A unit that is busy for more than k of K has to do 1 - k of K less; so has the next that is
 * busier than k, down to it. A unit that is less busy does not set the time: instructions do, with
 * the time that each takes, and otherwise what is under way at the same time, of which 1 / k as
 * much is to be. Of what warps wait for, a share w of the time, there has to be 0.1 / w less, or as
 * much more under way meanwhile. */
struct tenth tenth_off(const struct gpu *gpu, const struct profile_kernel *kernel);

/* Of all warps that the GPU has room for, those at work at the same time. */
uint64_t warps_in_flight(const struct gpu *gpu, const struct profile_kernel *kernel);

#endif

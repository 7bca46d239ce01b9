/* SPDX-License-Identifier: MIT */
/* How a device says that it is modelled, and whether it computes. */
#ifndef MODELLED_H
#define MODELLED_H

/* An attribute for cudaDeviceGetAttribute, 1 on the emulator: "EMU" in ASCII, far above those that
 * CUDA numbers. A GPU knows no such attribute: cudaErrorInvalidValue. */
enum { ATTRIBUTE_MODELLED = 0x454D55 };
/* The next one is 1 where a launch is timed by some of its blocks: its results are anything. */
enum { ATTRIBUTE_SAMPLED = ATTRIBUTE_MODELLED + 1 };

#endif

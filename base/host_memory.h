/* SPDX-License-Identifier: MIT */
/* How much of the host's memory a process may have. */
#ifndef HOST_MEMORY_H
#define HOST_MEMORY_H

#include <stdint.h>

/* Bytes that this process may take without swapping: what Linux says is available, and what its
 * control groups leave it, as in a container. UINT64_MAX where nobody says. `root`: where /proc and
 * /sys are looked for, "" but for tests. */
uint64_t host_memory(const char *root);

#endif

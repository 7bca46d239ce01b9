/* SPDX-License-Identifier: MIT */
#ifndef CORES_H
#define CORES_H

#ifdef __cplusplus
extern "C" {
#endif

/* Cores that this process may use: a container or taskset may leave it some of the machine's. At
 * least 1. */
int usable_cores(void);

#ifdef __cplusplus
}
#endif
#endif

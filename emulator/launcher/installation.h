/* SPDX-License-Identifier: MIT */
/* Where emu's own files lie: beside it in the build folder, in ../lib/emu where it is installed. */
#ifndef INSTALLATION_H
#define INSTALLATION_H

#include <limits.h>
#include <stdbool.h>

enum { FILES_ERROR_SIZE = 2 * PATH_MAX };

struct installation {
    char runtime[PATH_MAX]; /* our libcudart, the one for this CPU */
    char driver[PATH_MAX]; /* what stands in the driver's place */
    char gpus[PATH_MAX]; /* the folder of GPU descriptions */
    char home[PATH_MAX]; /* where the stand-ins for NVIDIA's libraries are, if they were built */
};

/* Find them, from where the running program's file lies, so that an installation can be moved.
 *
 * An installed runtime comes in several builds, one for each set of instructions that a CPU may
 * have, in folders of that name; the best that this CPU has is taken, or the one that EMU_CPU names
 * (baseline, avx2, avx512). Returns false with one line in `error` (FILES_ERROR_SIZE bytes) where a
 * file is missing or EMU_CPU names what there is not. */
bool installation_find(struct installation *files, char *error);

#endif

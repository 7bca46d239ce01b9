/* SPDX-License-Identifier: MIT */
/* How far a launch is, in a file that another process looks at while kernels run. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/observer.h"

enum { PROGRESS_NAME = 256 };

/* What is in the file. Of the launch under way; all of it 0 before the first. */
struct progress_file {
    char kernel[PROGRESS_NAME];
    uint64_t launches, blocks, ended; /* so far; of the launch; of those, that have ended */
};

/* The file, which this makes if `make`, in memory; NULL and errno where that cannot be. */
struct progress_file *progress_map(const char *path, bool make);

/* An observer that writes to it. */
struct observer progress_observer(struct progress_file *file);

#endif

/* SPDX-License-Identifier: MIT */
/* A launch as a value: what `<<<>>>`, a node of a graph and a capture have in common. */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "cudart/runtime.h"

struct kernel_operation {
    const void *host; /* the kernel's stub or handle */
    struct configuration configuration;
    void **arguments; /* of the kernel; in a graph with their values behind them */
};

/* Would a GPU take it? Says why not. */
cudaError_t launch_check(struct runtime *runtime, const struct kernel_operation *kernel);
/* Run it to its end, in the stream of its configuration. */
cudaError_t launch_run(struct runtime *runtime, const struct kernel_operation *kernel);
/* Take an attribute into a configuration. */
cudaError_t launch_set_attribute(struct runtime *runtime, const cudaLaunchAttribute *attribute,
                                 struct configuration *configuration);
/* The arguments and their values in one piece of memory, or NULL where there is none. */
cudaError_t launch_copy_arguments(struct runtime *runtime, const void *host, void **arguments,
                                  void ***copy);

#endif

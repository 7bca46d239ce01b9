/* SPDX-License-Identifier: MIT */
/* A launch as a value, which `<<<>>>`, nodes of graphs and captures share. */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "cudart/runtime.h"

struct kernel_operation {
    const void *host; /* the kernel's stub or handle */
    struct configuration configuration;
    void **arguments; /* of the kernel; in a graph, their values come after them */
};

/* Would a GPU accept the launch? If not, says why. */
cudaError_t launch_check(struct runtime *runtime, const struct kernel_operation *kernel);
/* Run the kernel to its end, in the stream of its configuration. */
cudaError_t launch_run(struct runtime *runtime, const struct kernel_operation *kernel);
/* Would it accept one that a kernel asks for? If not, says why. */
cudaError_t launch_check_child(struct runtime *runtime, const struct function *function,
                               const struct configuration *configuration);
/* Run one that was checked, without what it launches. */
cudaError_t launch_kernel(struct runtime *runtime, const struct function *function,
                          const struct kernel_operation *kernel);
/* Add an attribute to a configuration. */
cudaError_t launch_set_attribute(struct runtime *runtime, const cudaLaunchAttribute *attribute,
                                 struct configuration *configuration);
/* The arguments and their values in one piece of memory; NULL if there is none. */
cudaError_t launch_copy_arguments(struct runtime *runtime, const void *host, void **arguments,
                                  void ***copy);

#endif

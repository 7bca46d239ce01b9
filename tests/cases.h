/* SPDX-License-Identifier: MIT */
/* How main() of several programs in one, by cmake/Cases.cmake, calls theirs. */
#ifndef CASES_H
#define CASES_H

#include <string.h>

static inline int case_run(int (*run)(int, char **), int argc, char **argv)
{
    return run(argc, argv);
}

static inline int case_run(int (*run)(), int, char **)
{
    return run();
}

#endif

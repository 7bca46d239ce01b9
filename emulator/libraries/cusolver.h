/* SPDX-License-Identifier: MIT */
/* What the files of the stand-in for cuSOLVER share. Any LAPACK does the work. */
#ifndef CUSOLVER_STAND_IN_H
#define CUSOLVER_STAND_IN_H

#include "libraries/stand_in.h"

#define CUSOLVERAPI

extern struct cpu_library lapack;

#endif

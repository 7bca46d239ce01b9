/* SPDX-License-Identifier: MIT */
/* What every step shares: the one header a step or a chapter includes.
 *
 * A program's life is chapter_run: options_parse, InitCUDA, then for each size input, run,
 * comparison, report.
 */
#ifndef COMMON_H
#define COMMON_H

#include "chapter.h"
#include "check.h"
#include "compare.h"
#include "cpu.h"
#include "init_cuda.h"
#include "memory.h"
#include "number.h"
#include "options.h"
#include "rng.h"
#include "report.h"
#include "run.h"

/* Exit codes of every program of the suite. EXIT_SKIP is the one CTest calls "skipped". */
enum {
    EXIT_MATCH = 0,
    EXIT_MISMATCH = 1,
    EXIT_USAGE = 2,
    EXIT_CUDA = 3,
    EXIT_SKIP = 77,
};

/* The program being compiled, as add_step() describes it: a `struct step`. */
#ifdef STEP_NAME
#define STEP                                              \
    {                                                     \
        STEP_CHAPTER, STEP_NAME, STEP_TITLE, STEP_MINIMUM \
    }
#endif

#endif

/* SPDX-License-Identifier: MIT */
/* What the unit tests of common/ share: cmocka, fake runtime, and a child to see a program end. */
#ifndef UNIT_H
#define UNIT_H

#include "../cmocka_main.h"
#include "common.h"
#include "fake_cudart.h"

/* How a child ended, and what it printed. */
struct outcome {
    int code; /* -1: killed */
    char out[8192], err[4096];
};

/* Run body(data) in a child process, whose exit code is what it returns, unless it exits before. */
struct outcome run_child(int (*body)(void *data), void *data);

/* `text` is one line that holds `part`. */
void assert_one_line(const char *text, const char *part);

/* `text` holds `part`. */
void assert_contains(const char *text, const char *part);

/* cmocka setup: fake_reset. */
int setup_fake(void **state);

#endif

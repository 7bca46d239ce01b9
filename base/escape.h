/* SPDX-License-Identifier: MIT */
/* Text from outside, fit for a message. */
#ifndef ESCAPE_H
#define ESCAPE_H

#include <stddef.h>

/* Put `length` bytes of `text` into `shown`, which has room for `size` bytes, at least 5: what a
 * terminal might obey (control characters, those of eight bits too) and what is no UTF-8 as \xNN.
 * What finds no room is left out. Returns `shown`, ended by a 0. */
char *escape_text(const char *text, size_t length, char *shown, size_t size);

#endif

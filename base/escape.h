/* SPDX-License-Identifier: MIT */
/* Text from outside: its characters, and how it is fit for a message. */
#ifndef ESCAPE_H
#define ESCAPE_H

#include <stddef.h>
#include <stdint.h>

/* The character of UTF-8 (RFC 3629) that begins at `text`, which has `length` bytes, at least one,
 * and its bytes in `*bytes`; a byte that is none is 0xFFFD, alone. */
uint32_t escape_decode(const char *text, size_t length, size_t *bytes);

/* Put `length` bytes of `text` into `shown`, which has room for `size` bytes, at least 5: what a
 * terminal might obey (control characters, those of eight bits too) and what is no UTF-8 as \xNN.
 * What finds no room is left out. Returns `shown`, ended by a 0. */
char *escape_text(const char *text, size_t length, char *shown, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/* Numbers as people type them: decimal, or hexadecimal after 0x, and nothing around them; and as
 * people read them. */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Read `text` into `*number`. Returns NULL, or what is wrong with it: "not a whole number" or "too
 * large". */
const char *number_read_unsigned(const char *text, uint64_t *number);

/* The same with a minus sign, from `min` to `max`; also wrong is "too small". */
const char *number_read(const char *text, int64_t min, int64_t max, int64_t *number);

enum { NUMBER_GROUPED = 32 };

/* Write 1234567 as "1 234 567" to `text`. Returns it. */
const char *number_group(uint64_t number, char text[NUMBER_GROUPED]);

#ifdef __cplusplus
}
#endif
#endif

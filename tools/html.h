/* SPDX-License-Identifier: MIT */
/* HTML and XML: text that breaks out of nothing. */
#ifndef HTML_H
#define HTML_H

#include <stdio.h>

/* printf() whose strings (%s) are text, in an element or in a quoted attribute, whatever is in
 * them; %w is such text too, and no line breaks within its numbers; what is HTML already is %h. No
 * other conversions than these and %d. */
void html_print(FILE *file, const char *format, ...);

#endif

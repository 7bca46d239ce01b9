/* SPDX-License-Identifier: MIT */
/* Functions of the runtime that are not emulated, by name; without the toolkit's own headers, whose
 * declarations they do not keep to. */
#ifndef LACKING_H
#define LACKING_H

/* What a function of this name is about (families.def). */
const char *family_of(const char *function);

/* Say, once a line, that the program has called what is not emulated. Returns the code of
 * cudaErrorNotSupported. */
int runtime_lacks(const char *function);

#endif

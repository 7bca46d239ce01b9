/* SPDX-License-Identifier: MIT */
/* Functions of the runtime that are not emulated, by name. The headers of the toolkit cannot be
 * included here, because the definitions do not match their declarations. */
#ifndef LACKING_H
#define LACKING_H

/* What a function of this name is about (families.def). */
const char *family_of(const char *function);

/* Say that the program has called a function that is not emulated, once for each line. Returns
 * the code of cudaErrorNotSupported. */
int runtime_lacks(const char *function);

#endif

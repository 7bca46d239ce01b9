/* SPDX-License-Identifier: MIT */
/* Places in memory that carry something (order.h), by name. */
#ifndef FLAGS_H
#define FLAGS_H

#include "check/order.h"

struct flags {
    struct flag *table; /* open addressing; place 0: free */
    size_t count, room;
};

/* The flag of this name; NULL: there is none. */
struct flag *flags_find(const struct flags *flags, uint64_t place);
/* The same, made if there is none. Valid until the next one is made. */
struct flag *flags_make(struct flags *flags, uint64_t place);
void flags_forget(struct flags *flags);

#endif

/* SPDX-License-Identifier: MIT */
/* What strangers' work may reach.
 *
 * A user namespace of its own for a compiler that reads strangers' text: a file system that has the
 * toolkit, the system's compiler and one folder, nothing else, and no network. */
#ifndef SANDBOX_H
#define SANDBOX_H

#include <stdbool.h>

/* Move this process, which must have one thread, there: `folder` is "/work" and the current folder,
 * and all that can be written. False, with errno set, where the system does not allow it; the
 * process may then be half-way and should end. */
bool sandbox_enter(const char *folder, const char *toolkit);

/* Does it work here, with `folder` for a try? Asks in a child. */
bool sandbox_works(const char *folder, const char *toolkit);

/* What these are made of, and cells too (cell.h). New namespaces, in which we, whoever we are
 * outside, are the user `inside`, with all rights over ourselves alone. */
bool sandbox_unshare(int namespaces, unsigned inside);
/* What is at `path` outside, seen at the same place under `root`, not to be written. What is not
 * there is left out. */
bool sandbox_show(const char *root, const char *path);
bool sandbox_show_device(const char *root, const char *path);
/* The system's programs and libraries likewise, and an empty /tmp. */
bool sandbox_fill(const char *root);

/* From here on this process computes, and reads and writes what it has open already: it opens no
 * file, starts nothing, and reaches nobody. What interprets a stranger's code needs no more, should
 * the code ever get hold of it. False where the system has no seccomp. */
bool sandbox_seal(void);

#endif

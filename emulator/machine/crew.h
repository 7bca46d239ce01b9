/* SPDX-License-Identifier: MIT */
/* CPU threads that do the parts of a step together, step after step. */
#ifndef CREW_H
#define CREW_H

struct crew;

/* Does one part of a step, on any thread. */
typedef void crew_part(void *self, int part);

/* A crew of `threads` threads, the caller's among them, for steps of `parts` parts. */
struct crew *crew_start(int threads, int parts, crew_part *run, void *self);
/* Do all parts, and return when they are done. */
void crew_step(struct crew *crew);
void crew_stop(struct crew *crew);

#endif

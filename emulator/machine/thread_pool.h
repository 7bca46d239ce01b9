/* SPDX-License-Identifier: MIT */
/* CPU threads that do the parts of a step together, step after step. */
#ifndef THREAD_POOL_H
#define THREAD_POOL_H

struct thread_pool;

/* Does one part of a step, on any thread. */
typedef void pool_part(void *self, int part);

/* A pool of `threads` threads, the caller's among them, for steps of `parts` parts. */
struct thread_pool *thread_pool_start(int threads, int parts, pool_part *run, void *self);
/* Do all parts, and return when they are done. */
void thread_pool_step(struct thread_pool *pool);
void thread_pool_stop(struct thread_pool *pool);

#endif

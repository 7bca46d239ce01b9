/* SPDX-License-Identifier: MIT */
#include "machine/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "machine/observer_memory.h"

struct thread_pool {
    pool_part *run;
    void *self;
    int parts, member_count;
    _Atomic uint32_t step; /* steps begun */
    _Atomic uint32_t claimed, done; /* parts of this step */
    _Atomic bool over;
    pthread_mutex_t lock;
    pthread_cond_t moved; /* `step` or `done` has */
    pthread_t *members; /* the other threads */
};

/* Add 1 to a count, and wake the threads that wait for it to change. */
static void move_on(struct thread_pool *pool, _Atomic uint32_t *value)
{
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(value, 1);
    pthread_mutex_unlock(&pool->lock);
    pthread_cond_broadcast(&pool->moved);
}

/* Take parts until all are taken. So nobody waits for a thread that the system lets sleep. */
static void take_parts(struct thread_pool *pool)
{
    uint32_t part;

    while ((part = atomic_fetch_add(&pool->claimed, 1)) < (uint32_t)pool->parts) {
        pool->run(pool->self, (int)part);
        move_on(pool, &pool->done);
    }
}

/* First spin, then yield the core for a while, then sleep: most steps are short, but some take
 * long. */
static void wait_while(struct thread_pool *pool, _Atomic uint32_t *value, uint32_t is)
{
    enum { PATIENCE = 4000, YIELDS = 100 };

    for (int looks = 0; looks < PATIENCE + YIELDS; looks++) {
        if (atomic_load_explicit(value, memory_order_acquire) != is)
            return;
        if (looks >= PATIENCE)
            sched_yield();
    }
    pthread_mutex_lock(&pool->lock);
    while (atomic_load(value) == is)
        pthread_cond_wait(&pool->moved, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

static void *member_run(void *self)
{
    struct thread_pool *pool = self;

    for (uint32_t step = 0;;) {
        wait_while(pool, &pool->step, step);
        step = atomic_load(&pool->step);
        if (atomic_load(&pool->over))
            return NULL;
        take_parts(pool);
    }
}

struct thread_pool *thread_pool_start(int threads, int parts, pool_part *run, void *self)
{
    struct thread_pool *pool = observer_allocate(1, sizeof(*pool));

    pool->run = run;
    pool->self = self;
    pool->parts = parts;
    pool->members = observer_allocate((size_t)threads, sizeof(*pool->members));
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->moved, NULL);
    /* If a thread cannot be started, the others take its parts. */
    while (pool->member_count < threads - 1 &&
           pthread_create(&pool->members[pool->member_count], NULL, member_run, pool) == 0)
        pool->member_count++;
    return pool;
}

void thread_pool_step(struct thread_pool *pool)
{
    atomic_store(&pool->done, 0);
    atomic_store(&pool->claimed, 0);
    move_on(pool, &pool->step);
    take_parts(pool);
    for (uint32_t done; (done = atomic_load(&pool->done)) < (uint32_t)pool->parts;)
        wait_while(pool, &pool->done, done);
}

void thread_pool_stop(struct thread_pool *pool)
{
    atomic_store(&pool->over, true);
    move_on(pool, &pool->step);
    for (int i = 0; i < pool->member_count; i++)
        pthread_join(pool->members[i], NULL);
    pthread_cond_destroy(&pool->moved);
    pthread_mutex_destroy(&pool->lock);
    free(pool->members);
    free(pool);
}

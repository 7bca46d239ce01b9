/* SPDX-License-Identifier: MIT */
#include "machine/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "machine/observer_memory.h"

struct crew {
    crew_part *run;
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
static void move_on(struct crew *crew, _Atomic uint32_t *value)
{
    pthread_mutex_lock(&crew->lock);
    atomic_fetch_add(value, 1);
    pthread_mutex_unlock(&crew->lock);
    pthread_cond_broadcast(&crew->moved);
}

/* Take parts until all are taken. So nobody waits for a thread that the system lets sleep. */
static void take_parts(struct crew *crew)
{
    uint32_t part;

    while ((part = atomic_fetch_add(&crew->claimed, 1)) < (uint32_t)crew->parts) {
        crew->run(crew->self, (int)part);
        move_on(crew, &crew->done);
    }
}

/* First spin, then yield the core for a while, then sleep: most steps are short, but some take
 * long. */
static void wait_while(struct crew *crew, _Atomic uint32_t *value, uint32_t is)
{
    enum { PATIENCE = 4000, YIELDS = 100 };

    for (int looks = 0; looks < PATIENCE + YIELDS; looks++) {
        if (atomic_load_explicit(value, memory_order_acquire) != is)
            return;
        if (looks >= PATIENCE)
            sched_yield();
    }
    pthread_mutex_lock(&crew->lock);
    while (atomic_load(value) == is)
        pthread_cond_wait(&crew->moved, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}

static void *member_run(void *self)
{
    struct crew *crew = self;

    for (uint32_t step = 0;;) {
        wait_while(crew, &crew->step, step);
        step = atomic_load(&crew->step);
        if (atomic_load(&crew->over))
            return NULL;
        take_parts(crew);
    }
}

struct crew *crew_start(int threads, int parts, crew_part *run, void *self)
{
    struct crew *crew = observer_allocate(1, sizeof(*crew));

    crew->run = run;
    crew->self = self;
    crew->parts = parts;
    crew->members = observer_allocate((size_t)threads, sizeof(*crew->members));
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->moved, NULL);
    /* If a thread cannot be started, the others take its parts. */
    while (crew->member_count < threads - 1 &&
           pthread_create(&crew->members[crew->member_count], NULL, member_run, crew) == 0)
        crew->member_count++;
    return crew;
}

void crew_step(struct crew *crew)
{
    atomic_store(&crew->done, 0);
    atomic_store(&crew->claimed, 0);
    move_on(crew, &crew->step);
    take_parts(crew);
    for (uint32_t done; (done = atomic_load(&crew->done)) < (uint32_t)crew->parts;)
        wait_while(crew, &crew->done, done);
}

void crew_stop(struct crew *crew)
{
    atomic_store(&crew->over, true);
    move_on(crew, &crew->step);
    for (int i = 0; i < crew->member_count; i++)
        pthread_join(crew->members[i], NULL);
    pthread_cond_destroy(&crew->moved);
    pthread_mutex_destroy(&crew->lock);
    free(crew->members);
    free(crew);
}

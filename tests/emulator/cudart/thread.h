/* SPDX-License-Identifier: MIT */
/* Work of another thread, without <thread>, which takes nvcc as long as all the rest of a test. */
#ifndef THREAD_H
#define THREAD_H

#include <pthread.h>

template <typename Work> static void *thread_begin(void *work)
{
    (*(Work *)work)();
    return NULL;
}

/* Another thread does `work`; returns when it has ended. */
template <typename Work> static void in_another_thread(Work work)
{
    pthread_t thread;

    if (!pthread_create(&thread, NULL, thread_begin<Work>, &work))
        pthread_join(thread, NULL);
}

#endif

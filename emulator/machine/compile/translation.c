/* SPDX-License-Identifier: MIT */
/* The life of a translation: a kernel runs, is found to be hot, is compiled by another process
 * while it goes on being interpreted, and is taken over run by run. */
#include "translation.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"

/* Instructions of warps, about a second's or two, before it pays to compile so many bytes of text,
 * and more in proportion, for a run that is soon over must not wait beside its compiler; and a
 * hundredth of that, before it pays to ask the cache. */
enum { HOT = 100000000, WARM = HOT / 100, BYTES = 1 << 17 };

struct translation {
    _Atomic uint64_t issued;
    _Atomic uint64_t hot; /* when it pays to compile; 0: the cache was not asked yet */
    _Atomic bool over; /* done, or never to be */
    pthread_mutex_t lock; /* of what follows */
    const struct code *code;
    char path[CACHE_PATH_SIZE]; /* of its library */
    struct job job; /* of the compiler; the shell is -1: there is none */
    void *library;
};

/* The text of the kernel's runs; NULL: it has none, or there is no memory. */
static char *text_of(const struct code *code)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    const int runs = file ? print_runs(file, code) : 0;
    if (file && fclose(file) == 0 && runs)
        return text;
    free(text);
    return NULL;
}

/* Put the library's functions into the ops. Other workers are running them: the length is there
 * before the function is. */
static void take_over(struct translation *translation)
{
    const struct code *code = translation->code;
    translation->library = cache_load(translation->path);
    for (int pc = 0; translation->library && pc < code->op_count; pc++) {
        char name[32];
        snprintf(name, sizeof name, "run_%d", pc);
        compiled_run *run = (compiled_run *)dlsym(translation->library, name);
        if (!run)
            continue;
        code->ops[pc].run_length = run_length(code, pc);
        code->ops[pc].run_whole = !is_for_parts(code, pc);
        atomic_store_explicit(&code->ops[pc].run, run, memory_order_release);
        atomic_store_explicit(&code->ops[pc].plain, false, memory_order_release);
    }
}

/* Ask the cache for the library; returns what it is made of. NULL: there is and will be none. */
static char *look_up(struct translation *translation, bool make_folder)
{
    char *text = cache_folder(translation->path, make_folder) ? text_of(translation->code) : NULL;
    if (text && cache_path(translation->path, text)) {
        take_over(translation);
        return text;
    }
    free(text);
    return NULL;
}

/* A step forward, if one can be made. */
static void advance(struct translation *translation, bool wait)
{
    if (translation->job.shell < 0) {
        char *text = look_up(translation, true);
        if (text && !translation->library)
            job_start(&translation->job, text, translation->path, wait);
        free(text);
    }
    if (translation->job.shell >= 0) {
        if (!job_ended(&translation->job, wait))
            return;
        take_over(translation);
    }
    translation->job.shell = -1;
    atomic_store(&translation->over, true);
}

void translation_begin(struct code *code, enum kernel_engine engine)
{
    if (engine == ENGINE_INTERPRETER || code->translation)
        return;
    struct translation *translation = code->translation = calloc(1, sizeof *translation);
    if (!translation)
        return;
    translation->code = code;
    translation->job.shell = -1;
    pthread_mutex_init(&translation->lock, NULL);
    if (engine == ENGINE_COMPILED)
        advance(translation, true);
}

static void ask_cache(struct translation *translation)
{
    char *text = look_up(translation, false);
    translation->over = translation->library != NULL;
    translation->hot = HOT + (text ? strlen(text) : 0) * (uint64_t)HOT / BYTES;
    free(text);
}

void translation_feed(const struct code *code, uint64_t issued)
{
    struct translation *translation = code->translation;
    if (!translation || translation->over)
        return;
    const uint64_t sum = atomic_fetch_add(&translation->issued, issued) + issued;
    const uint64_t enough = translation->hot ? translation->hot : WARM;
    if (sum < enough || pthread_mutex_trylock(&translation->lock) != 0)
        return;
    if (!translation->hot)
        ask_cache(translation);
    else if (!translation->over && sum >= translation->hot)
        advance(translation, false);
    pthread_mutex_unlock(&translation->lock);
}

void translation_free(struct translation *translation)
{
    if (!translation)
        return;
    if (translation->job.shell >= 0)
        job_stop(&translation->job);
    if (translation->library)
        dlclose(translation->library);
    pthread_mutex_destroy(&translation->lock);
    free(translation);
}

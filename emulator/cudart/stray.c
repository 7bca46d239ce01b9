/* SPDX-License-Identifier: MIT */
/* The program's own code reads or writes memory of the device, which crashes it as it would with a
 * GPU: one line says where, and what to do. */
#define _GNU_SOURCE /* registers of a signal */
#include "cudart/runtime.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

enum { MOST_CALLS = 32 };
static struct sigaction before;

static char *code_of(const ucontext_t *context)
{
#ifdef __x86_64__
    return api_pointer((uint64_t)context->uc_mcontext.gregs[REG_RIP]);
#else
    return api_pointer(context->uc_mcontext.pc);
#endif
}

/* Where in the program: a library's function may have been given the address. */
static void find_culprit(const ucontext_t *context, char *text, size_t size)
{
    void *calls[MOST_CALLS];
    char *code = code_of(context);
    const int count = backtrace(calls, MOST_CALLS);
    int i = 0;

    while (i < count && calls[i] != code)
        i++;
    calls[i < count ? i : 0] = code + 1; /* as if it had called */
    call_site(i < count ? host_first_own(calls + i, count - i) : code + 1, text, size);
}

/* The allocation that free() or realloc() was given, which looks in front of it for its size. */
static const struct block *find_freed(const ucontext_t *context, const void *address)
{
    enum { FRONT = 2 * sizeof(size_t) };
    const char *behind = (const char *)address + FRONT;
    const struct block *block = allocation_find(runtime_now(), behind);
    Dl_info info;

    if (!block || behind - (char *)block->address >= FRONT || !dladdr(code_of(context), &info) ||
        !info.dli_sname)
        return NULL;
    return strstr(info.dli_sname, "free") || strstr(info.dli_sname, "realloc") ? block : NULL;
}

static void complain(const ucontext_t *context, const void *address)
{
    struct runtime *runtime = runtime_now();
    const struct block *freed = find_freed(context, address);
    const struct block *block = freed ? freed : allocation_find(runtime, address);
    char site[300], what[200], origin[300], whole[sizeof(what) + sizeof(origin) + 12];

    find_culprit(context, site, sizeof(site));
    memory_describe(runtime->machine, (uint64_t)(freed ? freed->address : address), 1, what,
                    sizeof(what));
    snprintf(whole, sizeof(whole), "%s", what);
    if (block && block->caller) {
        call_site(block->caller, origin, sizeof(origin));
        snprintf(whole, sizeof(whole), "%s, made at %s", what, origin);
    }
    runtime->device->sticky = cudaErrorLaunchFailure; /* so that memory not freed yet is no leak */
    if (freed)
        runtime_complain(runtime, "%s: free() of memory of the device, %s; use cudaFree()", site,
                         whole);
    else
        runtime_complain(runtime,
                         "%s: host code reads or writes memory of the device, %s; use cudaMemcpy()",
                         site, whole);
}

/* The access is tried again when this returns, and crashes as it would have. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    const struct runtime *runtime = runtime_now();

    sigaction(SIGSEGV, &before, NULL);
    if (info->si_code <= 0) { /* kill() sent it */
        raise(number);
        return;
    }
    if (runtime->machine && memory_is_own(runtime->machine, (uint64_t)info->si_addr)) {
        complain(context, info->si_addr);
        __cudaEmuFinish(128 + number);
    }
}

void stray_watch(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &before);
}

/* SPDX-License-Identifier: MIT */
/* Stand-ins for NVIDIA's libraries, whose own kernels are machine code. Each is a shared library
 * with the name and the functions of the real one; `emu` puts it in front. A library of the CPU
 * does the work on the device's memory, in the order of streams (cudart/hosted.h). The functions
 * that are not written say so when they are called (lacking.c). */
#ifndef STAND_IN_H
#define STAND_IN_H

#include <stdlib.h>

#include "cudart/hosted.h"

/* A library of the CPU, opened when it is first needed. */
struct cpu_library {
    const char *what, *package; /* for people: what it is, and Debian's name */
    const char *files[4]; /* to try, in this order */
    const char *probe; /* a function that it must have */
    void *handle;
};

/* Open it; if there is none, says what to install for `caller` and returns false. */
bool cpu_library_open(struct cpu_library *library, const char *caller);
/* A function of a library that is open. */
void *cpu_function(const struct cpu_library *library, const char *name);

/* Define a function that gives the version; it fails as `invalid` for NULL. */
#define GET_VERSION(status, name, number, invalid) \
    status name(int *version)                      \
    {                                              \
        if (version)                               \
            *version = (number);                   \
        return version ? (status)0 : (invalid);    \
    }
/* The same of its parts. */
#define GET_PROPERTY(status, name, library, invalid)                       \
    status name(libraryPropertyType type, int *value)                      \
    {                                                                      \
        static const int parts[] = {[MAJOR_VERSION] = library##_VER_MAJOR, \
                                    [MINOR_VERSION] = library##_VER_MINOR, \
                                    [PATCH_LEVEL] = library##_VER_PATCH};  \
                                                                           \
        if (!value || (unsigned)type > PATCH_LEVEL)                        \
            return invalid;                                                \
        *value = parts[type];                                              \
        return (status)0;                                                  \
    }

/* Define the functions that make an object of zeros, which `start` changes, and free it after
 * `stop`; both are expressions with `object` in them. */
#define OBJECT(status, library, type, create, destroy, start, stop) \
    status create(type *made)                                       \
    {                                                               \
        if (!made)                                                  \
            return library##_STATUS_INVALID_VALUE;                  \
        type object = *made = calloc(1, sizeof(*object));           \
        if (!object)                                                \
            return library##_STATUS_ALLOC_FAILED;                   \
        (start);                                                    \
        return library##_STATUS_SUCCESS;                            \
    }                                                               \
    status destroy(type object)                                     \
    {                                                               \
        if (object)                                                 \
            (stop);                                                 \
        free(object);                                               \
        return library##_STATUS_SUCCESS;                            \
    }
/* Define the functions that make a handle of zeros, if the library is `ready`, and free it. */
#define HANDLE(status, library, type, create, destroy, ready)                      \
    status create(type *handle)                                                    \
    {                                                                              \
        if (!handle)                                                               \
            return library##_STATUS_INVALID_VALUE;                                 \
        if (!(ready) || cudaFree(NULL))                                            \
            return library##_STATUS_NOT_INITIALIZED;                               \
        *handle = calloc(1, sizeof(**handle));                                     \
        return *handle ? library##_STATUS_SUCCESS : library##_STATUS_ALLOC_FAILED; \
    }                                                                              \
    status destroy(type handle)                                                    \
    {                                                                              \
        if (!handle)                                                               \
            return library##_STATUS_NOT_INITIALIZED;                               \
        free(handle);                                                              \
        return library##_STATUS_SUCCESS;                                           \
    }
/* Define the functions that give a member of it, and set it to a value that is valid. */
#define HANDLE_MEMBER(status, library, handle_type, get, set, type, member, is_valid) \
    status get(handle_type handle, type *value)                                       \
    {                                                                                 \
        if (!handle)                                                                  \
            return library##_STATUS_NOT_INITIALIZED;                                  \
        if (!value)                                                                   \
            return library##_STATUS_INVALID_VALUE;                                    \
        *value = handle->member;                                                      \
        return library##_STATUS_SUCCESS;                                              \
    }                                                                                 \
    status set(handle_type handle, type value)                                        \
    {                                                                                 \
        if (!handle)                                                                  \
            return library##_STATUS_NOT_INITIALIZED;                                  \
        if (!(is_valid))                                                              \
            return library##_STATUS_INVALID_VALUE;                                    \
        handle->member = value;                                                       \
        return library##_STATUS_SUCCESS;                                              \
    }

#endif

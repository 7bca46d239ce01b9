/* Run a call of NCCL; on an error print one line that names it, and exit with EXIT_CUDA. */
#ifndef NCCL_CHECK_CUH
#define NCCL_CHECK_CUH

#include <nccl.h>
#include <stdlib.h>

#include "common.h"

#define CHECK_NCCL(call) check_nccl((call), #call)

static inline void check_nccl(ncclResult_t result, const char *call)
{
    if (result == ncclSuccess)
        return;
    check_say("%s: %s", call, ncclGetErrorString(result));
    exit(EXIT_CUDA);
}

#endif

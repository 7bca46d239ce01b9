/* SPDX-License-Identifier: MIT */
/* What accesses and fetches add to the counters. */
#include "profile/count.h"

#include "machine/texture.h"

const char *count_key(enum profile_counter counter)
{
    static const char *const keys[] = {
#define X(id, key, label, metric) key,
        PROFILE_COUNTERS(X)
#undef X
    };
    return keys[counter];
}

static void count_global(uint64_t *n, const struct request_event *event)
{
    const struct traffic traffic = event->price->global;

    n[PROFILE_GLOBAL_LOADS + event->kind]++;
    n[PROFILE_GLOBAL_LOAD_SECTORS + event->kind] += traffic.sectors;
    n[PROFILE_GLOBAL_LINES] += traffic.lines;
    n[PROFILE_GLOBAL_TRANSACTIONS] += traffic.transactions;
    n[PROFILE_GLOBAL_BYTES_ASKED] += (uint64_t)__builtin_popcount(event->lanes) * event->bytes;
    n[PROFILE_GLOBAL_BYTES_MOVED] += traffic.moved;
}

static void count_shared(uint64_t *n, const struct request_event *event)
{
    const struct wavefronts wavefronts = event->price->shared;

    n[PROFILE_SHARED_LOADS + event->kind]++;
    n[PROFILE_SHARED_LOAD_WAVEFRONTS + event->kind] += wavefronts.total;
    n[PROFILE_SHARED_IDEAL] += wavefronts.ideal;
}

void count_request(uint64_t *n, const struct request_event *event)
{
    switch (event->space) {
    case PTX_GLOBAL:
        count_global(n, event);
        break;
    case PTX_SHARED:
        count_shared(n, event);
        break;
    case PTX_LOCAL:
        n[event->kind == ACCESS_LOAD ? PROFILE_LOCAL_LOADS : PROFILE_LOCAL_STORES]++;
        n[PROFILE_LOCAL_SECTORS] += event->price->passes;
        break;
    case PTX_CONST:
        n[PROFILE_CONSTANT_LOADS]++;
        n[PROFILE_CONSTANT_PASSES] += event->price->passes;
        break;
    default:
        break; /* parameters: machine code reads them as operands, without a request */
    }
}

void count_access(uint64_t *n, const struct access_event *event)
{
    const struct price price = access_price(event);

    count_request(n, &(struct request_event){.lanes = event->lanes,
                                             .kind = event->kind,
                                             .space = event->space,
                                             .bytes = event->bytes,
                                             .price = &price});
}

void count_told(uint64_t *n, const struct told *told)
{
    if (told->kind == TOLD_BRANCH) {
        count_branch(n, &told->branch);
        return;
    }
    count_stretch(n, &told->stretch);
    if (told->kind == TOLD_REQUEST)
        count_request(n, &told->request);
}

void count_fetch(uint64_t *n, const struct fetch_event *event)
{
    uint64_t sectors[FETCH_SECTORS];

    n[PROFILE_TEXTURE_FETCHES]++;
    for (int tap = 0; tap < event->tap_count; tap++)
        n[PROFILE_TEXTURE_TEXELS] += __builtin_popcount(event->taps[tap].lanes);
    n[PROFILE_TEXTURE_SECTORS] += fetch_sectors(event, sectors);
}

void count_totals(uint64_t *n)
{
    n[PROFILE_GLOBAL_SECTORS] = n[PROFILE_GLOBAL_LOAD_SECTORS] + n[PROFILE_GLOBAL_STORE_SECTORS] +
                                n[PROFILE_GLOBAL_ATOMIC_SECTORS];
    n[PROFILE_SHARED_WAVEFRONTS] = n[PROFILE_SHARED_LOAD_WAVEFRONTS] +
                                   n[PROFILE_SHARED_STORE_WAVEFRONTS] +
                                   n[PROFILE_SHARED_ATOMIC_WAVEFRONTS];
    n[PROFILE_SHARED_CONFLICTS] = n[PROFILE_SHARED_WAVEFRONTS] - n[PROFILE_SHARED_IDEAL];
}

void count_add(uint64_t *sum, const uint64_t *more)
{
    for (int i = 0; i < PROFILE_COUNTER_COUNT; i++)
        sum[i] += more[i];
}

bool count_is_atomic(const uint64_t *n)
{
    return n[PROFILE_GLOBAL_ATOMIC_SECTORS] > n[PROFILE_GLOBAL_SECTORS] / 2;
}

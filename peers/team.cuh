/* From g2: a stream and an event on each GPU. */
#ifndef TEAM_CUH
#define TEAM_CUH

#include "peers.h"

struct team {
    int devices;
    cudaStream_t streams[MAX_DEVICES];
    cudaEvent_t done[MAX_DEVICES];
};

static inline struct team team_new(int devices)
{
    struct team team = {devices};

    for (int d = 0; d < devices; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaStreamCreate(&team.streams[d]));
        CHECK(cudaEventCreateWithFlags(&team.done[d], cudaEventDisableTiming));
    }
    CHECK(cudaSetDevice(0));
    return team;
}

static inline void team_free(struct team *team)
{
    for (int d = 0; d < team->devices; d++) {
        CHECK(cudaStreamDestroy(team->streams[d]));
        CHECK(cudaEventDestroy(team->done[d]));
    }
}

/* No stream begins before run->begin, which the timing records on device 0. */
static inline void start_all(const struct team *team, const struct run *run)
{
    for (int d = 0; d < team->devices; d++)
        CHECK(cudaStreamWaitEvent(team->streams[d], run->begin, 0));
}

/* Device d is ready as far as its stream has work now. */
static inline void ready(const struct team *team, int d)
{
    CHECK(cudaSetDevice(d));
    CHECK(cudaEventRecord(team->done[d], team->streams[d]));
}

/* Device 0, whose clock is read next, waits for all streams. */
static inline void wait_for_all(const struct team *team)
{
    for (int d = 0; d < team->devices; d++)
        ready(team, d);
    CHECK(cudaSetDevice(0));
    for (int d = 0; d < team->devices; d++)
        CHECK(cudaStreamWaitEvent(NULL, team->done[d], 0));
}

/* From g5: each of the GPUs may use the memory of the others. */
static inline void enable_peers(int devices)
{
    for (int a = 0; a < devices; a++) {
        CHECK(cudaSetDevice(a));
        for (int b = 0; b < devices; b++) {
            const cudaError_t error = a == b ? cudaSuccess : cudaDeviceEnablePeerAccess(b, 0);

            if (error == cudaErrorPeerAccessAlreadyEnabled)
                (void)cudaGetLastError();
            else
                CHECK(error);
        }
    }
    CHECK(cudaSetDevice(0));
}

#endif

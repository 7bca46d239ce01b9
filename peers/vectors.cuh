/* A vector to add up and room for the sum, on each GPU. */
#ifndef VECTORS_CUH
#define VECTORS_CUH

#include "team.cuh"

struct vectors {
    int n;
    unsigned *in[MAX_DEVICES], *out[MAX_DEVICES];
};

/* Those of devices 0 to devices - 1, one behind the other at `in`. */
static inline struct vectors vectors_new(const unsigned *in, int n, int devices, struct run *run)
{
    struct vectors v = {n};

    for (int d = 0; d < devices; d++) {
        CHECK(cudaSetDevice(d));
        v.in[d] = device_input(unsigned, in + (size_t)d * n, n);
        v.out[d] = device_output(unsigned, run, n);
    }
    CHECK(cudaSetDevice(0));
    return v;
}

/* The sums, back to the host one behind the other, and the memory, back to the devices. */
static inline void vectors_fetch(struct vectors *v, unsigned *out, int devices, struct run *run)
{
    for (int d = 0; d < devices; d++) {
        device_fetch(unsigned, out + (size_t)d * v->n, v->out[d], v->n);
        device_free(run, v->in[d]);
        device_free(run, v->out[d]);
    }
}

#endif

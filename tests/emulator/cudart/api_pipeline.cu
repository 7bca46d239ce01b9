/* SPDX-License-Identifier: MIT */
/* libcu++'s pipelines and barriers in shared memory, with copies that arrive at them. */
#include "expect.h"

#include <cuda/barrier> /* before <cuda/atomic>: see cmake/no_wait */
#include <cuda/pipeline>

#include <cooperative_groups.h>

enum { THREADS = 64, ROUNDS = 5 };

/* Two buffers: one is copied to while the other is read. Out: sums over the rounds, mirrored. */
__global__ void in_stages(const int *in, int *out)
{
    using state = cuda::pipeline_shared_state<cuda::thread_scope_block, 2>;
    __shared__ int buffers[2][THREADS];
    __shared__ alignas(state) char room[sizeof(state)];
    const auto block = cooperative_groups::this_thread_block();
    state *shared = reinterpret_cast<state *>(room);
    int sum = 0;

    if (threadIdx.x == 0)
        new (shared) state;
    block.sync();
    auto pipeline = cuda::make_pipeline(block, shared);
    for (int ahead = 0, round = 0; round < ROUNDS; round++) {
        for (; ahead < ROUNDS && ahead < round + 2; ahead++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(block, buffers[ahead % 2], in + THREADS * ahead,
                               cuda::aligned_size_t<16>(sizeof(buffers[0])), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        sum += buffers[round % 2][THREADS - 1 - threadIdx.x];
        pipeline.consumer_release();
    }
    out[threadIdx.x] = sum;
}

/* Each thread copies its own word; then half of them leave the barrier. */
__global__ void at_barrier(const int *in, int *out)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ int words[THREADS];
    __shared__ alignas(barrier) char room[sizeof(barrier)];
    barrier *all = reinterpret_cast<barrier *>(room);
    const int me = threadIdx.x;

    if (me == 0)
        init(all, THREADS);
    __syncthreads();
    cuda::memcpy_async(words + me, in + me, sizeof(int), *all);
    all->arrive_and_wait();
    out[me] = words[THREADS - 1 - me];
    all->arrive_and_wait();
    if (me >= THREADS / 2) {
        all->arrive_and_drop();
        return;
    }
    words[me] = 1000 + me;
    all->wait(all->arrive());
    out[me] += words[THREADS / 2 - 1 - me];
    all->wait(all->arrive());
}

int main()
{
    int in[THREADS * ROUNDS], out[THREADS], *d_in, *d_out, major;

    EXPECT_SUCCESS(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    if (major < 8)
        return 77;
    for (int i = 0; i < THREADS * ROUNDS; i++)
        in[i] = i * i % 1009;
    EXPECT_SUCCESS(cudaMalloc(&d_in, sizeof(in)));
    EXPECT_SUCCESS(cudaMalloc(&d_out, sizeof(out)));
    EXPECT_SUCCESS(cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice));
    in_stages<<<1, THREADS>>>(d_in, d_out);
    EXPECT_SUCCESS(cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost));
    for (int i = 0; i < THREADS; i++) {
        int sum = 0;
        for (int round = 0; round < ROUNDS; round++)
            sum += in[THREADS * round + THREADS - 1 - i];
        EXPECT(out[i] == sum);
    }
    at_barrier<<<1, THREADS>>>(d_in, d_out);
    EXPECT_SUCCESS(cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost));
    for (int i = 0; i < THREADS; i++)
        EXPECT(out[i] == in[THREADS - 1 - i] + (i < THREADS / 2 ? 1000 + THREADS / 2 - 1 - i : 0));
    EXPECT_SUCCESS(cudaFree(d_in));
    EXPECT_SUCCESS(cudaFree(d_out));
    return finish();
}

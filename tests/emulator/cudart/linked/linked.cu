/* SPDX-License-Identifier: MIT */
/* A program of two objects, compiled apart and linked (-rdc=true). */
#include "../expect.h"
#include "linked.h"

static __device__ int own = 3;
__device__ int *pointer = &shared_number;
__device__ int *third = &numbers[2];

__global__ void kernel(int *out)
{
    extern __shared__ int words[];
    square four;
    const shape *any = &four;

    words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    switch (threadIdx.x) {
    case 0:
        out[0] = twice(1) + own;
        break;
    case 1:
        out[1] = *pointer;
        break;
    case 2:
        out[2] = *third + numbers[3];
        break;
    case 3:
        out[3] = (int)(10 * factor);
        break;
    case 4:
        out[4] = operation(7);
        break;
    case 5:
        out[5] = any->sides();
        break;
    case 6:
        out[6] = sum_of_words(LINKED_THREADS);
        break;
    case 7:
        out[7] = ++counter;
        break;
    case 8:
        out[8] = next_ticket();
        break;
    }
}

static void expect_outputs(int *device)
{
    static const int expected[] = {45, 5, 7, 20, 21, 4, 496, 8, 100};
    int out[sizeof(expected) / sizeof(*expected)];

    EXPECT_LAUNCH(cudaSuccess, kernel<<<1, LINKED_THREADS, LINKED_THREADS * sizeof(int)>>>(device));
    EXPECT_SUCCESS(cudaMemcpy(out, device, sizeof(out), cudaMemcpyDeviceToHost));
    for (int i = 0; i < (int)(sizeof(expected) / sizeof(*expected)); i++)
        if (out[i] != expected[i])
            failures++, std::printf("number %d is %d, not %d\n", i, out[i], expected[i]);
}

int main()
{
    int *device, first = -1, changed = 6;
    cudaFuncAttributes attributes;

    EXPECT_SUCCESS(cudaMalloc(&device, LINKED_THREADS * sizeof(int)));
    EXPECT(counter == 7);
    expect_outputs(device);
    EXPECT(counter == 8);
    EXPECT(part_ticket() == 101);
    EXPECT(part_own() == 40);

    fill<<<1, LINKED_THREADS>>>(device, 1);
    EXPECT_SUCCESS(cudaMemcpy(&first, device, sizeof(first), cudaMemcpyDeviceToHost));
    EXPECT(first == LINKED_THREADS);
    EXPECT(part_fill(2) == LINKED_THREADS + 1);
    EXPECT_SUCCESS(cudaFuncGetAttributes(&attributes, fill<int>));
    EXPECT(attributes.sharedSizeBytes == LINKED_THREADS * sizeof(int));

    /* One variable, whichever object asks. */
    EXPECT_SUCCESS(cudaMemcpyToSymbol(shared_number, &changed, sizeof(changed)));
    EXPECT(part_number() == 6);
    EXPECT_SUCCESS(cudaFree(device));
    return finish();
}

/* Streams, events and their times. */
#include "expect.h"

#include <sys/wait.h>
#include <unistd.h>

__global__ void count(int *numbers, int rounds)
{
    for (int i = 0; i < rounds; i++)
        atomicAdd(&numbers[threadIdx.x], 1);
}

static void CUDART_CB note(void *data)
{
    ++*(int *)data;
}

static void streams()
{
    cudaStream_t stream, urgent;
    unsigned flags;
    unsigned long long number, other;
    int least, greatest, priority, calls = 0;
    cudaStreamCaptureStatus capturing;

    EXPECT_SUCCESS(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    EXPECT(greatest <= least);
    EXPECT_SUCCESS(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    EXPECT_SUCCESS(cudaStreamCreateWithPriority(&urgent, cudaStreamDefault, greatest));
    EXPECT_SUCCESS(cudaStreamGetFlags(stream, &flags));
    EXPECT(flags == cudaStreamNonBlocking);
    EXPECT_SUCCESS(cudaStreamGetPriority(urgent, &priority));
    EXPECT(priority == greatest);
    EXPECT_SUCCESS(cudaStreamGetId(stream, &number));
    EXPECT_SUCCESS(cudaStreamGetId(urgent, &other));
    EXPECT(number != other);
    EXPECT_SUCCESS(cudaStreamIsCapturing(stream, &capturing));
    EXPECT(capturing == cudaStreamCaptureStatusNone);
    EXPECT_SUCCESS(cudaLaunchHostFunc(stream, note, &calls));
    EXPECT_SUCCESS(cudaStreamSynchronize(stream));
    EXPECT(calls == 1);
    EXPECT_SUCCESS(cudaStreamQuery(stream));
    EXPECT_SUCCESS(cudaStreamDestroy(stream));
    EXPECT_SUCCESS(cudaStreamDestroy(urgent));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&stream, 77));
}

static void events()
{
    cudaEvent_t begin, end, untimed;
    float ms = -1, longer = -1;
    int *numbers;
    int value;

    EXPECT_SUCCESS(cudaMalloc(&numbers, 32 * sizeof(int)));
    EXPECT_SUCCESS(cudaMemset(numbers, 0, 32 * sizeof(int)));
    EXPECT_SUCCESS(cudaEventCreate(&begin));
    EXPECT_SUCCESS(cudaEventCreate(&end));
    EXPECT_SUCCESS(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, begin, end));
    EXPECT_SUCCESS(cudaEventQuery(begin));

    count<<<1, 32>>>(numbers, 1);
    EXPECT_SUCCESS(cudaEventRecord(begin));
    count<<<1, 32>>>(numbers, 100);
    EXPECT_SUCCESS(cudaEventRecord(end));
    EXPECT_SUCCESS(cudaStreamWaitEvent(0, end, 0));
    EXPECT_SUCCESS(cudaEventSynchronize(end));
    EXPECT_SUCCESS(cudaEventElapsedTime(&ms, begin, end));
    EXPECT(ms > 0);
    EXPECT_SUCCESS(cudaEventRecord(begin));
    count<<<1, 32>>>(numbers, 20000);
    EXPECT_SUCCESS(cudaEventRecord(end));
    EXPECT_SUCCESS(cudaEventSynchronize(end));
    EXPECT_SUCCESS(cudaEventElapsedTime(&longer, begin, end));
    EXPECT(longer > ms);
    EXPECT_SUCCESS(cudaMemcpy(&value, numbers + 31, sizeof(value), cudaMemcpyDeviceToHost));
    EXPECT(value == 20101);

    EXPECT_SUCCESS(cudaEventRecord(untimed));
    EXPECT_SUCCESS(cudaEventSynchronize(untimed));
    EXPECT_ERROR(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, begin, untimed));
    EXPECT_SUCCESS(cudaEventDestroy(begin));
    EXPECT_SUCCESS(cudaEventDestroy(end));
    EXPECT_SUCCESS(cudaEventDestroy(untimed));
    EXPECT_SUCCESS(cudaFree(numbers));
}

/* A copy takes time too: more bytes, more of it. */
static void transfers_take_time()
{
    enum { BYTES = 1 << 24 };
    cudaEvent_t events[3];
    float small, large;
    char *device, *host;

    EXPECT_SUCCESS(cudaMalloc(&device, BYTES));
    EXPECT_SUCCESS(cudaMallocHost((void **)&host, BYTES));
    for (cudaEvent_t &event : events)
        EXPECT_SUCCESS(cudaEventCreate(&event));
    EXPECT_SUCCESS(cudaMemcpyAsync(device, host, 16, cudaMemcpyHostToDevice, 0));
    EXPECT_SUCCESS(cudaEventRecord(events[0]));
    EXPECT_SUCCESS(cudaMemcpyAsync(device, host, 16, cudaMemcpyHostToDevice, 0));
    EXPECT_SUCCESS(cudaEventRecord(events[1]));
    EXPECT_SUCCESS(cudaMemcpyAsync(device, host, BYTES, cudaMemcpyHostToDevice, 0));
    EXPECT_SUCCESS(cudaEventRecord(events[2]));
    EXPECT_SUCCESS(cudaDeviceSynchronize());
    EXPECT_SUCCESS(cudaEventElapsedTime(&small, events[0], events[1]));
    EXPECT_SUCCESS(cudaEventElapsedTime(&large, events[1], events[2]));
    EXPECT(small > 0 && large > small);
    EXPECT(BYTES / (large * 1e-3) < 1e12);
    for (cudaEvent_t event : events)
        EXPECT_SUCCESS(cudaEventDestroy(event));
    EXPECT_SUCCESS(cudaFreeHost(host));
    EXPECT_SUCCESS(cudaFree(device));
}

/* What a function in a stream is told that tries to use the API: allocate, launch, ask. */
struct tries {
    cudaError_t allocated, launched, asked;
};

static void CUDART_CB use_api(void *data)
{
    struct tries *tries = (struct tries *)data;
    int *numbers = NULL;

    tries->allocated = cudaMalloc(&numbers, 32);
    count<<<1, 32>>>(numbers, 0);
    tries->launched = cudaGetLastError();
    tries->asked = cudaStreamSynchronize(0);
}

static void CUDART_CB use_api_too(cudaStream_t, cudaError_t, void *data)
{
    use_api(data);
}

static void functions_in_streams()
{
    struct tries tries[2] = {};

    EXPECT_SUCCESS(cudaLaunchHostFunc(0, use_api, &tries[0]));
    EXPECT_SUCCESS(cudaStreamAddCallback(0, use_api_too, &tries[1], 0));
    EXPECT_SUCCESS(cudaStreamSynchronize(0));
    for (const struct tries &one : tries) {
        EXPECT(one.allocated == cudaErrorNotPermitted);
        EXPECT(one.launched == cudaErrorNotPermitted);
        EXPECT(one.asked == cudaErrorNotPermitted);
    }
    EXPECT_SUCCESS(cudaGetLastError());
}

/* A child process cannot use what its parent has initialised, and its parent can. */
static void child()
{
    int status = -1, *numbers;
    const pid_t child = fork();

    if (child == 0)
        _exit(cudaMalloc(&numbers, 32));
    waitpid(child, &status, 0);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == cudaErrorInitializationError);
    EXPECT_SUCCESS(cudaMalloc(&numbers, 32));
    EXPECT_SUCCESS(cudaFree(numbers));
}

int main()
{
    streams();
    events();
    transfers_take_time();
    functions_in_streams();
    child();
    return finish();
}

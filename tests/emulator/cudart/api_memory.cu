/* Memory of the runtime API: what allocates, copies and fills, and what each refuses. */
#include "expect.h"

#include <cstdlib>
#include <cstring>
#include <vector>

__constant__ int table[4] = {1, 2, 3, 4};
__device__ int counter = 5;
__managed__ int shared_with_host = 6;

__global__ void read_variables(int *out)
{
    for (int i = 0; i < 4; i++)
        out[i] = table[i];
    out[4] = counter++;
    out[5] = shared_with_host++;
}

__global__ void double_numbers(int *numbers, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        numbers[i] *= 2;
}

static void allocation()
{
    void *p = &p, *q;
    size_t available, total;

    EXPECT_SUCCESS(cudaMalloc(&p, 0));
    EXPECT(p == NULL);
    EXPECT_SUCCESS(cudaFree(NULL));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMalloc((void **)NULL, 4));
    EXPECT_SUCCESS(cudaMemGetInfo(&available, &total));
    EXPECT(available <= total);
    EXPECT_ERROR(cudaErrorMemoryAllocation, cudaMalloc(&p, total + total));
    EXPECT_SUCCESS(cudaMalloc(&p, 1000));
    EXPECT((size_t)p % 256 == 0);
    EXPECT_SUCCESS(cudaMalloc(&q, 1000));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaFree((char *)p + 4));
    EXPECT_SUCCESS(cudaFree(p));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaFree(p));
    EXPECT_SUCCESS(cudaFree(q));
    EXPECT_SUCCESS(cudaMallocAsync(&p, 100, 0));
    EXPECT_SUCCESS(cudaFreeAsync(p, 0));
    EXPECT_SUCCESS(cudaStreamSynchronize(0));
}

static void copies()
{
    int in[100], out[100];
    int *d, *e;

    for (int i = 0; i < 100; i++)
        in[i] = i * i;
    EXPECT_SUCCESS(cudaMalloc(&d, sizeof(in)));
    EXPECT_SUCCESS(cudaMalloc(&e, sizeof(in)));
    EXPECT_SUCCESS(cudaMemcpy(d, in, sizeof(in), cudaMemcpyHostToDevice));
    EXPECT_SUCCESS(cudaMemcpy(e, d, sizeof(in), cudaMemcpyDeviceToDevice));
    EXPECT_SUCCESS(cudaMemcpy(out, e, sizeof(in), cudaMemcpyDefault));
    EXPECT(!memcmp(in, out, sizeof(in)));
    EXPECT_SUCCESS(cudaMemcpy(d, in, 0, cudaMemcpyHostToDevice));
    EXPECT_SUCCESS(cudaMemset(e, 0x11, sizeof(in)));
    EXPECT_SUCCESS(cudaMemcpyAsync(out, e, sizeof(in), cudaMemcpyDeviceToHost, 0));
    EXPECT_SUCCESS(cudaStreamSynchronize(0));
    EXPECT(out[0] == 0x11111111 && out[99] == 0x11111111);

    /* Sides mixed up, beyond the end, no such direction (unless there is nothing to copy). */
    EXPECT_SUCCESS(cudaMemcpy(d, in, 0, (enum cudaMemcpyKind)9));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy(in, out, sizeof(in), cudaMemcpyHostToDevice));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy(out, d, sizeof(in), cudaMemcpyHostToDevice));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy(out, d, sizeof(in), cudaMemcpyDeviceToDevice));
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaMemcpy(d + 90, in, sizeof(in) + 2000, cudaMemcpyHostToDevice));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy(d, in, sizeof(in), cudaMemcpyDeviceToHost));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy(out, in, sizeof(in), cudaMemcpyDeviceToDevice));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpy(NULL, in, sizeof(in), cudaMemcpyHostToDevice));
    EXPECT_ERROR(cudaErrorInvalidMemcpyDirection,
                 cudaMemcpy(d, in, sizeof(in), (enum cudaMemcpyKind)9));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemset(in, 0, sizeof(in)));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemset(NULL, 0, 4));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemset(d, 0, 1 << 20));
    EXPECT_SUCCESS(cudaFree(d));
    EXPECT_SUCCESS(cudaFree(e));
}

static void rows()
{
    enum { WIDTH = 37, HEIGHT = 5, HOST_PITCH = 41 };
    char in[HEIGHT][HOST_PITCH], out[HEIGHT][HOST_PITCH];
    char *d;
    size_t pitch;

    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < HOST_PITCH; x++)
            in[y][x] = (char)(y * HOST_PITCH + x);
    memset(out, -1, sizeof(out));
    EXPECT_SUCCESS(cudaMallocPitch((void **)&d, &pitch, WIDTH, HEIGHT));
    EXPECT(pitch >= WIDTH && pitch % 32 == 0);
    EXPECT_SUCCESS(cudaMemset2D(d, pitch, 7, pitch, HEIGHT));
    EXPECT_SUCCESS(cudaMemcpy2D(d, pitch, in, HOST_PITCH, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
    EXPECT_SUCCESS(cudaMemset2D(d + pitch, pitch, 9, 3, 2));
    EXPECT_SUCCESS(
        cudaMemcpy2D(out, HOST_PITCH, d, pitch, WIDTH + 1, HEIGHT, cudaMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < HOST_PITCH; x++)
            EXPECT(out[y][x] == (x > WIDTH                     ? (char)-1
                                 : x == WIDTH                  ? 7
                                 : x < 3 && (y == 1 || y == 2) ? 9
                                                               : in[y][x]));
    EXPECT_ERROR(cudaErrorInvalidPitchValue,
                 cudaMemcpy2D(d, pitch, in, WIDTH - 1, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaMemcpy2D(d, pitch, in, WIDTH - 1, WIDTH, 1, cudaMemcpyHostToDevice));
    EXPECT_SUCCESS(cudaMemcpy2D(d, 8, in, 8, 16, 0, cudaMemcpyHostToDevice));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemset2D(d, 8, 0, 16, 2));
    EXPECT_SUCCESS(cudaMemcpy2D(d, pitch, in, HOST_PITCH, 0, HEIGHT, cudaMemcpyHostToDevice));
    EXPECT_SUCCESS(cudaFree(d));
}

static void symbols()
{
    const int constants[4] = {10, 20, 30, 40};
    int values[6], two;
    int *d;
    void *address;
    size_t size;

    EXPECT_SUCCESS(cudaMalloc(&d, sizeof(values)));
    EXPECT_SUCCESS(cudaMemcpyToSymbol(table, constants, sizeof(constants)));
    EXPECT_SUCCESS(cudaMemcpyToSymbol(table, &constants[3], sizeof(int), sizeof(int)));
    read_variables<<<1, 1>>>(d);
    EXPECT_SUCCESS(cudaDeviceSynchronize());
    EXPECT_SUCCESS(cudaMemcpy(values, d, sizeof(values), cudaMemcpyDeviceToHost));
    EXPECT(values[0] == 10 && values[1] == 40 && values[2] == 30 && values[3] == 40);
    EXPECT(values[4] == 5 && values[5] == 6);
    EXPECT(shared_with_host == 7);
    EXPECT_SUCCESS(cudaMemcpyFromSymbol(&two, counter, sizeof(two)));
    EXPECT(two == 6);
    EXPECT_SUCCESS(cudaGetSymbolSize(&size, table));
    EXPECT(size == sizeof(constants));
    EXPECT_SUCCESS(cudaGetSymbolAddress(&address, counter));
    two = 77;
    EXPECT_SUCCESS(cudaMemcpy(address, &two, sizeof(two), cudaMemcpyHostToDevice));
    EXPECT_SUCCESS(cudaMemcpyFromSymbol(&values[0], counter, sizeof(two)));
    EXPECT(values[0] == 77);

    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpyToSymbol(table, constants, 4, 13));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaMemcpyToSymbol(table, constants, 4, (size_t)-4));
    EXPECT_ERROR(cudaErrorInvalidSymbol, cudaMemcpyToSymbol((const void *)&two, constants, 4));
    EXPECT_ERROR(cudaErrorInvalidSymbol, cudaGetSymbolAddress(&address, (const void *)&two));
    EXPECT_ERROR(cudaErrorInvalidSymbol, cudaGetSymbolSize(&size, (const void *)&two));
    EXPECT_ERROR(cudaErrorInvalidMemcpyDirection,
                 cudaMemcpyToSymbol(table, constants, 4, 0, cudaMemcpyDeviceToHost));
    EXPECT_SUCCESS(cudaFree(d));
}

static void host_memory()
{
    enum { N = 300 };
    int *pinned, *device_view;
    unsigned flags;
    std::vector<int> own(N, 3);
    cudaPointerAttributes attributes;

    EXPECT_SUCCESS(cudaHostAlloc((void **)&pinned, N * sizeof(int), cudaHostAllocMapped));
    for (int i = 0; i < N; i++)
        pinned[i] = i;
    EXPECT_SUCCESS(cudaHostGetDevicePointer((void **)&device_view, pinned, 0));
    double_numbers<<<3, 128>>>(device_view, N);
    EXPECT_SUCCESS(cudaDeviceSynchronize());
    EXPECT(pinned[299] == 598);
    EXPECT_SUCCESS(cudaHostGetFlags(&flags, pinned));
    EXPECT(flags & cudaHostAllocMapped);
    EXPECT_SUCCESS(cudaPointerGetAttributes(&attributes, pinned + 1));
    EXPECT(attributes.type == cudaMemoryTypeHost && attributes.hostPointer == pinned + 1);
    EXPECT_SUCCESS(cudaFreeHost(pinned));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaFreeHost(pinned));
    EXPECT_ERROR(cudaErrorInvalidValue, cudaHostAlloc((void **)&pinned, 16, 64));
    EXPECT_ERROR(cudaErrorInvalidValue,
                 cudaHostGetDevicePointer((void **)&device_view, own.data(), 0));

    EXPECT_ERROR(cudaErrorInvalidValue, cudaHostRegister(NULL, 16, 0));
    EXPECT_SUCCESS(cudaHostRegister(own.data(), N * sizeof(int), cudaHostRegisterMapped));
    EXPECT_ERROR(cudaErrorHostMemoryAlreadyRegistered,
                 cudaHostRegister(own.data(), N * sizeof(int), cudaHostRegisterMapped));
    EXPECT_SUCCESS(cudaHostGetDevicePointer((void **)&device_view, own.data(), 0));
    double_numbers<<<3, 128>>>(device_view, N);
    EXPECT_SUCCESS(cudaDeviceSynchronize());
    EXPECT(own[0] == 6 && own[N - 1] == 6);
    EXPECT_SUCCESS(cudaHostUnregister(own.data()));
    EXPECT_ERROR(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(own.data()));
}

static void kinds_of_memory()
{
    int *managed, *device;
    int local = 0;
    cudaPointerAttributes attributes;

    EXPECT_SUCCESS(cudaMallocManaged(&managed, 100 * sizeof(int)));
    for (int i = 0; i < 100; i++)
        managed[i] += i; /* to zeros */
    double_numbers<<<1, 128>>>(managed, 100);
    EXPECT_SUCCESS(cudaDeviceSynchronize());
    EXPECT(managed[99] == 198);
    EXPECT_SUCCESS(cudaPointerGetAttributes(&attributes, managed));
    EXPECT(attributes.type == cudaMemoryTypeManaged);
    EXPECT_SUCCESS(cudaMalloc(&device, 4));
    EXPECT_SUCCESS(cudaPointerGetAttributes(&attributes, device));
    EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == device);
    EXPECT_SUCCESS(cudaPointerGetAttributes(&attributes, &local));
    EXPECT(attributes.type == cudaMemoryTypeUnregistered);
    EXPECT_SUCCESS(cudaFree(device));
    EXPECT_SUCCESS(cudaFree(managed));
}

/* A __managed__ variable: both sides use it by its name, and nobody copies. */
static void managed_variable()
{
    cudaPointerAttributes attributes;
    int *out, four = 4;

    EXPECT_SUCCESS(cudaMalloc(&out, 6 * sizeof(int)));
    shared_with_host = 20;
    read_variables<<<1, 1>>>(out);
    EXPECT_SUCCESS(cudaDeviceSynchronize());
    EXPECT(shared_with_host == 21);
    EXPECT_SUCCESS(cudaPointerGetAttributes(&attributes, &shared_with_host));
    EXPECT(attributes.type == cudaMemoryTypeManaged && attributes.device == 0);
    EXPECT(attributes.devicePointer == &shared_with_host);
    EXPECT(attributes.hostPointer == &shared_with_host);
    EXPECT_SUCCESS(cudaMemcpy(&shared_with_host, &four, sizeof(int), cudaMemcpyDefault));
    EXPECT(shared_with_host == 4);
    EXPECT_SUCCESS(cudaMemset(&shared_with_host, 0, sizeof(int)));
    EXPECT_SUCCESS(cudaDeviceSynchronize());
    EXPECT(shared_with_host == 0);
    EXPECT_ERROR(cudaErrorInvalidValue, cudaFree(&shared_with_host));
    EXPECT_SUCCESS(cudaFree(out));
}

int main()
{
    allocation();
    copies();
    rows();
    symbols();
    managed_variable();
    host_memory();
    kinds_of_memory();
    return finish();
}

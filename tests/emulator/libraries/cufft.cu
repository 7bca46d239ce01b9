/* cuFFT, held against sums in double precision: what every call here gives, a GPU with the real
 * library gives as well. */
#include <cmath>
#include <complex>
#include <cufftXt.h>
#include <type_traits>
#include <vector>

#include "../cudart/expect.h"
#include "add.h"

#define EXPECT_RESULT(result, call) EXPECT((call) == (result))
#define EXPECT_DONE(call) EXPECT_RESULT(CUFFT_SUCCESS, call)

typedef std::complex<double> Number;

static unsigned seed = 1;

static double number()
{
    seed = seed * 1103515245 + 12345;
    return (int)(seed >> 16) % 1000 / 500.0 - 1;
}

/* A transform of up to three dimensions, as its sums: n[0] x n[1] x n[2] numbers in order. */
static std::vector<Number> transformed(const std::vector<Number> &in, const int n[3], int sign)
{
    std::vector<Number> from = in, to(in.size());

    for (int axis = 0, step = n[1] * n[2]; axis < 3; axis++) {
        for (int i = 0; i < (int)in.size(); i++) {
            const int k = i / step % n[axis], start = i - k * step;
            Number sum = 0;
            for (int j = 0; j < n[axis]; j++)
                sum += from[start + j * step] *
                       std::polar(1.0, sign * 2 * M_PI * ((double)(j * k % n[axis]) / n[axis]));
            to[i] = sum;
        }
        from = to;
        step /= axis < 2 ? n[axis + 1] : 1;
    }
    return from;
}

/* Where the elements of one side of a plan lie. */
struct Layout {
    int embed[3], stride, distance;
    int place(int batch, int x, int y, int z) const
    {
        return batch * distance + ((x * embed[1] + y) * embed[2] + z) * stride;
    }
};

/* One case: what cuFFT does in type T (float or double) against the sums. */
template <typename T> struct Case {
    typedef typename std::conditional<std::is_same<T, float>::value, cufftComplex,
                                      cufftDoubleComplex>::type Complex;
    static const bool is_float = std::is_same<T, float>::value;

    int n[3], batch;
    bool real_in, real_out;
    int sign;
    Layout in, out;
    bool in_place;
    int count() const
    {
        return n[0] * n[1] * n[2];
    }
    cufftType type() const
    {
        return real_in    ? is_float ? CUFFT_R2C : CUFFT_D2Z
               : real_out ? is_float ? CUFFT_C2R : CUFFT_Z2D
               : is_float ? CUFFT_C2C
                          : CUFFT_Z2Z;
    }
    cufftResult execute(cufftHandle plan, T *from, T *to) const
    {
        if constexpr (is_float)
            return real_in    ? cufftExecR2C(plan, from, (Complex *)to)
                   : real_out ? cufftExecC2R(plan, (Complex *)from, to)
                              : cufftExecC2C(plan, (Complex *)from, (Complex *)to, sign);
        else
            return real_in    ? cufftExecD2Z(plan, from, (Complex *)to)
                   : real_out ? cufftExecZ2D(plan, (Complex *)from, to)
                              : cufftExecZ2Z(plan, (Complex *)from, (Complex *)to, sign);
    }
    /* The numbers of a batch: what a transform to reals begins with has the symmetry of one of
     * reals. */
    std::vector<Number> input() const
    {
        std::vector<Number> made(count());
        for (Number &value : made)
            value = real_in || real_out ? Number(number()) : Number(number(), number());
        return real_out ? transformed(made, n, -1) : made;
    }
    void run(cufftHandle plan) const;
};

/* Between the elements, and around them, memory must stay as it is. */
template <typename T> void Case<T>::run(cufftHandle plan) const
{
    const int in_parts = real_in ? 1 : 2, out_parts = real_out ? 1 : 2, last = n[2] / 2 + 1;
    const T filler = T(77);
    std::vector<T> from((size_t)batch * in.distance * in_parts + 64, filler);
    std::vector<T> to((size_t)batch * out.distance * out_parts + 64, filler);
    std::vector<std::vector<Number>> expected;
    double worst = 0, largest = 0;
    T *d_from, *d_to;

    for (int b = 0; b < batch; b++) {
        const std::vector<Number> numbers = input();
        for (int i = 0; i < count(); i++) {
            const int z = i % n[2], y = i / n[2] % n[1], x = i / n[2] / n[1];
            if (real_out && z >= last)
                continue;
            T *place = &from[(size_t)in.place(b, x, y, z) * in_parts];
            place[0] = (T)numbers[i].real();
            if (!real_in)
                place[1] = (T)numbers[i].imag();
        }
        expected.push_back(transformed(numbers, n, sign));
    }
    if (in_place)
        to.resize(from.size() > to.size() ? from.size() : to.size(), filler);
    EXPECT_SUCCESS(cudaMalloc(&d_to, to.size() * sizeof(T)));
    EXPECT_SUCCESS(cudaMemcpy(d_to, to.data(), to.size() * sizeof(T), cudaMemcpyDefault));
    d_from = d_to;
    if (!in_place)
        EXPECT_SUCCESS(cudaMalloc(&d_from, from.size() * sizeof(T)));
    EXPECT_SUCCESS(cudaMemcpy(d_from, from.data(), from.size() * sizeof(T), cudaMemcpyDefault));
    EXPECT_DONE(execute(plan, d_from, d_to));
    EXPECT_SUCCESS(cudaMemcpy(to.data(), d_to, to.size() * sizeof(T), cudaMemcpyDefault));
    for (int b = 0; b < batch; b++)
        for (int i = 0; i < count(); i++) {
            const int z = i % n[2], y = i / n[2] % n[1], x = i / n[2] / n[1];
            if (real_in && z >= last)
                continue;
            T *place = &to[(size_t)out.place(b, x, y, z) * out_parts];
            const Number got(place[0], real_out ? 0 : place[1]);
            worst = std::fmax(worst, std::abs(got - expected[b][i]));
            largest = std::fmax(largest, std::abs(expected[b][i]));
            place[0] = place[out_parts - 1] = filler;
        }
    const double unit = is_float ? 6e-8 : 1.2e-16;
    EXPECT(worst <= 8 * unit * std::log2(2.0 * count()) * (1 + largest));
    for (size_t i = 0; i < to.size() && !in_place; i++)
        EXPECT(to[i] == filler);
    EXPECT_SUCCESS(cudaFree(d_to));
    if (!in_place)
        EXPECT_SUCCESS(cudaFree(d_from));
}

/* The layout of a plan that names none. */
static Layout basic(const int n[3], bool is_real, bool other_real, bool in_place)
{
    const int last = is_real      ? in_place ? 2 * (n[2] / 2 + 1) : n[2]
                          : other_real ? n[2] / 2 + 1
                                  : n[2];

    return {{n[0], n[1], last}, 1, n[0] * n[1] * last};
}

template <typename T> static void test_basic(int rank, int nx, int ny, int nz, int batch)
{
    for (int kind = 0; kind < 4; kind++) /* forward, inverse, from reals, to reals */
        for (int in_place = 0; in_place < 2; in_place++) {
            const bool from = kind == 2, to = kind == 3;
            Case<T> c = {{nx, ny, nz}, batch, from, to, kind % 2 ? CUFFT_INVERSE : CUFFT_FORWARD};
            cufftHandle plan;
            c.in_place = in_place;
            c.in = basic(c.n, from, to, in_place);
            c.out = basic(c.n, to, from, in_place);
            if (rank == 1)
                EXPECT_DONE(cufftPlan1d(&plan, nz, c.type(), batch));
            else if (rank == 2)
                EXPECT_DONE(cufftPlan2d(&plan, ny, nz, c.type()));
            else
                EXPECT_DONE(cufftPlan3d(&plan, nx, ny, nz, c.type()));
            c.run(plan);
            EXPECT_DONE(cufftDestroy(plan));
        }
}

/* Strides, gaps between rows and between transforms. */
template <typename T> static void test_many(int rank, int nx, int ny, int nz, int batch)
{
    for (int kind = 0; kind < 4; kind++) {
        const bool from = kind == 2, to = kind == 3;
        Case<T> c = {{nx, ny, nz}, batch, from, to, kind % 2 ? CUFFT_INVERSE : CUFFT_FORWARD};
        const int first = 3 - rank;
        cufftHandle plan;
        size_t size = 1;
        c.in = {{nx, ny + 1, nz + 2}, 2, 0};
        c.out = {{nx, ny + 2, nz + 3}, 3, 0};
        c.in.distance = nx * (ny + 1) * (nz + 2) * 2 + 5;
        c.out.distance = nx * (ny + 2) * (nz + 3) * 3 + 1;
        EXPECT_DONE(cufftCreate(&plan));
        EXPECT_DONE(cufftMakePlanMany(plan, rank, c.n + first, c.in.embed + first, c.in.stride,
                                      c.in.distance, c.out.embed + first, c.out.stride,
                                      c.out.distance, c.type(), batch, &size));
        c.run(plan);
        EXPECT_DONE(cufftDestroy(plan));
    }
}

/* Columns of a matrix: neighbours in memory belong to different transforms. */
static void test_columns()
{
    int n[] = {6};
    cufftHandle plan;
    const int size[] = {1, 1, 6};

    std::vector<cufftComplex> matrix(30);
    for (cufftComplex &value : matrix)
        value = make_cuComplex((float)number(), (float)number());
    cufftComplex *d;
    EXPECT_SUCCESS(cudaMalloc(&d, sizeof(cufftComplex) * 30));
    EXPECT_SUCCESS(cudaMemcpy(d, matrix.data(), sizeof(cufftComplex) * 30, cudaMemcpyDefault));
    EXPECT_DONE(cufftPlanMany(&plan, 1, n, n, 5, 1, n, 5, 1, CUFFT_C2C, 5));
    EXPECT_DONE(cufftExecC2C(plan, d, d, CUFFT_FORWARD));
    std::vector<cufftComplex> got(30);
    EXPECT_SUCCESS(cudaMemcpy(got.data(), d, sizeof(cufftComplex) * 30, cudaMemcpyDefault));
    for (int column = 0; column < 5; column++) {
        std::vector<Number> one;
        for (int i = 0; i < 6; i++)
            one.push_back(Number(matrix[i * 5 + column].x, matrix[i * 5 + column].y));
        const std::vector<Number> expected = transformed(one, size, -1);
        for (int i = 0; i < 6; i++)
            EXPECT(std::abs(Number(got[i * 5 + column].x, got[i * 5 + column].y) - expected[i]) <
                   1e-5);
    }
    EXPECT_DONE(cufftDestroy(plan));
    EXPECT_SUCCESS(cudaFree(d));
}

static void test_codes()
{
    cufftHandle plan;
    int version = 0, major = 0;
    size_t size;
    long long n[] = {8};
    cufftComplex *d;

    EXPECT_SUCCESS(cudaMalloc(&d, 8 * sizeof(*d)));
    EXPECT_RESULT(CUFFT_INVALID_SIZE, cufftPlan1d(&plan, -1, CUFFT_C2C, 1));
    EXPECT_RESULT(CUFFT_INVALID_TYPE, cufftPlan1d(&plan, 8, (cufftType)1, 1));
    EXPECT_DONE(cufftCreate(&plan));
    EXPECT_RESULT(CUFFT_INVALID_PLAN, cufftExecC2C(plan, d, d, CUFFT_FORWARD));
    EXPECT_DONE(cufftSetAutoAllocation(plan, 1));
    EXPECT_DONE(cufftMakePlanMany64(plan, 1, n, NULL, 1, 8, NULL, 1, 8, CUFFT_C2C, 1, &size));
    EXPECT_DONE(cufftGetSize(plan, &size));
    EXPECT_RESULT(CUFFT_INVALID_VALUE, cufftExecC2C(plan, d, d, 0));
    EXPECT_DONE(cufftDestroy(plan));
    EXPECT_RESULT(CUFFT_INVALID_PLAN, cufftDestroy(plan));
    EXPECT_RESULT(CUFFT_INVALID_PLAN, cufftSetStream(plan, NULL));
    EXPECT_DONE(cufftEstimate1d(1000, CUFFT_C2C, 1, &size));
    EXPECT_DONE(cufftGetVersion(&version));
    EXPECT_DONE(cufftGetProperty(MAJOR_VERSION, &major));
    EXPECT(version / 1000 == major);
    EXPECT_SUCCESS(cudaFree(d));
}

/* Plans by every other way, and how much room they say they need. */
static void test_shapes()
{
    cufftHandle plans[3], other;
    int n[] = {4, 6};
    long long n_64[] = {4, 6};
    size_t size;
    void *area;

    for (cufftHandle &plan : plans)
        EXPECT_DONE(cufftCreate(&plan));
    EXPECT_DONE(cufftGetSize1d(plans[0], 8, CUFFT_C2C, 2, &size));
    EXPECT_DONE(cufftMakePlan1d(plans[0], 8, CUFFT_C2C, 2, &size));
    EXPECT_DONE(cufftGetSize2d(plans[1], 4, 6, CUFFT_C2C, &size));
    EXPECT_DONE(cufftMakePlan2d(plans[1], 4, 6, CUFFT_C2C, &size));
    EXPECT_DONE(cufftGetSize3d(plans[2], 2, 3, 4, CUFFT_C2C, &size));
    EXPECT_DONE(cufftMakePlan3d(plans[2], 2, 3, 4, CUFFT_C2C, &size));
    EXPECT_DONE(cufftEstimate2d(4, 6, CUFFT_R2C, &size));
    EXPECT_DONE(cufftEstimate3d(2, 3, 4, CUFFT_R2C, &size));
    EXPECT_DONE(cufftEstimateMany(2, n, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 2, &size));
    EXPECT_DONE(cufftCreate(&other));
    EXPECT_DONE(cufftGetSizeMany(other, 2, n, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 2, &size));
    EXPECT_DONE(cufftGetSizeMany64(other, 2, n_64, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 2, &size));
    EXPECT_DONE(cufftDestroy(other));
    EXPECT_DONE(cufftGetSize(plans[1], &size));
    EXPECT_SUCCESS(cudaMalloc(&area, size + 1));
    EXPECT_DONE(cufftSetWorkArea(plans[1], area));
    const Case<float> lines = {
        {1, 1, 8}, 2, false, false, CUFFT_FORWARD, {{1, 1, 8}, 1, 8}, {{1, 1, 8}, 1, 8}, false};
    const Case<float> plane = {
        {1, 4, 6}, 1, false, false, CUFFT_FORWARD, {{1, 4, 6}, 1, 24}, {{1, 4, 6}, 1, 24}, false};
    const Case<float> space = {
        {2, 3, 4}, 1, false, false, CUFFT_FORWARD, {{2, 3, 4}, 1, 24}, {{2, 3, 4}, 1, 24}, false};
    lines.run(plans[0]);
    plane.run(plans[1]);
    space.run(plans[2]);
    for (cufftHandle plan : plans)
        EXPECT_DONE(cufftDestroy(plan));
    EXPECT_SUCCESS(cudaFree(area));
}

/* In a stream between kernels, and captured. */
/* Plans by the types of their numbers. */
static void test_types()
{
    enum { N = 6, HALF = N / 2 + 1 };
    long long n = N;
    cufftHandle forth, back;
    size_t size = 1;
    double *d, host[N];
    cufftDoubleComplex *spectrum;

    EXPECT_SUCCESS(cudaMalloc(&d, sizeof(host)));
    EXPECT_SUCCESS(cudaMalloc(&spectrum, HALF * sizeof(*spectrum)));
    for (int i = 0; i < N; i++)
        host[i] = i * i;
    EXPECT_SUCCESS(cudaMemcpy(d, host, sizeof(host), cudaMemcpyDefault));
    EXPECT_DONE(cufftCreate(&forth));
    EXPECT_DONE(cufftCreate(&back));
    EXPECT_DONE(cufftXtGetSizeMany(forth, 1, &n, NULL, 1, 1, CUDA_R_64F, NULL, 1, 1, CUDA_C_64F, 1,
                                   &size, CUDA_C_64F));
    EXPECT_DONE(cufftXtMakePlanMany(forth, 1, &n, NULL, 1, 1, CUDA_R_64F, NULL, 1, 1, CUDA_C_64F, 1,
                                    &size, CUDA_C_64F));
    EXPECT_DONE(cufftXtMakePlanMany(back, 1, &n, NULL, 1, 1, CUDA_C_64F, NULL, 1, 1, CUDA_R_64F, 1,
                                    &size, CUDA_C_64F));
    EXPECT_DONE(cufftXtExec(forth, d, spectrum, CUFFT_FORWARD));
    EXPECT_DONE(cufftXtExec(back, spectrum, d, CUFFT_INVERSE));
    EXPECT_SUCCESS(cudaMemcpy(host, d, sizeof(host), cudaMemcpyDefault));
    for (int i = 0; i < N; i++)
        EXPECT(std::fabs(host[i] - N * i * i) < 1e-10);
    EXPECT_DONE(cufftDestroy(forth));
    EXPECT_DONE(cufftDestroy(back));
    cudaFree(d);
    cudaFree(spectrum);
}

static void test_streams()
{
    cufftComplex *d, host[4];
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cufftHandle plan;

    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    EXPECT_SUCCESS(cudaMalloc(&d, sizeof(host)));
    EXPECT_SUCCESS(cudaMemset(d, 0, sizeof(host)));
    EXPECT_DONE(cufftPlan1d(&plan, 4, CUFFT_C2C, 1));
    EXPECT_DONE(cufftSetStream(plan, stream));
    EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add(&d->x, 4, 2, 1, stream);
    EXPECT_DONE(cufftExecC2C(plan, d, d, CUFFT_FORWARD));
    add(&d->x, 1, 2, 0.5f, stream);
    EXPECT_SUCCESS(cudaStreamEndCapture(stream, &graph));
    EXPECT_SUCCESS(cudaGraphInstantiate(&exec, graph, 0));
    EXPECT_SUCCESS(cudaGraphLaunch(exec, stream));
    EXPECT_SUCCESS(cudaMemcpyAsync(host, d, sizeof(host), cudaMemcpyDefault, stream));
    EXPECT_SUCCESS(cudaStreamSynchronize(stream));
    EXPECT(host[0].x == 4.5f && host[1].x == 0 && host[3].y == 0);
    EXPECT_SUCCESS(cudaGraphExecDestroy(exec));
    EXPECT_SUCCESS(cudaGraphDestroy(graph));
    EXPECT_DONE(cufftDestroy(plan));
    EXPECT_SUCCESS(cudaFree(d));
    EXPECT_SUCCESS(cudaStreamDestroy(stream));
}

template <typename T> static void test_type()
{
    for (int n : {1, 2, 7, 16, 30, 127})
        for (int batch : {1, 3})
            test_basic<T>(1, 1, 1, n, batch);
    test_basic<T>(2, 1, 6, 5, 1);
    test_basic<T>(2, 1, 8, 16, 1);
    test_basic<T>(3, 3, 4, 6, 1);
    test_basic<T>(3, 2, 5, 7, 1);
    test_many<T>(1, 1, 1, 12, 3);
    test_many<T>(2, 1, 4, 6, 2);
    test_many<T>(3, 3, 2, 5, 2);
}

int main()
{
    test_types();
    test_type<float>();
    test_type<double>();
    test_columns();
    test_codes();
    test_shapes();
    test_streams();
    return finish();
}

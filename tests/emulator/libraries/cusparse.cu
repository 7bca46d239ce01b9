/* cuSPARSE: products, triangles and conversions, against sums over dense matrices, in all formats
 * and both types. */
#define DISABLE_CUSPARSE_DEPRECATED
#include <cmath>
#include <cstdio>
#include <cusparse.h>
#include <vector>

#include "../cudart/expect.h"

#define EXPECT_DONE(call) EXPECT((call) == CUSPARSE_STATUS_SUCCESS)

enum { ROWS = 5, COLUMNS = 7, WIDTH = 3 };
enum format { CSR, CSC, COO };

template <typename T> constexpr cudaDataType type_of()
{
    return sizeof(T) == sizeof(float) ? CUDA_R_32F : CUDA_R_64F;
}

/* What is on the device, and is freed with it. */
template <typename T> struct device {
    T *start = nullptr;
    size_t size;
    explicit device(const std::vector<T> &numbers) : size(numbers.size())
    {
        EXPECT_SUCCESS(cudaMalloc(&start, size * sizeof(T) + 1));
        EXPECT_SUCCESS(cudaMemcpy(start, numbers.data(), size * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> host() const
    {
        std::vector<T> numbers(size);
        EXPECT_SUCCESS(cudaMemcpy(numbers.data(), start, size * sizeof(T), cudaMemcpyDeviceToHost));
        return numbers;
    }
    device(const device &) = delete;
    ~device()
    {
        cudaFree(start);
    }
};

/* A matrix by rows, of which about a third is not zero. */
template <typename T> struct matrix {
    int rows, columns;
    std::vector<T> numbers;
    matrix(int rows, int columns, bool sparse)
        : rows(rows), columns(columns), numbers(rows * columns)
    {
        for (int i = 0; i < rows * columns; i++)
            numbers[i] =
                sparse && i * 7 % 5 % 3 ? 0 : (T)(i % 11 - 4) / 2 + (sparse && i % 11 == 4);
    }
    T &at(int row, int column)
    {
        return numbers[row * columns + column];
    }
    matrix transposed() const
    {
        matrix other(columns, rows, false);
        for (int i = 0; i < rows * columns; i++)
            other.at(i % columns, i / columns) = numbers[i];
        return other;
    }
};

/* One on the device, in any format. */
template <typename T> struct sparse {
    std::vector<int> first, second;
    std::vector<T> values;
    device<int> *d_first, *d_second;
    device<T> *d_values;
    cusparseSpMatDescr_t description;

    sparse(matrix<T> dense, format format, int base)
    {
        matrix<T> lines = format == CSC ? dense.transposed() : dense;
        for (int i = 0; i < lines.rows; i++) {
            if (format != COO)
                first.push_back((int)values.size() + base);
            for (int j = 0; j < lines.columns; j++) {
                if (lines.at(i, j) == 0)
                    continue;
                if (format == COO)
                    first.push_back(i + base);
                second.push_back(j + base);
                values.push_back(lines.at(i, j));
            }
        }
        if (format != COO)
            first.push_back((int)values.size() + base);
        d_first = new device<int>(first);
        d_second = new device<int>(second);
        d_values = new device<T>(values);
        describe(dense, format, (cusparseIndexBase_t)base);
    }
    void describe(const matrix<T> &dense, format format, cusparseIndexBase_t base)
    {
        const auto index = CUSPARSE_INDEX_32I;
        const auto type = type_of<T>();
        if (format == COO)
            EXPECT_DONE(cusparseCreateCoo(&description, dense.rows, dense.columns, values.size(),
                                          d_first->start, d_second->start, d_values->start, index,
                                          base, type));
        else
            EXPECT_DONE((format == CSR ? cusparseCreateCsr : cusparseCreateCsc)(
                &description, dense.rows, dense.columns, values.size(), d_first->start,
                d_second->start, d_values->start, index, index, base, type));
    }
    ~sparse()
    {
        EXPECT_DONE(cusparseDestroySpMat(description));
        delete d_first;
        delete d_second;
        delete d_values;
    }
};

template <typename T> static bool close(T a, T b)
{
    return std::fabs(a - b) <= 1e-5 * (1 + std::fabs(b));
}

/* y = 2 op(A) x + 3 y, and the same of matrices. */
template <typename T> static void products(cusparseHandle_t handle, format format, bool flip)
{
    const matrix<T> a(ROWS, COLUMNS, true);
    matrix<T> op = flip ? a.transposed() : a, b(op.columns, WIDTH, false), c(op.rows, WIDTH, false);
    sparse<T> on_device(a, format, flip);
    const device<T> d_b(b.numbers), d_c(c.numbers);
    cusparseDnMatDescr_t b_matrix, c_matrix;
    const T alpha = 2, beta = 3;
    size_t size = 1;

    EXPECT_DONE(cusparseCreateDnMat(&b_matrix, op.columns, WIDTH, WIDTH, d_b.start, type_of<T>(),
                                    CUSPARSE_ORDER_ROW));
    EXPECT_DONE(cusparseCreateDnMat(&c_matrix, op.rows, WIDTH, WIDTH, d_c.start, type_of<T>(),
                                    CUSPARSE_ORDER_ROW));
    const auto how = flip ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
    const auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    EXPECT_DONE(cusparseSpMM_bufferSize(handle, how, plain, &alpha, on_device.description, b_matrix,
                                        &beta, c_matrix, type_of<T>(), CUSPARSE_SPMM_ALG_DEFAULT,
                                        &size));
    const device<char> buffer(std::vector<char>(size, 0));
    EXPECT_DONE(cusparseSpMM(handle, how, plain, &alpha, on_device.description, b_matrix, &beta,
                             c_matrix, type_of<T>(), CUSPARSE_SPMM_ALG_DEFAULT, buffer.start));
    const std::vector<T> result = d_c.host();
    for (int i = 0; i < op.rows; i++)
        for (int j = 0; j < WIDTH; j++) {
            T sum = 0;
            for (int k = 0; k < op.columns; k++)
                sum += op.at(i, k) * b.at(k, j);
            EXPECT(close(result[i * WIDTH + j], alpha * sum + beta * c.at(i, j)));
        }
    EXPECT_DONE(cusparseDestroyDnMat(b_matrix));
    EXPECT_DONE(cusparseDestroyDnMat(c_matrix));
}

template <typename T> static void product_of_vector(cusparseHandle_t handle)
{
    matrix<T> a(ROWS, COLUMNS, true), x(COLUMNS, 1, false);
    sparse<T> on_device(a, CSR, 0);
    const device<T> d_x(x.numbers), d_y(std::vector<T>(ROWS, (T)NAN)); /* beta is 0: not read */
    const device<T> scalars({(T)2, (T)0});
    cusparseDnVecDescr_t x_vector, y_vector;
    size_t size = 1;

    EXPECT_DONE(cusparseCreateDnVec(&x_vector, COLUMNS, d_x.start, type_of<T>()));
    EXPECT_DONE(cusparseCreateDnVec(&y_vector, ROWS, d_y.start, type_of<T>()));
    EXPECT_DONE(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE));
    const auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    EXPECT_DONE(cusparseSpMV_bufferSize(handle, plain, scalars.start, on_device.description,
                                        x_vector, scalars.start + 1, y_vector, type_of<T>(),
                                        CUSPARSE_SPMV_ALG_DEFAULT, &size));
    const device<char> buffer(std::vector<char>(size, 0));
    EXPECT_DONE(cusparseSpMV(handle, plain, scalars.start, on_device.description, x_vector,
                             scalars.start + 1, y_vector, type_of<T>(), CUSPARSE_SPMV_ALG_DEFAULT,
                             buffer.start));
    EXPECT_DONE(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
    const std::vector<T> result = d_y.host();
    for (int i = 0; i < ROWS; i++) {
        T sum = 0;
        for (int k = 0; k < COLUMNS; k++)
            sum += a.at(i, k) * x.at(k, 0);
        EXPECT(close(result[i], 2 * sum));
    }
    EXPECT_DONE(cusparseDestroyDnVec(x_vector));
    EXPECT_DONE(cusparseDestroyDnVec(y_vector));
}

/* op(L) x = 2 b, and then the product again. */
static void triangle(cusparseHandle_t handle, bool flip)
{
    matrix<double> a(ROWS, ROWS, true), b(ROWS, 1, false);
    for (int i = 0; i < ROWS; i++)
        a.at(i, i) = 3 + i;
    sparse<double> on_device(a, CSR, 0);
    const device<double> d_b(b.numbers), d_x(std::vector<double>(ROWS, 0));
    cusparseDnVecDescr_t b_vector, x_vector;
    cusparseSpSVDescr_t analysis;
    cusparseFillMode_t lower = CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t plain = CUSPARSE_DIAG_TYPE_NON_UNIT;
    const double alpha = 2;
    size_t size = 1;

    cusparseSpMatDescr_t description = on_device.description;
    EXPECT_DONE(
        cusparseSpMatSetAttribute(description, CUSPARSE_SPMAT_FILL_MODE, &lower, sizeof(lower)));
    EXPECT_DONE(
        cusparseSpMatSetAttribute(description, CUSPARSE_SPMAT_DIAG_TYPE, &plain, sizeof(plain)));
    EXPECT_DONE(cusparseCreateDnVec(&b_vector, ROWS, d_b.start, CUDA_R_64F));
    EXPECT_DONE(cusparseCreateDnVec(&x_vector, ROWS, d_x.start, CUDA_R_64F));
    EXPECT_DONE(cusparseSpSV_createDescr(&analysis));
    const auto how = flip ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
    EXPECT_DONE(cusparseSpSV_bufferSize(handle, how, &alpha, description, b_vector, x_vector,
                                        CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, analysis, &size));
    const device<char> buffer(std::vector<char>(size, 0));
    EXPECT_DONE(cusparseSpSV_analysis(handle, how, &alpha, description, b_vector, x_vector,
                                      CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, analysis,
                                      buffer.start));
    EXPECT_DONE(cusparseSpSV_solve(handle, how, &alpha, description, b_vector, x_vector, CUDA_R_64F,
                                   CUSPARSE_SPSV_ALG_DEFAULT, analysis));
    const std::vector<double> x = d_x.host();
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int k = 0; k < ROWS; k++)
            sum += flip ? (k >= i ? a.at(k, i) * x[k] : 0) : (k <= i ? a.at(i, k) * x[k] : 0);
        EXPECT(close(sum, 2 * b.at(i, 0)));
    }
    EXPECT_DONE(cusparseSpSV_destroyDescr(analysis));
    EXPECT_DONE(cusparseDestroyDnVec(b_vector));
    EXPECT_DONE(cusparseDestroyDnVec(x_vector));
}

/* Dense to CSR, sampled products into it, and back to dense. */
static void conversions(cusparseHandle_t handle)
{
    matrix<float> a(ROWS, COLUMNS, true), b(ROWS, WIDTH, false), c(WIDTH, COLUMNS, false);
    const device<float> d_a(a.numbers), d_b(b.numbers), d_c(c.numbers);
    const device<int> offsets(std::vector<int>(ROWS + 1, 0));
    cusparseDnMatDescr_t a_matrix, b_matrix, c_matrix;
    cusparseSpMatDescr_t description;
    int64_t rows, columns, count = 0;
    const float one = 1, half = 0.5f;
    size_t size = 1;

    const auto row_order = CUSPARSE_ORDER_ROW;
    EXPECT_DONE(
        cusparseCreateDnMat(&a_matrix, ROWS, COLUMNS, COLUMNS, d_a.start, CUDA_R_32F, row_order));
    EXPECT_DONE(
        cusparseCreateDnMat(&b_matrix, ROWS, WIDTH, WIDTH, d_b.start, CUDA_R_32F, row_order));
    EXPECT_DONE(
        cusparseCreateDnMat(&c_matrix, WIDTH, COLUMNS, COLUMNS, d_c.start, CUDA_R_32F, row_order));
    EXPECT_DONE(cusparseCreateCsr(&description, ROWS, COLUMNS, 0, offsets.start, NULL, NULL,
                                  CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                  CUDA_R_32F));
    const auto algorithm = CUSPARSE_DENSETOSPARSE_ALG_DEFAULT;
    EXPECT_DONE(cusparseDenseToSparse_bufferSize(handle, a_matrix, description, algorithm, &size));
    const device<char> buffer(std::vector<char>(size, 0));
    EXPECT_DONE(
        cusparseDenseToSparse_analysis(handle, a_matrix, description, algorithm, buffer.start));
    EXPECT_DONE(cusparseSpMatGetSize(description, &rows, &columns, &count));
    const sparse<float> expected(a, CSR, 0);
    EXPECT(count == (int64_t)expected.values.size());
    const device<int> indices(std::vector<int>(count, 0));
    const device<float> values(std::vector<float>(count, 0));
    EXPECT_DONE(cusparseCsrSetPointers(description, offsets.start, indices.start, values.start));
    EXPECT_DONE(
        cusparseDenseToSparse_convert(handle, a_matrix, description, algorithm, buffer.start));
    EXPECT(offsets.host() == expected.first && indices.host() == expected.second);
    EXPECT(values.host() == expected.values);

    const auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    EXPECT_DONE(cusparseSDDMM_bufferSize(handle, plain, plain, &half, b_matrix, c_matrix, &one,
                                         description, CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT,
                                         &size));
    const device<char> room(std::vector<char>(size, 0));
    EXPECT_DONE(cusparseSDDMM(handle, plain, plain, &half, b_matrix, c_matrix, &one, description,
                              CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, room.start));
    EXPECT_DONE(cusparseSparseToDense_bufferSize(handle, description, a_matrix,
                                                 CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &size));
    const device<char> more(std::vector<char>(size, 0));
    EXPECT_DONE(cusparseSparseToDense(handle, description, a_matrix,
                                      CUSPARSE_SPARSETODENSE_ALG_DEFAULT, more.start));
    const std::vector<float> dense = d_a.host();
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            float sum = 0;
            for (int k = 0; k < WIDTH; k++)
                sum += b.at(i, k) * c.at(k, j);
            EXPECT(close(dense[i * COLUMNS + j], a.at(i, j) == 0 ? 0 : a.at(i, j) + sum / 2));
        }
    EXPECT_DONE(cusparseDestroySpMat(description));
    for (cusparseDnMatDescr_t matrix : {a_matrix, b_matrix, c_matrix})
        EXPECT_DONE(cusparseDestroyDnMat(matrix));
}

static void vectors(cusparseHandle_t handle)
{
    const device<int> indices({1, 4, 6});
    const device<float> values({10, 20, 30}), dense({1, 2, 3, 4, 5, 6, 7});
    const float alpha = 2, beta = 3;
    cusparseSpVecDescr_t x;
    cusparseDnVecDescr_t y;

    EXPECT_DONE(cusparseCreateSpVec(&x, COLUMNS, 3, indices.start, values.start, CUSPARSE_INDEX_32I,
                                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    EXPECT_DONE(cusparseCreateDnVec(&y, COLUMNS, dense.start, CUDA_R_32F));
    EXPECT_DONE(cusparseAxpby(handle, &alpha, x, &beta, y));
    EXPECT(dense.host() == std::vector<float>({3, 26, 9, 12, 55, 18, 81}));
    EXPECT_DONE(cusparseScatter(handle, x, y));
    EXPECT(dense.host() == std::vector<float>({3, 10, 9, 12, 20, 18, 30}));
    const float numbers[] = {1, 2, 3, 4, 5, 6, 7};
    EXPECT_SUCCESS(cudaMemcpy(dense.start, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
    EXPECT_DONE(cusparseGather(handle, y, x));
    EXPECT(values.host() == std::vector<float>({2, 5, 7}));
    EXPECT_DONE(cusparseDestroySpVec(x));
    EXPECT_DONE(cusparseDestroyDnVec(y));
}

/* A sum for the host: at once, and in a graph when that runs. */
static void sum_of_products(cusparseHandle_t handle)
{
    device<int> indices(std::vector<int>{0, 2, 3});
    device<float> few(std::vector<float>{1, 2, 3}), all(std::vector<float>{4, 5, 6, 7});
    cusparseSpVecDescr_t x;
    cusparseDnVecDescr_t y;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t made;
    float sum = 0;
    size_t size = 0;

    EXPECT_DONE(cusparseCreateSpVec(&x, 4, 3, indices.start, few.start, CUSPARSE_INDEX_32I,
                                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    EXPECT_DONE(cusparseCreateDnVec(&y, 4, all.start, CUDA_R_32F));
    EXPECT_DONE(cusparseSpVV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, x, y, &sum,
                                        CUDA_R_32F, &size));
    device<char> room(std::vector<char>(size + 1, 0));
    EXPECT_DONE(
        cusparseSpVV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, x, y, &sum, CUDA_R_32F, room.start));
    EXPECT(sum == 4 + 12 + 21);
    sum = 0;
    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    EXPECT_DONE(cusparseSetStream(handle, stream));
    EXPECT_SUCCESS(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    EXPECT_DONE(
        cusparseSpVV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, x, y, &sum, CUDA_R_32F, room.start));
    EXPECT_SUCCESS(cudaStreamEndCapture(stream, &graph));
    EXPECT_SUCCESS(cudaGraphInstantiate(&made, graph, 0));
    EXPECT(sum == 0);
    EXPECT_SUCCESS(cudaGraphLaunch(made, stream));
    EXPECT_SUCCESS(cudaStreamSynchronize(stream));
    EXPECT(sum == 4 + 12 + 21);
    EXPECT_DONE(cusparseSetStream(handle, NULL));
    EXPECT_SUCCESS(cudaGraphExecDestroy(made));
    EXPECT_SUCCESS(cudaGraphDestroy(graph));
    EXPECT_SUCCESS(cudaStreamDestroy(stream));
    EXPECT_DONE(cusparseDestroySpVec(x));
    EXPECT_DONE(cusparseDestroyDnVec(y));
}

int main()
{
    cusparseHandle_t handle;

    EXPECT_DONE(cusparseCreate(&handle));
    for (format format : {CSR, CSC, COO})
        for (bool flip : {false, true}) {
            products<float>(handle, format, flip);
            products<double>(handle, format, flip);
        }
    product_of_vector<float>(handle);
    product_of_vector<double>(handle);
    triangle(handle, false);
    triangle(handle, true);
    conversions(handle);
    vectors(handle);
    sum_of_products(handle);
    EXPECT(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, NULL, NULL, NULL, NULL, NULL,
                        CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT,
                        NULL) == CUSPARSE_STATUS_INVALID_VALUE);
    EXPECT_DONE(cusparseDestroy(handle));
    return finish();
}

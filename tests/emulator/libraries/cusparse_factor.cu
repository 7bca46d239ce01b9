/* cuSPARSE's incomplete factors and transpose. A matrix whose factors have no numbers elsewhere is
 * their product. */
#define DISABLE_CUSPARSE_DEPRECATED
#include <cmath>
#include <cusparse.h>
#include <vector>

#include "../cudart/expect.h"
#include "device.h"

static cusparseHandle_t handle;

#define EXPECT_DONE(call) EXPECT((call) == CUSPARSE_STATUS_SUCCESS)

#define CALL(routine, ...)                                                       \
    (sizeof(T) == sizeof(float) ? cusparseS##routine(MATRIX(float), __VA_ARGS__) \
                                : cusparseD##routine(MATRIX(double), __VA_ARGS__))
#define MATRIX(T) handle, N, count, matrix, (T *)values.data, offsets.data, indices.data, info

enum { N = 4 };

/* [4 1 . .; 2 5 1 .; . 3 6 2; . . 1 7], whose factors are as narrow as itself. */
template <typename T> static void test_factors(cusparseIndexBase_t base)
{
    const T band[] = {4, 1, 2, 5, 1, 3, 6, 2, 1, 7};
    std::vector<int> begin = {0, 2, 5, 8, 10}, columns = {0, 1, 0, 1, 2, 1, 2, 3, 2, 3};
    for (int &i : begin)
        i += base;
    for (int &i : columns)
        i += base;
    Device<T> values(std::vector<T>(band, band + 10));
    Device<int> offsets(begin), indices(columns);
    const int count = 10;
    int size = -1, position = 7;
    cusparseMatDescr_t matrix;
    csrilu02Info_t info;

    EXPECT_DONE(cusparseCreateMatDescr(&matrix));
    EXPECT_DONE(cusparseSetMatIndexBase(matrix, base));
    EXPECT_DONE(cusparseCreateCsrilu02Info(&info));
    EXPECT_DONE(CALL(csrilu02_bufferSize, &size));
    EXPECT(size >= 0);
    Device<char> room(std::vector<char>((size_t)size + 1, 0));
    EXPECT_DONE(CALL(csrilu02_analysis, CUSPARSE_SOLVE_POLICY_NO_LEVEL, room.data));
    EXPECT_DONE(cusparseXcsrilu02_zeroPivot(handle, info, &position));
    EXPECT(position == -1);
    EXPECT_DONE(CALL(csrilu02, CUSPARSE_SOLVE_POLICY_NO_LEVEL, room.data));
    EXPECT_DONE(cusparseXcsrilu02_zeroPivot(handle, info, &position));
    EXPECT(position == -1);
    const std::vector<T> made = values.host();
    T lower[N][N] = {}, upper[N][N] = {};
    for (int i = 0; i < N; i++)
        for (int k = begin[i] - base; k < begin[i + 1] - base; k++)
            (columns[k] - base < i ? lower : upper)[i][columns[k] - base] = made[k];
    for (int i = 0; i < N; i++)
        for (int k = begin[i] - base; k < begin[i + 1] - base; k++) {
            const int j = columns[k] - base;
            T sum = upper[i][j];
            for (int l = 0; l < i; l++)
                sum += lower[i][l] * upper[l][j];
            EXPECT(std::fabs(sum - band[k]) < 1e-5);
        }
    EXPECT_DONE(cusparseDestroyCsrilu02Info(info));
    EXPECT_DONE(cusparseDestroyMatDescr(matrix));
}

/* [4 2 .; 2 5 -4; . -4 8], of which only the lower triangle is given: L is [2; 1 2; . -2 2]. */
template <typename T> static void test_lower()
{
    Device<T> values({4, 2, 5, -4, 8});
    Device<int> offsets({0, 1, 3, 5}), indices({0, 0, 1, 1, 2});
    cusparseMatDescr_t matrix;
    csric02Info_t info;
    enum { N = 3 };
    const int count = 5;
    int size = -1, position = 7;

    EXPECT_DONE(cusparseCreateMatDescr(&matrix));
    EXPECT_DONE(cusparseCreateCsric02Info(&info));
    EXPECT_DONE(CALL(csric02_bufferSize, &size));
    Device<char> room(std::vector<char>((size_t)size + 1, 0));
    EXPECT_DONE(CALL(csric02_analysis, CUSPARSE_SOLVE_POLICY_NO_LEVEL, room.data));
    EXPECT_DONE(CALL(csric02, CUSPARSE_SOLVE_POLICY_NO_LEVEL, room.data));
    EXPECT_DONE(cusparseXcsric02_zeroPivot(handle, info, &position));
    EXPECT(position == -1);
    const std::vector<T> made = values.host(), expected = {2, 1, 2, -2, 2};
    for (int k = 0; k < count; k++)
        EXPECT(std::fabs(made[k] - expected[k]) < 1e-5);
    EXPECT_DONE(cusparseDestroyCsric02Info(info));
    EXPECT_DONE(cusparseDestroyMatDescr(matrix));
}

/* A diagonal that is missing, and one that becomes 0. */
static void test_zero_pivots()
{
    typedef double T;
    cusparseMatDescr_t matrix;
    csrilu02Info_t info;
    int position = 7;

    EXPECT_DONE(cusparseCreateMatDescr(&matrix));
    EXPECT_DONE(cusparseCreateCsrilu02Info(&info));
    for (bool missing : {true, false}) {
        Device<double> values(missing ? std::vector<double>{1, 2, 3, 1}
                                      : std::vector<double>{1, 2, 2, 4, 1, 1});
        Device<int> offsets(missing ? std::vector<int>{0, 2, 3, 4, 4}
                                    : std::vector<int>{0, 2, 4, 5, 6});
        Device<int> indices(missing ? std::vector<int>{0, 1, 0, 2}
                                    : std::vector<int>{0, 1, 0, 1, 2, 3});
        Device<char> room(std::vector<char>(4096, 0));
        const int count = missing ? 4 : 6;
        EXPECT_DONE(CALL(csrilu02_analysis, CUSPARSE_SOLVE_POLICY_USE_LEVEL, room.data));
        if (!missing)
            EXPECT_DONE(CALL(csrilu02, CUSPARSE_SOLVE_POLICY_USE_LEVEL, room.data));
        EXPECT(cusparseXcsrilu02_zeroPivot(handle, info, &position) == CUSPARSE_STATUS_ZERO_PIVOT);
        EXPECT(position == 1);
    }
    EXPECT_DONE(cusparseDestroyCsrilu02Info(info));
    EXPECT_DONE(cusparseDestroyMatDescr(matrix));
}

/* [1 . 2; . 3 .], counted from 1. */
static void test_transpose()
{
    Device<float> values({1, 2, 3}), turned({0, 0, 0});
    Device<int> offsets({1, 3, 4}), indices({1, 3, 2});
    Device<int> columns({0, 0, 0, 0}), rows({0, 0, 0});
    size_t size = 1;

#define TRANSPOSE                                                                        \
    handle, 2, 3, 3, values.data, offsets.data, indices.data, turned.data, columns.data, \
        rows.data, CUDA_R_32F, CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ONE,         \
        CUSPARSE_CSR2CSC_ALG1
    EXPECT_DONE(cusparseCsr2cscEx2_bufferSize(TRANSPOSE, &size));
    Device<char> room(std::vector<char>(size + 1, 0));
    EXPECT_DONE(cusparseCsr2cscEx2(TRANSPOSE, room.data));
    EXPECT((columns.host() == std::vector<int>{1, 2, 3, 4}));
    EXPECT((rows.host() == std::vector<int>{1, 2, 1}));
    EXPECT((turned.host() == std::vector<float>{1, 3, 2}));
}

int main()
{
    EXPECT_DONE(cusparseCreate(&handle));
    for (cusparseIndexBase_t base : {CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ONE}) {
        test_factors<float>(base);
        test_factors<double>(base);
    }
    test_lower<float>();
    test_lower<double>();
    test_zero_pivots();
    test_transpose();
    EXPECT_DONE(cusparseDestroy(handle));
    return finish();
}

/* cuSPARSE's product of two sparse matrices, in one go and with the pattern used again. */
#include <cusparse.h>
#include <vector>

#include "../cudart/expect.h"
#include "device.h"

static cusparseHandle_t handle;

#define EXPECT_DONE(call) EXPECT_STATUS(CUSPARSE_STATUS_SUCCESS, call)

static const cusparseOperation_t same = CUSPARSE_OPERATION_NON_TRANSPOSE;

/* [1 . 2; . . .; 3 4 .] and [. 5; 6 .; -2.5 7], whose product [-5 19; . .; 24 15] is full where it
 * is not empty. */
template <typename T> struct Factors {
    Device<int> a_offsets{{0, 2, 2, 4}}, a_columns{{0, 2, 0, 1}};
    Device<T> a_values{{1, 2, 3, 4}};
    Device<int> b_offsets{{0, 1, 2, 4}}, b_columns{{1, 0, 0, 1}};
    Device<T> b_values{{5, 6, (T)-2.5, 7}};
    Device<int> c_offsets{{9, 9, 9, 9}};
    cusparseSpMatDescr_t a, b, c;
    cusparseSpGEMMDescr_t product;
    cudaDataType type = sizeof(T) == sizeof(float) ? CUDA_R_32F : CUDA_R_64F;

    Factors()
    {
        EXPECT_DONE(cusparseCreateCsr(&a, 3, 3, 4, a_offsets.data, a_columns.data, a_values.data,
                                      CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                      CUSPARSE_INDEX_BASE_ZERO, type));
        EXPECT_DONE(cusparseCreateCsr(&b, 3, 2, 4, b_offsets.data, b_columns.data, b_values.data,
                                      CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                      CUSPARSE_INDEX_BASE_ZERO, type));
        EXPECT_DONE(cusparseCreateCsr(&c, 3, 2, 0, c_offsets.data, NULL, NULL, CUSPARSE_INDEX_32I,
                                      CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type));
        EXPECT_DONE(cusparseSpGEMM_createDescr(&product));
    }
    ~Factors()
    {
        EXPECT_DONE(cusparseSpGEMM_destroyDescr(product));
        for (cusparseSpMatDescr_t matrix : {a, b, c})
            EXPECT_DONE(cusparseDestroySpMat(matrix));
    }
    int64_t count() const
    {
        int64_t rows = 0, columns = 0, numbers = -1;
        EXPECT_DONE(cusparseSpMatGetSize(c, &rows, &columns, &numbers));
        EXPECT(rows == 3 && columns == 2);
        return numbers;
    }
};

static const std::vector<int> offsets = {0, 2, 2, 4}, columns = {0, 1, 0, 1};

template <typename T> static void test_product()
{
    Factors<T> f;
    const T alpha = 2, beta = 0;
    size_t size1 = 0, size2 = 0;

#define PRODUCT \
    handle, same, same, &alpha, f.a, f.b, &beta, f.c, f.type, CUSPARSE_SPGEMM_DEFAULT, f.product
    EXPECT_DONE(cusparseSpGEMM_workEstimation(PRODUCT, &size1, NULL));
    Device<char> room1(std::vector<char>(size1 + 1, 0));
    EXPECT_DONE(cusparseSpGEMM_workEstimation(PRODUCT, &size1, room1.data));
    EXPECT_DONE(cusparseSpGEMM_compute(PRODUCT, &size2, NULL));
    Device<char> room2(std::vector<char>(size2 + 1, 0));
    EXPECT_DONE(cusparseSpGEMM_compute(PRODUCT, &size2, room2.data));
    EXPECT(f.count() == 4);
    Device<int> found({9, 9, 9, 9});
    Device<T> values({9, 9, 9, 9});
    EXPECT_DONE(cusparseCsrSetPointers(f.c, f.c_offsets.data, found.data, values.data));
    EXPECT_DONE(cusparseSpGEMM_copy(PRODUCT));
    EXPECT(f.c_offsets.host() == offsets);
    EXPECT(found.host() == columns);
    EXPECT((values.host() == std::vector<T>{-10, 38, 48, 30}));
}

template <typename T> static void test_reuse()
{
    Factors<T> f;
    T alpha = 1, beta = 0;
    size_t size[6] = {};

#define PATTERN handle, same, same, f.a, f.b, f.c, CUSPARSE_SPGEMM_DEFAULT, f.product
#define NNZ(r2, r3, r4) PATTERN, &size[2], r2, &size[3], r3, &size[4], r4
    EXPECT_DONE(cusparseSpGEMMreuse_workEstimation(PATTERN, &size[1], NULL));
    Device<char> room1(std::vector<char>(size[1] + 1, 0));
    EXPECT_DONE(cusparseSpGEMMreuse_workEstimation(PATTERN, &size[1], room1.data));
    EXPECT_DONE(cusparseSpGEMMreuse_nnz(NNZ(NULL, NULL, NULL)));
    Device<char> room2(std::vector<char>(size[2] + 1, 0)), room3(std::vector<char>(size[3] + 1, 0));
    Device<char> room4(std::vector<char>(size[4] + 1, 0));
    EXPECT_DONE(cusparseSpGEMMreuse_nnz(NNZ(room2.data, room3.data, room4.data)));
    EXPECT(f.count() == 4);
    Device<int> found({9, 9, 9, 9});
    Device<T> values({1, 1, 1, 1});
    EXPECT_DONE(cusparseCsrSetPointers(f.c, f.c_offsets.data, found.data, values.data));
    EXPECT_DONE(cusparseSpGEMMreuse_copy(PATTERN, &size[5], NULL));
    Device<char> room5(std::vector<char>(size[5] + 1, 0));
    EXPECT_DONE(cusparseSpGEMMreuse_copy(PATTERN, &size[5], room5.data));
    EXPECT(f.c_offsets.host() == offsets);
    EXPECT(found.host() == columns);
#define NUMBERS \
    handle, same, same, &alpha, f.a, f.b, &beta, f.c, f.type, CUSPARSE_SPGEMM_DEFAULT, f.product
    EXPECT_DONE(cusparseSpGEMMreuse_compute(NUMBERS));
    EXPECT((values.host() == std::vector<T>{-5, 19, 24, 15}));
    const T other[] = {-1, -2, -3, -4};
    EXPECT_SUCCESS(cudaMemcpy(f.a_values.data, other, sizeof(other), cudaMemcpyDefault));
    beta = 2;
    EXPECT_DONE(cusparseSpGEMMreuse_compute(NUMBERS));
    EXPECT((values.host() == std::vector<T>{-5, 19, 24, 15}));
}

/* Sizes that do not fit, and numbers of rows that begin elsewhere. */
static void test_misfit()
{
    Factors<float> f;
    cusparseSpMatDescr_t from_one;
    size_t size = 0;

    EXPECT_STATUS(CUSPARSE_STATUS_INVALID_VALUE,
                  cusparseSpGEMMreuse_workEstimation(handle, same, same, f.b, f.a, f.c,
                                                     CUSPARSE_SPGEMM_DEFAULT, f.product, &size,
                                                     NULL));
    EXPECT_DONE(cusparseCreateCsr(&from_one, 3, 2, 4, f.b_offsets.data, f.b_columns.data,
                                  f.b_values.data, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                  CUSPARSE_INDEX_BASE_ONE, f.type));
    EXPECT_STATUS(CUSPARSE_STATUS_NOT_SUPPORTED,
                  cusparseSpGEMMreuse_workEstimation(handle, same, same, f.a, from_one, f.c,
                                                     CUSPARSE_SPGEMM_DEFAULT, f.product, &size,
                                                     NULL));
    EXPECT_DONE(cusparseDestroySpMat(from_one));
}

int main()
{
    EXPECT_DONE(cusparseCreate(&handle));
    test_product<float>();
    test_product<double>();
    test_reuse<float>();
    test_reuse<double>();
    test_misfit();
    EXPECT_DONE(cusparseDestroy(handle));
    return finish();
}

/* cuSPARSE's batches: products of several matrices in one call. */
#include <cusparse.h>
#include <vector>

#include "../cudart/expect.h"
#include "device.h"

static cusparseHandle_t handle;

#define EXPECT_DONE(call) EXPECT((call) == CUSPARSE_STATUS_SUCCESS)

static const float one = 1, none = 0;
static const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

/* Two matrices of 2 x 2 by rows, `gap` numbers apart. */
static cusparseDnMatDescr_t dense_pair(float *values, int gap)
{
    cusparseDnMatDescr_t pair = NULL;
    EXPECT_DONE(cusparseCreateDnMat(&pair, 2, 2, 2, values, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    EXPECT_DONE(cusparseDnMatSetStridedBatch(pair, 2, gap));
    return pair;
}

/* [1 .; 2 3] and [. 4; 5 6], times [1 2; 3 4] for both. */
static void test_products(bool coordinates)
{
    Device<int> offsets({0, 1, 3, 0, 1, 3}), rows({0, 1, 1, 0, 1, 1}), columns({0, 0, 1, 1, 0, 1});
    Device<float> values({1, 2, 3, 4, 5, 6}), b({1, 2, 3, 4});
    Device<float> c(std::vector<float>(9, -1));
    cusparseSpMatDescr_t a = NULL;
    size_t size = 1;

    if (coordinates) {
        EXPECT_DONE(cusparseCreateCoo(&a, 2, 2, 3, rows.data, columns.data, values.data,
                                      CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
        EXPECT_DONE(cusparseCooSetStridedBatch(a, 2, 3));
    } else {
        EXPECT_DONE(cusparseCreateCsr(&a, 2, 2, 3, offsets.data, columns.data, values.data,
                                      CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
        EXPECT_DONE(cusparseCsrSetStridedBatch(a, 2, 3, 3));
    }
    cusparseDnMatDescr_t right = dense_pair(b.data, 0), result = dense_pair(c.data, 5);
    EXPECT_DONE(cusparseSpMM_bufferSize(handle, plain, plain, &one, a, right, &none, result,
                                        CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, &size));
    Device<char> room(std::vector<char>(size + 1, 0));
    EXPECT_DONE(cusparseSpMM(handle, plain, plain, &one, a, right, &none, result, CUDA_R_32F,
                             CUSPARSE_SPMM_ALG_DEFAULT, room.data));
    EXPECT((c.host() == std::vector<float>{1, 2, 11, 16, -1, 12, 16, 23, 34}));
    EXPECT_DONE(cusparseDestroySpMat(a));
    EXPECT_DONE(cusparseDestroyDnMat(right));
    EXPECT_DONE(cusparseDestroyDnMat(result));
}

/* Of two products the numbers that are not left out. */
static void test_samples()
{
    Device<int> offsets({0, 1, 3}), columns({0, 0, 1});
    Device<float> values(std::vector<float>(6, 0)), b({1, 2, 3, 4, 5, 6, 7, 8}), c({1, 0, 0, 2});
    cusparseSpMatDescr_t a = NULL;
    size_t size = 1;

    EXPECT_DONE(cusparseCreateCsr(&a, 2, 2, 3, offsets.data, columns.data, values.data,
                                  CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                  CUDA_R_32F));
    cusparseDnMatDescr_t left = dense_pair(b.data, 4), right = dense_pair(c.data, 0);
    EXPECT(cusparseCsrSetStridedBatch(a, 0, 0, 3) == CUSPARSE_STATUS_INVALID_VALUE);
    EXPECT_DONE(cusparseCsrSetStridedBatch(a, 2, 0, 3));
    Device<int> twice({0, 0, 1, 0, 0, 1});
    EXPECT_DONE(cusparseCsrSetPointers(a, offsets.data, twice.data, values.data));
    EXPECT_DONE(cusparseSDDMM_bufferSize(handle, plain, plain, &one, left, right, &none, a,
                                         CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, &size));
    Device<char> room(std::vector<char>(size + 1, 0));
    EXPECT_DONE(cusparseSDDMM(handle, plain, plain, &one, left, right, &none, a, CUDA_R_32F,
                              CUSPARSE_SDDMM_ALG_DEFAULT, room.data));
    EXPECT((values.host() == std::vector<float>{1, 3, 8, 5, 7, 16}));
    EXPECT_DONE(cusparseDestroySpMat(a));
    EXPECT_DONE(cusparseDestroyDnMat(left));
    EXPECT_DONE(cusparseDestroyDnMat(right));
}

int main()
{
    EXPECT_DONE(cusparseCreate(&handle));
    test_products(false);
    test_products(true);
    test_samples();
    EXPECT_DONE(cusparseDestroy(handle));
    return finish();
}

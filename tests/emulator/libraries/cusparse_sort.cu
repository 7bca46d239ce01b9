/* cuSPARSE: sorting the places of a matrix, and counting what is not zero. */
#define DISABLE_CUSPARSE_DEPRECATED
#include <cusparse.h>
#include <vector>

#include "../cudart/expect.h"
#include "device.h"

static cusparseHandle_t handle;
static cusparseMatDescr_t matrix;

#define EXPECT_DONE(call) EXPECT((call) == CUSPARSE_STATUS_SUCCESS)

typedef std::vector<int> Ints;

/* A permutation that counts from 0, on the device. */
struct Identity : Device<int> {
    explicit Identity(int count) : Device<int>(Ints((size_t)count, -1))
    {
        EXPECT_DONE(cusparseCreateIdentityPermutation(handle, count, data));
    }
};

static void test_csr(cusparseIndexBase_t base)
{
    Ints begin = {0, 3, 3, 5}, given = {2, 0, 1, 3, 0}, sorted = {0, 1, 2, 0, 3};
    for (Ints *indices : {&begin, &given, &sorted})
        for (int &index : *indices)
            index += base;
    Device<int> offsets(begin), columns(given);
    Identity from(5);
    size_t size = 99;

    EXPECT_DONE(cusparseSetMatIndexBase(matrix, base));
    EXPECT_DONE(cusparseXcsrsort_bufferSizeExt(handle, 3, 4, 5, offsets.data, columns.data, &size));
    Device<char> room(std::vector<char>(size + 1, 0));
    EXPECT_DONE(cusparseXcsrsort(handle, 3, 4, 5, matrix, offsets.data, columns.data, from.data,
                                 room.data));
    EXPECT(columns.host() == sorted);
    EXPECT((from.host() == Ints{1, 2, 0, 4, 3}));
    EXPECT_DONE(cusparseSetMatIndexBase(matrix, CUSPARSE_INDEX_BASE_ZERO));
}

/* The transpose: columns that are compressed. */
static void test_csc()
{
    Device<int> offsets({0, 2, 4}), rows({2, 1, 1, 0});
    Identity from(4);
    size_t size = 99;

    EXPECT_DONE(cusparseXcscsort_bufferSizeExt(handle, 3, 2, 4, offsets.data, rows.data, &size));
    Device<char> room(std::vector<char>(size + 1, 0));
    EXPECT_DONE(
        cusparseXcscsort(handle, 3, 2, 4, matrix, offsets.data, rows.data, from.data, room.data));
    EXPECT((rows.host() == Ints{1, 2, 0, 1}));
    EXPECT((from.host() == Ints{1, 0, 3, 2}));
}

static void test_coo(bool by_row)
{
    Device<int> rows({2, 0, 1, 2, 0}), columns({1, 2, 0, 0, 1});
    Identity from(5);
    size_t size = 99;

    EXPECT_DONE(cusparseXcoosort_bufferSizeExt(handle, 3, 3, 5, rows.data, columns.data, &size));
    Device<char> room(std::vector<char>(size + 1, 0));
    EXPECT_DONE((by_row ? cusparseXcoosortByRow : cusparseXcoosortByColumn)(
        handle, 3, 3, 5, rows.data, columns.data, from.data, room.data));
    EXPECT(rows.host() == (by_row ? Ints{0, 0, 1, 2, 2} : Ints{1, 2, 0, 2, 0}));
    EXPECT(columns.host() == (by_row ? Ints{1, 2, 0, 0, 1} : Ints{0, 0, 1, 1, 2}));
    EXPECT(from.host() == (by_row ? Ints{4, 1, 2, 3, 0} : Ints{2, 3, 4, 0, 1}));
}

/* [1 0 2 .; 0 0 3 .] by columns, with a gap after each. */
static void test_count()
{
    Device<float> a({1, 0, 7, 0, 0, 7, 2, 3, 7});
    Device<double> d({1, 0, 7, 0, 0, 7, 2, 3, 7});
    Device<int> rows({9, 9}), columns({9, 9, 9}), all({9});
    int total = 9;

    EXPECT_DONE(
        cusparseSnnz(handle, CUSPARSE_DIRECTION_ROW, 2, 3, matrix, a.data, 3, rows.data, &total));
    EXPECT(total == 3);
    EXPECT((rows.host() == Ints{2, 1}));
    EXPECT_DONE(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE));
    EXPECT_DONE(cusparseDnnz(handle, CUSPARSE_DIRECTION_COLUMN, 2, 3, matrix, d.data, 3,
                             columns.data, all.data));
    EXPECT((all.host() == Ints{3}));
    EXPECT((columns.host() == Ints{1, 0, 2}));
    EXPECT_DONE(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
}

int main()
{
    EXPECT_DONE(cusparseCreate(&handle));
    EXPECT_DONE(cusparseCreateMatDescr(&matrix));
    test_csr(CUSPARSE_INDEX_BASE_ZERO);
    test_csr(CUSPARSE_INDEX_BASE_ONE);
    test_csc();
    test_coo(true);
    test_coo(false);
    test_count();
    EXPECT_DONE(cusparseDestroyMatDescr(matrix));
    EXPECT_DONE(cusparseDestroy(handle));
    return finish();
}

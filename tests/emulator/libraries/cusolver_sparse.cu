/* cuSOLVER's sparse systems: whichever factors are asked for, and on either side, the solution is
 * that of the matrix. */
#define DISABLE_CUSPARSE_DEPRECATED
#define DISABLE_CUSOLVER_DEPRECATED
#include <cmath>
#include <cusolverRf.h>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#include <cusparse.h>
#include <vector>

#include "../cudart/expect.h"
#include "device.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static cusolverSpHandle_t handle;
static cusparseMatDescr_t description;

#define EXPECT_DONE(call) EXPECT_STATUS(CUSOLVER_STATUS_SUCCESS, call)

/* The Laplacian of a grid, whose rows come in an order that spreads them; with `lean`, it is not
 * symmetric. */
template <typename T> struct Grid {
    enum { SIDE = 7, N = SIDE * SIDE };
    std::vector<int> offsets, columns;
    std::vector<T> values, b, x;

    static int cell(int row)
    {
        return row * 17 % N;
    }
    Grid(int base, T lean)
    {
        std::vector<int> row_of(N);
        for (int row = 0; row < N; row++)
            row_of[cell(row)] = row;
        for (int row = 0; row < N; row++) {
            const int y = cell(row) / SIDE, x0 = cell(row) % SIDE;
            std::vector<T> line(N);
            offsets.push_back((int)columns.size() + base);
            line[row] = 4;
            if (x0 > 0)
                line[row_of[cell(row) - 1]] = -1 + lean;
            if (x0 < SIDE - 1)
                line[row_of[cell(row) + 1]] = -1;
            if (y > 0)
                line[row_of[cell(row) - SIDE]] = -1;
            if (y < SIDE - 1)
                line[row_of[cell(row) + SIDE]] = -1;
            T sum = 0;
            for (int j = 0; j < N; j++)
                if (line[j] != 0) {
                    columns.push_back(j + base);
                    values.push_back(line[j]);
                    sum += line[j] * (T)(j % 5 - 2);
                }
            b.push_back(sum);
            x.push_back((T)(row % 5 - 2));
        }
        offsets.push_back((int)columns.size() + base);
    }
    bool is_solved_by(const std::vector<T> &found) const
    {
        for (int i = 0; i < N; i++)
            if (!(std::fabs(found[i] - x[i]) < 1e-4))
                return false;
        return true;
    }
};

#define ON_HOST(g)                                                                          \
    Grid<T>::N, (int)(g).values.size(), description, (g).values.data(), (g).offsets.data(), \
        (g).columns.data()
#define ON_DEVICE(g) \
    Grid<T>::N, (int)(g).values.size(), description, values.data, offsets.data, columns.data
#define CALL(routine, ...)                                    \
    [&] {                                                     \
        if constexpr (sizeof(T) == sizeof(float))             \
            return cusolverSpS##routine(handle, __VA_ARGS__); \
        else                                                  \
            return cusolverSpD##routine(handle, __VA_ARGS__); \
    }()

template <typename T> static void test_in_one_go(int base)
{
    const Grid<T> even(base, 0), leaning(base, (T)0.25);
    std::vector<T> x(Grid<T>::N);
    int singular = 7;

    EXPECT(cusparseSetMatIndexBase(description, (cusparseIndexBase_t)base) ==
           CUSPARSE_STATUS_SUCCESS);
    EXPECT_DONE(
        CALL(csrlsvluHost, ON_HOST(leaning), leaning.b.data(), (T)1e-6, 1, x.data(), &singular));
    EXPECT(singular == -1 && leaning.is_solved_by(x));
    x.assign(x.size(), 0);
    EXPECT_DONE(
        CALL(csrlsvqrHost, ON_HOST(leaning), leaning.b.data(), (T)1e-6, 0, x.data(), &singular));
    EXPECT(singular == -1 && leaning.is_solved_by(x));
    EXPECT_DONE(
        CALL(csrlsvcholHost, ON_HOST(even), even.b.data(), (T)1e-6, 2, x.data(), &singular));
    EXPECT(singular == -1 && even.is_solved_by(x));
    Device<T> values(even.values), b(even.b), qr(x), chol(x);
    Device<int> offsets(even.offsets), columns(even.columns);
    EXPECT_DONE(CALL(csrlsvqr, ON_DEVICE(even), b.data, (T)1e-6, 0, qr.data, &singular));
    EXPECT(singular == -1 && even.is_solved_by(qr.host()));
    EXPECT_DONE(CALL(csrlsvchol, ON_DEVICE(even), b.data, (T)1e-6, 0, chol.data, &singular));
    EXPECT(singular == -1 && even.is_solved_by(chol.host()));
}

/* L and U of a matrix, in three steps. Returns their buffer. */
template <typename T>
static std::vector<char> factor_lu(csrluInfoHost_t lu, int n, cusparseMatDescr_t kind,
                                   const std::vector<int> &offsets, const std::vector<int> &columns,
                                   const std::vector<T> &values)
{
    const int count = (int)values.size();
    size_t inside = 0, work = 0;
    int position = 7;

    EXPECT_DONE(
        cusolverSpXcsrluAnalysisHost(handle, n, count, kind, offsets.data(), columns.data(), lu));
    EXPECT_DONE(CALL(csrluBufferInfoHost, n, count, kind, values.data(), offsets.data(),
                     columns.data(), lu, &inside, &work));
    std::vector<char> room(work + 1);
    EXPECT_DONE(CALL(csrluFactorHost, n, count, kind, values.data(), offsets.data(), columns.data(),
                     lu, (T)1, room.data()));
    EXPECT_DONE(CALL(csrluZeroPivotHost, lu, (T)1e-6, &position));
    EXPECT(position == -1);
    return room;
}

template <typename T> static void test_steps()
{
    const Grid<T> g(0, 0);
    const int n = Grid<T>::N, count = (int)g.values.size();
    std::vector<T> x(n);
    Device<T> values(g.values), b(g.b), d_x(x), d_y(x);
    Device<int> offsets(g.offsets), columns(g.columns);
    csrcholInfo_t chol;
    csrqrInfo_t qr;
    csrluInfoHost_t lu;
    size_t inside = 0, work = 0;
    int position = 7;

    EXPECT_DONE(cusolverSpCreateCsrcholInfo(&chol));
    EXPECT_DONE(cusolverSpXcsrcholAnalysis(handle, n, count, description, offsets.data,
                                           columns.data, chol));
    EXPECT_DONE(CALL(csrcholBufferInfo, ON_DEVICE(g), chol, &inside, &work));
    Device<char> room(std::vector<char>(work, 0));
    EXPECT_DONE(CALL(csrcholFactor, ON_DEVICE(g), chol, room.data));
    EXPECT_DONE(CALL(csrcholZeroPivot, chol, (T)1e-6, &position));
    EXPECT(position == -1);
    EXPECT_DONE(CALL(csrcholSolve, n, b.data, d_x.data, chol, room.data));
    EXPECT(g.is_solved_by(d_x.host()));
    EXPECT_DONE(cusolverSpDestroyCsrcholInfo(chol));

    EXPECT_DONE(cusolverSpCreateCsrqrInfo(&qr));
    EXPECT_DONE(
        cusolverSpXcsrqrAnalysis(handle, n, n, count, description, offsets.data, columns.data, qr));
    EXPECT_DONE(CALL(csrqrBufferInfo, n, ON_DEVICE(g), qr, &inside, &work));
    EXPECT_DONE(CALL(csrqrSetup, n, ON_DEVICE(g), (T)0, qr));
    EXPECT_DONE(CALL(csrqrFactor, n, n, count, (T *)NULL, (T *)NULL, qr, room.data));
    EXPECT_DONE(CALL(csrqrZeroPivot, qr, (T)1e-6, &position));
    EXPECT(position == -1);
    EXPECT_DONE(CALL(csrqrSolve, n, n, b.data, d_y.data, qr, room.data));
    EXPECT(g.is_solved_by(d_y.host()));
    EXPECT_DONE(cusolverSpDestroyCsrqrInfo(qr));

    EXPECT_DONE(cusolverSpCreateCsrluInfoHost(&lu));
    std::vector<char> host_room = factor_lu(lu, n, description, g.offsets, g.columns, g.values);
    EXPECT_DONE(CALL(csrluSolveHost, n, g.b.data(), x.data(), lu, host_room.data()));
    EXPECT(g.is_solved_by(x));
    EXPECT_DONE(cusolverSpDestroyCsrluInfoHost(lu));
}

/* The same on the host. */
template <typename T> static void test_host_steps()
{
    const Grid<T> g(0, 0);
    const int n = Grid<T>::N, count = (int)g.values.size();
    std::vector<T> x(n), b(g.b);
    csrcholInfoHost_t chol;
    csrqrInfoHost_t qr;
    size_t inside = 0, work = 0;
    int position = 7;

    EXPECT_DONE(cusolverSpCreateCsrcholInfoHost(&chol));
    EXPECT_DONE(cusolverSpXcsrcholAnalysisHost(handle, n, count, description, g.offsets.data(),
                                               g.columns.data(), chol));
    EXPECT_DONE(CALL(csrcholBufferInfoHost, ON_HOST(g), chol, &inside, &work));
    std::vector<char> room(work);
    EXPECT_DONE(CALL(csrcholFactorHost, ON_HOST(g), chol, room.data()));
    EXPECT_DONE(CALL(csrcholZeroPivotHost, chol, (T)1e-6, &position));
    EXPECT(position == -1);
    EXPECT_DONE(CALL(csrcholSolveHost, n, b.data(), x.data(), chol, room.data()));
    EXPECT(g.is_solved_by(x));
    EXPECT_DONE(cusolverSpDestroyCsrcholInfoHost(chol));
    x.assign(n, 0);
    EXPECT_DONE(cusolverSpCreateCsrqrInfoHost(&qr));
    EXPECT_DONE(cusolverSpXcsrqrAnalysisHost(handle, n, n, count, description, g.offsets.data(),
                                             g.columns.data(), qr));
    EXPECT_DONE(CALL(csrqrBufferInfoHost, n, ON_HOST(g), qr, &inside, &work));
    EXPECT_DONE(CALL(csrqrSetupHost, n, ON_HOST(g), (T)0, qr));
    EXPECT_DONE(CALL(csrqrFactorHost, n, n, count, (T *)NULL, (T *)NULL, qr, room.data()));
    EXPECT_DONE(CALL(csrqrZeroPivotHost, qr, (T)1e-6, &position));
    EXPECT(position == -1);
    EXPECT_DONE(CALL(csrqrSolveHost, n, n, b.data(), x.data(), qr, room.data()));
    EXPECT(g.is_solved_by(x));
    EXPECT_DONE(cusolverSpDestroyCsrqrInfoHost(qr));
}

/* Factors that the program takes: rows P and columns Q of the matrix are L U. Rows must be
 * exchanged. */
template <typename T> static void test_factors(int base)
{
    enum { N = 4 };
    const std::vector<T> whole = {0, 2, 0, 1, 4, 1, 0, 0, 0, 3, 5, 0, 2, 0, 1, 3}; /* by rows */
    std::vector<int> offsets, columns, p(N), q(N);
    std::vector<T> values;
    csrluInfoHost_t info;
    cusparseMatDescr_t plain;
    int lower = 0, upper = 0;

    for (int i = 0; i < N; i++) {
        offsets.push_back((int)columns.size() + base);
        for (int j = 0; j < N; j++)
            if (whole[i * N + j] != 0) {
                columns.push_back(j + base);
                values.push_back(whole[i * N + j]);
            }
    }
    offsets.push_back((int)columns.size() + base);
    EXPECT(cusparseCreateMatDescr(&plain) == CUSPARSE_STATUS_SUCCESS);
    EXPECT(cusparseSetMatIndexBase(plain, (cusparseIndexBase_t)base) == CUSPARSE_STATUS_SUCCESS);
    EXPECT_DONE(cusolverSpCreateCsrluInfoHost(&info));
    std::vector<char> room = factor_lu(info, N, plain, offsets, columns, values);
    EXPECT_DONE(cusolverSpXcsrluNnzHost(handle, &lower, &upper, info));
    std::vector<int> l_offsets(N + 1), l_columns(lower), u_offsets(N + 1), u_columns(upper);
    std::vector<T> l(lower), u(upper);
    EXPECT_DONE(CALL(csrluExtractHost, p.data(), q.data(), plain, l.data(), l_offsets.data(),
                     l_columns.data(), plain, u.data(), u_offsets.data(), u_columns.data(), info,
                     room.data()));
    EXPECT(l_offsets[N] == lower + base && u_offsets[N] == upper + base);
    T left[N][N] = {}, right[N][N] = {};
    for (int i = 0; i < N; i++) {
        left[i][i] = 1;
        for (int k = l_offsets[i] - base; k < l_offsets[i + 1] - base; k++)
            left[i][l_columns[k] - base] = l[k];
        for (int k = u_offsets[i] - base; k < u_offsets[i + 1] - base; k++) {
            right[i][u_columns[k] - base] = u[k];
            EXPECT(u_columns[k] - base >= i);
        }
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            T sum = 0;
            for (int k = 0; k < N; k++)
                sum += left[i][k] * right[k][j];
            EXPECT(std::fabs(sum - whole[p[i] * N + q[j]]) < 1e-4);
            EXPECT(j <= i || left[i][j] == 0);
        }
    EXPECT_DONE(cusolverSpDestroyCsrluInfoHost(info));
    EXPECT(cusparseDestroyMatDescr(plain) == CUSPARSE_STATUS_SUCCESS);
}

/* The same places with other numbers, on the device, from the factors that the host found. */
static void test_refactor()
{
    typedef double T;
    typedef Grid<T> G;
    G g(0, 0), other(0, 0.25);
    const int n = G::N, count = (int)g.values.size();
    Device<int> offsets(other.offsets), columns(other.columns);
    Device<T> values(other.values), x(other.b), room(other.b);
    std::vector<int> p(n), q(n), l_offsets(n + 1), u_offsets(n + 1);
    csrluInfoHost_t lu;
    int lower = 0, upper = 0;

    EXPECT_DONE(cusolverSpCreateCsrluInfoHost(&lu));
    std::vector<char> host_room = factor_lu(lu, n, description, g.offsets, g.columns, g.values);
    EXPECT_DONE(cusolverSpXcsrluNnzHost(handle, &lower, &upper, lu));
    std::vector<int> l_columns(lower), u_columns(upper);
    std::vector<T> l(lower), u(upper);
    EXPECT_DONE(cusolverSpDcsrluExtractHost(
        handle, p.data(), q.data(), description, l.data(), l_offsets.data(), l_columns.data(),
        description, u.data(), u_offsets.data(), u_columns.data(), lu, host_room.data()));
    EXPECT_DONE(cusolverSpDestroyCsrluInfoHost(lu));
    Device<int> d_p(p), d_q(q), d_l_offsets(l_offsets), d_l_columns(l_columns);
    Device<int> d_u_offsets(u_offsets), d_u_columns(u_columns);
    Device<T> d_l(l), d_u(u);
    for (bool on_device : {false, true}) {
        cusolverRfHandle_t rf;
        EXPECT_DONE(cusolverRfCreate(&rf));
        EXPECT_DONE(cusolverRfSetNumericProperties(rf, 0, 0));
        EXPECT_DONE(
            cusolverRfSetAlgs(rf, CUSOLVERRF_FACTORIZATION_ALG0, CUSOLVERRF_TRIANGULAR_SOLVE_ALG1));
        EXPECT_DONE(cusolverRfSetMatrixFormat(rf, CUSOLVERRF_MATRIX_FORMAT_CSR,
                                              CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L));
        EXPECT_DONE(cusolverRfSetResetValuesFastMode(rf, CUSOLVERRF_RESET_VALUES_FAST_MODE_ON));
        EXPECT_DONE(on_device
                        ? cusolverRfSetupDevice(n, count, offsets.data, columns.data, values.data,
                                                lower, d_l_offsets.data, d_l_columns.data, d_l.data,
                                                upper, d_u_offsets.data, d_u_columns.data, d_u.data,
                                                d_p.data, d_q.data, rf)
                        : cusolverRfSetupHost(n, count, g.offsets.data(), g.columns.data(),
                                              g.values.data(), lower, l_offsets.data(),
                                              l_columns.data(), l.data(), upper, u_offsets.data(),
                                              u_columns.data(), u.data(), p.data(), q.data(), rf));
        EXPECT_DONE(cusolverRfAnalyze(rf));
        EXPECT_DONE(cusolverRfResetValues(n, count, offsets.data, columns.data, values.data,
                                          d_p.data, d_q.data, rf));
        EXPECT_DONE(cusolverRfRefactor(rf));
        EXPECT_SUCCESS(cudaMemcpy(x.data, other.b.data(), n * sizeof(T), cudaMemcpyDefault));
        EXPECT_DONE(cusolverRfSolve(rf, d_p.data, d_q.data, 1, room.data, n, x.data, n));
        EXPECT(other.is_solved_by(x.host()));
        EXPECT_DONE(cusolverRfDestroy(rf));
    }
}

/* [1 2 .; 2 4 .; . . 1] and, for Cholesky, one that is not positive definite. */
static void test_singular()
{
    const std::vector<int> offsets = {0, 2, 4, 5}, columns = {0, 1, 0, 1, 2};
    const std::vector<double> flat = {1, 2, 2, 4, 1}, saddle = {1, 2, 2, 1, 1}, b = {1, 1, 1};
    double x[3];
    int singular = -1;

    EXPECT_DONE(cusolverSpDcsrlsvluHost(handle, 3, 5, description, flat.data(), offsets.data(),
                                        columns.data(), b.data(), 1e-12, 0, x, &singular));
    EXPECT(singular == 0 || singular == 1);
    EXPECT_DONE(cusolverSpDcsrlsvcholHost(handle, 3, 5, description, saddle.data(), offsets.data(),
                                          columns.data(), b.data(), 1e-12, 0, x, &singular));
    EXPECT(singular == 0 || singular == 1);
}

/* An order is a permutation; the matrix in it has the same numbers. */
static void test_orders()
{
    typedef double T;
    const Grid<T> g(0, 0);
    const int n = Grid<T>::N, count = (int)g.values.size();
    std::vector<int> p(n, -1), offsets(g.offsets), columns(g.columns), map(count);
    size_t size = 0;
    int symmetric = 0, wide = 0;

    EXPECT_DONE(cusolverSpXcsrissymHost(handle, n, count, description, g.offsets.data(),
                                        g.offsets.data() + 1, g.columns.data(), &symmetric));
    EXPECT(symmetric == 1);
#define PATTERN handle, n, count, description, g.offsets.data(), g.columns.data()
    for (int kind = 0; kind < 4; kind++) {
        p.assign(n, -1);
        EXPECT_DONE(kind == 0   ? cusolverSpXcsrsymmdqHost(PATTERN, p.data())
                    : kind == 1 ? cusolverSpXcsrsymamdHost(PATTERN, p.data())
                    : kind == 2 ? cusolverSpXcsrmetisndHost(PATTERN, NULL, p.data())
                                : cusolverSpXcsrsymrcmHost(PATTERN, p.data()));
        std::vector<bool> seen(n);
        for (int i : p) {
            EXPECT(i >= 0 && i < n && !seen[i]);
            seen[i] = true;
        }
    }
    for (int i = 0; i < count; i++)
        map[i] = i;
    EXPECT_DONE(cusolverSpXcsrperm_bufferSizeHost(handle, n, n, count, description, offsets.data(),
                                                  columns.data(), p.data(), p.data(), &size));
    std::vector<char> room(size);
    EXPECT_DONE(cusolverSpXcsrpermHost(handle, n, n, count, description, offsets.data(),
                                       columns.data(), p.data(), p.data(), map.data(),
                                       room.data()));
    for (int i = 0; i < n; i++)
        for (int k = offsets[i]; k < offsets[i + 1]; k++) {
            EXPECT(k == offsets[i] || columns[k] > columns[k - 1]);
            EXPECT(g.columns[map[k]] == p[columns[k]]);
            EXPECT(map[k] >= g.offsets[p[i]] && map[k] < g.offsets[p[i] + 1]);
            wide = std::abs(columns[k] - i) > wide ? std::abs(columns[k] - i) : wide;
        }
    EXPECT(wide <= 2 * Grid<T>::SIDE);
}

int main()
{
    cudaStream_t stream, set = NULL;

    EXPECT_DONE(cusolverSpCreate(&handle));
    EXPECT_SUCCESS(cudaStreamCreate(&stream));
    EXPECT_DONE(cusolverSpSetStream(handle, stream));
    EXPECT_DONE(cusolverSpGetStream(handle, &set));
    EXPECT(set == stream);
    EXPECT(cusparseCreateMatDescr(&description) == CUSPARSE_STATUS_SUCCESS);
    test_in_one_go<float>(1);
    test_in_one_go<double>(1);
    test_in_one_go<float>(0);
    test_in_one_go<double>(0);
    test_steps<float>();
    test_steps<double>();
    test_host_steps<float>();
    test_host_steps<double>();
    for (int base : {0, 1}) {
        test_factors<float>(base);
        test_factors<double>(base);
    }
    test_refactor();
    test_singular();
    test_orders();
    EXPECT(cusparseDestroyMatDescr(description) == CUSPARSE_STATUS_SUCCESS);
    EXPECT_DONE(cusolverSpDestroy(handle));
    EXPECT_SUCCESS(cudaStreamDestroy(stream));
    return finish();
}

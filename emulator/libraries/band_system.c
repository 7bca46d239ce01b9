/* SPDX-License-Identifier: MIT */
#include "libraries/band_system.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "libraries/cusolver.h"
#include "libraries/numbers.h"

bool sparse_matrix_is_sound(const struct sparse_matrix *matrix)
{
    const int *offsets = matrix->offsets;

    if (offsets[0] != matrix->base || offsets[matrix->n] - matrix->base != matrix->count)
        return false;
    for (int i = 0; i < matrix->n; i++)
        if (offsets[i + 1] < offsets[i])
            return false;
    for (int k = 0; k < matrix->count; k++)
        if (matrix->columns[k] < matrix->base || matrix->columns[k] - matrix->base >= matrix->n)
            return false;
    return true;
}

/* --- The order of rows ------------------------------------------------------------------------ */

/* Who is in a row or a column with whom: begin[i] to begin[i + 1] of `other` are i's. */
struct graph {
    int n, *begin, *other;
};

static bool graph_of(const struct sparse_matrix *matrix, struct graph *graph)
{
    const int n = matrix->n, base = matrix->base;

    *graph = (struct graph){n, calloc((size_t)n + 2, sizeof(int)),
                            malloc((2 * (size_t)matrix->count + 1) * sizeof(int))};
    if (!graph->begin || !graph->other)
        return false;
    for (int pass = 0; pass < 2; pass++) { /* count, then place */
        for (int i = 0; i < n; i++)
            for (int k = matrix->offsets[i] - base; k < matrix->offsets[i + 1] - base; k++) {
                const int j = matrix->columns[k] - base;
                if (pass == 0) {
                    graph->begin[i + 2]++;
                    graph->begin[j + 2]++;
                } else {
                    graph->other[graph->begin[i + 1]++] = j;
                    graph->other[graph->begin[j + 1]++] = i;
                }
            }
        for (int i = 0; i < n && pass == 0; i++)
            graph->begin[i + 2] += graph->begin[i + 1];
    }
    return true;
}

static int degree(const struct graph *graph, int i)
{
    return graph->begin[i + 1] - graph->begin[i];
}

/* All that can be reached from `first`, by distance; near to each other those of small degree come
 * first. Returns how many there are. */
static int sweep(const struct graph *graph, int first, int *list, bool *seen)
{
    int count = 0, next = 0;

    list[count++] = first;
    seen[first] = true;
    while (next < count) {
        const int from = list[next++], begin = count;
        for (int k = graph->begin[from]; k < graph->begin[from + 1]; k++) {
            const int other = graph->other[k];
            if (seen[other])
                continue;
            seen[other] = true;
            int at = count++;
            for (; at > begin && degree(graph, list[at - 1]) > degree(graph, other); at--)
                list[at] = list[at - 1];
            list[at] = other;
        }
    }
    return count;
}

bool sparse_matrix_order(const struct sparse_matrix *matrix, int *order)
{
    enum { TRIES = 3 }; /* each begins where the one before ended, far from its own begin */
    const int n = matrix->n;
    struct graph graph;
    bool *seen = calloc((size_t)n + 1, sizeof(*seen));
    const bool good = graph_of(matrix, &graph) && seen;
    int done = 0;

    for (int i = 0; good && i < n; i++) {
        int first = i, count = 0;
        for (int try = 0; try < TRIES && !(try == 0 && seen[i]); try++) {
            for (int k = 0; k < count; k++)
                seen[order[done + k]] = false;
            count = sweep(&graph, first, order + done, seen);
            first = order[done + count - 1];
        }
        done += count;
    }
    for (int i = 0; good && i < n / 2; i++) {
        const int kept = order[i];
        order[i] = order[n - 1 - i];
        order[n - 1 - i] = kept;
    }
    free(seen);
    free(graph.begin);
    free(graph.other);
    return good;
}

/* --- Factors ---------------------------------------------------------------------------------- */

typedef void general_factor(const int *m, const int *n, const int *below, const int *above,
                            double *band, const int *ld, int *pivots, int *info);
typedef void general_solve(const char *trans, const int *n, const int *below, const int *above,
                           const int *columns, const double *band, const int *ld, const int *pivots,
                           double *b, const int *ldb, int *info, size_t);
typedef void symmetric_factor(const char *fill, const int *n, const int *below, double *band,
                              const int *ld, int *info, size_t);
typedef void symmetric_solve(const char *fill, const int *n, const int *below, const int *columns,
                             const double *band, const int *ld, double *b, const int *ldb,
                             int *info, size_t);

/* As LAPACK stores it: exchanged rows want room above. */
static int band_ld(const struct band_system *system)
{
    return system->symmetric ? system->below + 1 : 2 * system->below + system->above + 1;
}

static int diagonal_row(const struct band_system *system)
{
    return system->symmetric ? 0 : system->below + system->above;
}

/* Where the number of row i and column j belongs; false if it is not looked at. */
static bool in_band(const struct band_system *system, int i, int j, int *row, int *column)
{
    *row = system->position[i];
    *column = system->position[j];
    if (system->symmetric && j > i)
        return false;
    if (system->symmetric && *row < *column) {
        *row = system->position[j];
        *column = system->position[i];
    }
    return true;
}

#define FOR_EACH_NUMBER(matrix, i, k)                       \
    for (int i = 0; i < (matrix)->n; i++)                   \
        for (int k = (matrix)->offsets[i] - (matrix)->base; \
             k < (matrix)->offsets[i + 1] - (matrix)->base; k++)

static void measure(struct band_system *system, const struct sparse_matrix *matrix)
{
    int row, column;

    FOR_EACH_NUMBER(matrix, i, k)
    {
        if (!in_band(system, i, matrix->columns[k] - matrix->base, &row, &column))
            continue;
        system->below = row - column > system->below ? row - column : system->below;
        system->above = column - row > system->above ? column - row : system->above;
    }
}

static void fill(struct band_system *system, const struct sparse_matrix *matrix, double mu)
{
    const size_t ld = (size_t)band_ld(system);
    int row, column;

    FOR_EACH_NUMBER(matrix, i, k)
    {
        const double value = number_read(matrix->type, matrix->values, (size_t)k);
        if (in_band(system, i, matrix->columns[k] - matrix->base, &row, &column))
            system->band[diagonal_row(system) + row - column + (size_t)column * ld] += value;
    }
    for (int i = 0; i < system->n; i++)
        system->band[diagonal_row(system) + (size_t)i * ld] -= mu;
}

const char *band_system_factor(struct band_system *system, const struct sparse_matrix *matrix,
                               bool symmetric, double mu)
{
    enum { MOST = 1 << 28 }; /* numbers: 2 GiB */
    const int n = matrix->n;
    int info = 0;

    *system = (struct band_system){.n = n, .symmetric = symmetric, .zero = -1};
    system->order = malloc(((size_t)n + 1) * sizeof(int));
    system->position = malloc(((size_t)n + 1) * sizeof(int));
    system->pivots = malloc(((size_t)n + 1) * sizeof(int));
    if (!system->order || !system->position || !system->pivots ||
        !sparse_matrix_order(matrix, system->order))
        return "no memory for the order of the rows";
    for (int i = 0; i < n; i++)
        system->position[system->order[i]] = i;
    measure(system, matrix);
    const int ld = band_ld(system);
    if ((int64_t)ld * n > MOST)
        return "the factors of this matrix would take more than 2 GiB on the CPU";
    system->band = calloc((size_t)ld * (size_t)n + 1, sizeof(double));
    if (!system->band)
        return "no memory for the factors";
    fill(system, matrix, mu);
    if (symmetric)
        ((symmetric_factor *)cpu_function(&lapack, "dpbtrf_"))("L", &n, &system->below,
                                                               system->band, &ld, &info, 1);
    else
        ((general_factor *)cpu_function(&lapack, "dgbtrf_"))(
            &n, &n, &system->below, &system->above, system->band, &ld, system->pivots, &info);
    if (info > 0)
        system->zero = system->order[info - 1];
    return NULL;
}

int band_system_zero(const struct band_system *system, double tolerance)
{
    if (system->zero >= 0)
        return system->zero;
    for (int i = 0; i < system->n; i++) {
        const double pivot =
            system->band[diagonal_row(system) + (size_t)i * (size_t)band_ld(system)];
        if (!(fabs(pivot) > tolerance))
            return system->order[i];
    }
    return -1;
}

const char *band_system_solve(const struct band_system *system, cudaDataType type, const void *b,
                              void *x)
{
    const int n = system->n, ld = band_ld(system), one = 1, ldb = n > 1 ? n : 1;
    double *rest = malloc(((size_t)n + 1) * sizeof(*rest));
    int info = 0;

    if (!rest)
        return "no memory for the solution";
    for (int i = 0; i < n; i++)
        rest[system->position[i]] = number_read(type, b, (size_t)i);
    if (system->symmetric)
        ((symmetric_solve *)cpu_function(&lapack, "dpbtrs_"))(
            "L", &n, &system->below, &one, system->band, &ld, rest, &ldb, &info, 1);
    else
        ((general_solve *)cpu_function(&lapack, "dgbtrs_"))("N", &n, &system->below, &system->above,
                                                            &one, system->band, &ld, system->pivots,
                                                            rest, &ldb, &info, 1);
    for (int i = 0; i < n; i++)
        number_write(type, rest[system->position[i]], x, (size_t)i);
    free(rest);
    return NULL;
}

static void exchange(int *list, int i, int j)
{
    const int kept = list[i];

    list[i] = list[j];
    list[j] = kept;
}

void band_system_orders(const struct band_system *system, int *rows, int *columns)
{
    for (int i = 0; i < system->n; i++)
        rows[i] = columns[i] = system->order[i];
    for (int i = 0; i < system->n; i++)
        exchange(rows, i, system->pivots[i] - 1);
}

/* Number i of a column of the triangle, from the diagonal on: where LAPACK has it. */
static double in_triangle(const struct band_system *system, bool lower, int column, int i)
{
    const int row = diagonal_row(system) + (lower ? 1 + i : -i);

    return system->band[row + (size_t)column * (size_t)band_ld(system)];
}

/* Column by column from the last on, so that each row is written from its end on. LAPACK leaves the
 * numbers of L where the rows were before later exchanges: `moved` says where they went. Counts
 * into `ends`, or writes before them. */
static void walk(const struct band_system *system, bool lower, int *moved, int *ends,
                 const struct band_triangle *to)
{
    const int n = system->n, most = lower ? system->below : system->below + system->above + 1;

    for (int i = 0; i < n; i++)
        moved[i] = i;
    for (int j = n - 1; j >= 0; j--) {
        for (int i = 0; i < most && i < (lower ? n - 1 - j : j + 1); i++) {
            const double value = in_triangle(system, lower, j, i);
            const int row = lower ? moved[j + 1 + i] : j - i;
            if (value == 0 && (lower || i != 0))
                continue;
            if (to) {
                to->columns[--ends[row]] = j + to->base;
                number_write(to->type, value, to->values, (size_t)ends[row]);
            } else
                ends[row]++;
        }
        exchange(moved, j, system->pivots[j] - 1);
    }
}

int band_system_triangle(const struct band_system *system, bool lower,
                         const struct band_triangle *to)
{
    const int n = system->n;
    int *moved = calloc(2 * (size_t)n + 1, sizeof(*moved)), *ends = moved + n, count = 0;

    if (!moved)
        return -1;
    walk(system, lower, moved, ends, NULL);
    for (int i = 0; i < n; i++) {
        if (to)
            to->offsets[i] = count + to->base;
        count += ends[i];
        ends[i] = count;
    }
    if (to) {
        to->offsets[n] = count + to->base;
        walk(system, lower, moved, ends, to);
    }
    free(moved);
    return count;
}

void band_system_free(struct band_system *system)
{
    free(system->order);
    free(system->position);
    free(system->pivots);
    free(system->band);
    *system = (struct band_system){.zero = -1};
}

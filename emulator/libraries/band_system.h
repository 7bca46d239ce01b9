/* SPDX-License-Identifier: MIT */
/* Sparse systems on the CPU: in an order that keeps all numbers near the diagonal, as a band. */
#ifndef BAND_SYSTEM_H
#define BAND_SYSTEM_H

#include <library_types.h>
#include <stdbool.h>

/* A square matrix in CSR where the CPU has it. */
struct sparse_matrix {
    int n, count, base;
    cudaDataType type; /* float or double */
    const int *offsets, *columns;
    const void *values;
};

struct band_system {
    int n, below, above;
    bool symmetric; /* positive definite, by its lower triangle; otherwise rows are exchanged */
    int *order, *position; /* the rows in their order; the position of each */
    int *pivots;
    double *band;
    int zero; /* the first row, counted from 0, at which the factors fail; -1: none */
};

/* Are all offsets and columns of the matrix? */
bool sparse_matrix_is_sound(const struct sparse_matrix *matrix);
/* An order in which the numbers are near the diagonal (reverse Cuthill-McKee). False: no memory. */
bool sparse_matrix_order(const struct sparse_matrix *matrix, int *order);
/* Factor matrix - mu. Returns what is wrong, or NULL; in both cases band_system_free() frees it. */
const char *band_system_factor(struct band_system *system, const struct sparse_matrix *matrix,
                               bool symmetric, double mu);
/* The first row whose pivot is no larger than `tolerance`, or -1. */
int band_system_zero(const struct band_system *system, double tolerance);
/* Solve for one right-hand side; `b` and `x` are of `type`. */
const char *band_system_solve(const struct band_system *system, cudaDataType type, const void *b,
                              void *x);
/* A triangle of the factors, in CSR: L without its ones, or U. */
struct band_triangle {
    int base;
    cudaDataType type;
    int *offsets, *columns;
    void *values;
};
/* Write it, if `to` is not NULL. Returns how many numbers it has; -1: no memory. Of factors with
 * exchanges alone. */
int band_system_triangle(const struct band_system *system, bool lower,
                         const struct band_triangle *to);
/* Row i of L U is row rows[i] of the matrix, and column j its column columns[j]. */
void band_system_orders(const struct band_system *system, int *rows, int *columns);
void band_system_free(struct band_system *system);

#endif

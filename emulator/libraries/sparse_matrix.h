/* SPDX-License-Identifier: MIT */
/* How the stand-in for cuSPARSE keeps what described a matrix before CUDA 10, which that for
 * cuSOLVER is given too. */
#ifndef SPARSE_MATRIX_H
#define SPARSE_MATRIX_H

#ifndef DISABLE_CUSPARSE_DEPRECATED
#define DISABLE_CUSPARSE_DEPRECATED
#endif
#include <cusparse.h>

struct cusparseMatDescr {
    cusparseMatrixType_t type;
    cusparseIndexBase_t base;
    cusparseFillMode_t fill;
    cusparseDiagType_t diagonal;
};

#endif

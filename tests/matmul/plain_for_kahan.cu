/* m1's plain sums, said to be compensated: the bound of a Kahan step has no room for them. */
#include "matmul.h"

#define SUM_PLAIN SUM_KAHAN
#include "../matmul/m1_naive.cu"

/* SPDX-License-Identifier: MIT
 *
 * The exception of CUDA's errors has a text, and so all of <string>. Without exceptions it has
 * none.
 * The names are those of CUDA 13.0: toolkits that nobody has tried it with leave nothing out.
 */
#if __CUDACC_VER_MAJOR__ == 13 && __CUDACC_VER_MINOR__ == 0
#define _GLIBCXX_STDEXCEPT
#endif
#include_next <cuda/std/__exception/cuda_error.h>
#undef _GLIBCXX_STDEXCEPT

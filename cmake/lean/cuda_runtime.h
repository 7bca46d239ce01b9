/* SPDX-License-Identifier: MIT
 *
 * nvcc puts cuda_runtime.h in front of each source, and five passes read it. This one leaves out a
 * third: glibc's declarations for _Float16 to _Float128, and <utility>, of which it wants only
 * std::forward(); who includes <utility> gets it whole. It also leaves out textures, surfaces and
 * loads and stores that name a cache: who has errors with it is compiled without it. The names are
 * those of GCC's own headers: compilers that nobody has tried it with leave nothing out.
 */
#ifndef LEAN_CUDA_RUNTIME_H
#define LEAN_CUDA_RUNTIME_H
#include <initializer_list> /* for (int n : {1, 2}) */

#if __GNUC__ == 12 && !defined(__clang__) && \
    !defined(__CUDACC_EXTENDED_LAMBDA__) /* that includes <functional> */
#define LEAN
#define _BITS_FLOATN_H
#define _GLIBCXX_UTILITY
#define __TEXTURE_INDIRECT_FUNCTIONS_H__
#define __SURFACE_INDIRECT_FUNCTIONS_H__
#define __SM_32_INTRINSICS_H__
#define __CHANNEL_DESCRIPTOR_H__
#define forward lean_forward

namespace std
{
template <typename T> struct lean_referred {
    typedef T type;
};
template <typename T> struct lean_referred<T &> {
    typedef T type;
};
template <typename T> T &&forward(typename lean_referred<T>::type &value)
{
    return static_cast<T &&>(value);
}
} // namespace std
#endif

#include_next <cuda_runtime.h>

#ifdef LEAN
#undef LEAN
#undef _BITS_FLOATN_H
#undef _GLIBCXX_UTILITY
#undef __TEXTURE_INDIRECT_FUNCTIONS_H__
#undef __SURFACE_INDIRECT_FUNCTIONS_H__
#undef __SM_32_INTRINSICS_H__
#undef __CHANNEL_DESCRIPTOR_H__
#undef forward
#endif
#endif

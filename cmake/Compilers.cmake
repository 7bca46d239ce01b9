# SPDX-License-Identifier: MIT
# How our own code is compiled, and the libraries it stands on.
#
# Libraries: PkgConfig::jansson, PkgConfig::zstd, PkgConfig::lz4, PkgConfig::cmocka; unzstd.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON) # POSIX
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Rounding is spelled out in the source: the compiler must not fuse on its own.
set(host_warnings -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wmissing-declarations
    -Werror)
add_compile_options("$<$<COMPILE_LANGUAGE:C>:${host_warnings};-ffp-contract=off>")

# Of C++ there are programs without a kernel that call libraries of CUDA's.
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wmissing-declarations;-Werror;-ffp-contract=off>")

# What nvcc hands to the host's compiler calls the runtime: for that -O1 does, and takes less time.
# Kernels are optimised apart. With -O1 GCC warns of CUB's variables: -Wno-maybe-uninitialized.
string(REPLACE -O3 -O1 CMAKE_CUDA_FLAGS_RELEASE "${CMAKE_CUDA_FLAGS_RELEASE}")

# A step's source lines must survive into its PTX: the emulator names them.
# The generated host stubs are not ours to warn about, hence the shorter list.
add_compile_options(
    "$<$<COMPILE_LANGUAGE:CUDA>:-lineinfo;--Werror=all-warnings;-Xcompiler=-Wall,-Wmissing-declarations,-Wno-missing-field-initializers,-Wno-maybe-uninitialized,-ffp-contract=off>")

# nvcc parses the headers three times for each source. A third of that time is for what C++17's <cmath>
# includes for mathematicians, as std::riemann_zeta(): it is left out by saying that it is there. What
# else is left out say lean/cuda_runtime.h and lean/utility; lean_first.sh says for whom.
set(LEAN_CMATH _GLIBCXX_BITS_SPECFUN_H=1)
add_compile_definitions($<$<COMPILE_LANGUAGE:CUDA,CXX>:${LEAN_CMATH}>)
include(Flat)

# The headers of CUB, Thrust and <cuda/...> parse in half of the time without what they have for floats
# of 16 and 8 bits, for NVIDIA's profilers, for instructions that none of them calls, for streams of the
# host, with all its strings, and for waiting (no_wait/cuda/atomic).
# With CUB __half stays: without both it and __nv_bfloat16, cub::ThreadReduce() of CUDA 13.0 takes every
# float for one of them from compute capability 8.0 on, and returns the first instead of the sum.
set(uncalled LD ST ST_ASYNC ST_BULK RED_ASYNC MULTIMEM_LD_REDUCE MULTIMEM_RED MULTIMEM_ST
    CP_REDUCE_ASYNC_BULK CP_REDUCE_ASYNC_BULK_TENSOR TENSORMAP_REPLACE CLUSTERLAUNCHCONTROL
    TCGEN05_ALLOC TCGEN05_COMMIT TCGEN05_CP TCGEN05_FENCE TCGEN05_LD TCGEN05_MMA TCGEN05_MMA_WS
    TCGEN05_SHIFT TCGEN05_ST TCGEN05_WAIT)
list(TRANSFORM uncalled REPLACE "(.+)" "_CUDA_PTX_\\1_H_")
list(APPEND uncalled _STREAM_ITERATOR_H _STREAMBUF_ITERATOR_H)
function(leave_out_small_floats)
    foreach(target IN LISTS ARGN)
        target_compile_definitions(${target} PRIVATE
            CCCL_DISABLE_BF16_SUPPORT CCCL_DISABLE_FP8_SUPPORT CCCL_DISABLE_NVTX ${uncalled})
        target_include_directories(${target} BEFORE PRIVATE ${PROJECT_SOURCE_DIR}/cmake/no_wait)
    endforeach()
endfunction()
# CUB itself does without the host's streams, and without exceptions: no program catches one.
function(leave_out_streams)
    leave_out_small_floats(${ARGN})
    foreach(target IN LISTS ARGN)
        target_compile_definitions(${target} PRIVATE CCCL_DISABLE_EXCEPTIONS)
        target_include_directories(${target} BEFORE PRIVATE ${PROJECT_SOURCE_DIR}/cmake/no_streams)
    endforeach()
endfunction()
function(leave_out_halves)
    leave_out_small_floats(${ARGN})
    foreach(target IN LISTS ARGN)
        target_compile_definitions(${target} PRIVATE CCCL_DISABLE_FP16_SUPPORT)
    endforeach()
endfunction()

# What was compiled once, in this build folder or another, comes from there. CCACHE_DISABLE=1 in the
# environment does without.
find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(CCACHE)
    foreach(language C CXX CUDA)
        if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
            set(CMAKE_${language}_COMPILER_LAUNCHER ${CCACHE})
        endif()
    endforeach()
endif()
list(PREPEND CMAKE_CUDA_COMPILER_LAUNCHER
    ${CMAKE_CURRENT_LIST_DIR}/lean_first.sh ${FLAT} ${CMAKE_CURRENT_LIST_DIR}/lean)

if(SANITIZE)
    set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    add_compile_options("$<$<COMPILE_LANGUAGE:C>:${sanitizers}>")
    add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fsanitize=address,-fno-omit-frame-pointer>")
    # Apart: for a device link CMake hands each to nvcc, which divides arguments at commas.
    add_link_options(-fsanitize=address -fsanitize=undefined)
endif()

# Of libstdc++ a step wants two functions. To look them up in the shared library takes GNU ld two
# thirds of its time.
execute_process(COMMAND ${CMAKE_CUDA_HOST_LINK_LAUNCHER} -print-file-name=libstdc++.a
    OUTPUT_VARIABLE archive OUTPUT_STRIP_TRAILING_WHITESPACE)
if(IS_ABSOLUTE "${archive}" AND NOT SANITIZE)
    add_link_options("$<$<LINK_LANGUAGE:CUDA>:$<HOST_LINK:-static-libstdc++>>")
endif()

# libFuzzer is clang's. What it warns of and GCC does not, pragmas of GCC among it, is not asked for.
if(FUZZ)
    add_compile_options("$<$<COMPILE_LANGUAGE:C>:-fsanitize=fuzzer-no-link;-w>")
endif()

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(jansson REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(lz4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(cmocka REQUIRED IMPORTED_TARGET cmocka)

# zstd for what only unpacks: its archive where there is one, for the loader looks up more names for
# libzstd.so than for all else that a step loads. A shared library must be able to hold it.
find_library(ZSTD_ARCHIVE libzstd.a HINTS ${zstd_LIBRARY_DIRS})
mark_as_advanced(ZSTD_ARCHIVE)
if(ZSTD_ARCHIVE)
    include(CheckCSourceCompiles)
    set(CMAKE_REQUIRED_INCLUDES ${zstd_INCLUDE_DIRS})
    set(CMAKE_REQUIRED_FLAGS -fPIC)
    set(CMAKE_REQUIRED_LINK_OPTIONS -shared -Wl,-z,defs)
    set(CMAKE_REQUIRED_LIBRARIES ${ZSTD_ARCHIVE})
    check_c_source_compiles("
        #include <zstd.h>
        size_t unpack(void *to, const void *from, size_t size);
        size_t unpack(void *to, const void *from, size_t size)
        {
            return ZSTD_decompress(to, size, from, size);
        }" HAVE_ZSTD_ARCHIVE)
    foreach(required INCLUDES FLAGS LINK_OPTIONS LIBRARIES)
        unset(CMAKE_REQUIRED_${required})
    endforeach()
endif()
add_library(unzstd INTERFACE)
if(HAVE_ZSTD_ARCHIVE)
    target_include_directories(unzstd INTERFACE ${zstd_INCLUDE_DIRS})
    target_link_libraries(unzstd INTERFACE ${ZSTD_ARCHIVE})
else()
    target_link_libraries(unzstd INTERFACE PkgConfig::zstd)
endif()

# SPDX-License-Identifier: MIT
# Find the CUDA toolkit: a system one, or the wheels that ./tour set up under .toolkit/.
#
# Sets CMAKE_CUDA_ARCHITECTURES: PTX for compute capability 7.5, which every later GPU and the
# emulator take, and machine code where GPU_ARCH asks for it.

set(architectures 75-virtual)
set(gpu_arch "${GPU_ARCH}")
if(gpu_arch STREQUAL "native")
    execute_process(
        COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
        OUTPUT_VARIABLE gpu_arch RESULT_VARIABLE failed ERROR_QUIET)
    if(failed OR gpu_arch STREQUAL "")
        message(FATAL_ERROR "GPU_ARCH=native, but nvidia-smi names no GPU: give GPU_ARCH a number")
    endif()
    string(REGEX REPLACE "[\r\n].*" "" gpu_arch "${gpu_arch}")
    string(REPLACE "." "" gpu_arch "${gpu_arch}")
endif()
if(NOT gpu_arch STREQUAL "")
    list(APPEND architectures ${gpu_arch}-real)
endif()
set(CMAKE_CUDA_ARCHITECTURES ${architectures})
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)

if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    file(GLOB wheels ${CMAKE_SOURCE_DIR}/.toolkit/cuda-*/bin)
    find_program(CMAKE_CUDA_COMPILER nvcc
        HINTS ENV CUDA_HOME ENV CUDA_PATH PATH_SUFFIXES bin
        PATHS /usr/local/cuda/bin ${wheels})
    if(NOT CMAKE_CUDA_COMPILER)
        unset(CMAKE_CUDA_COMPILER CACHE)
        message(FATAL_ERROR "No CUDA compiler: ./tour fetches one into .toolkit/ and builds")
    endif()
endif()
enable_language(CUDA)
find_package(CUDAToolkit 12.0 REQUIRED)

# The run path of a step must reach libcudart: CMake writes none for it.
set(CMAKE_BUILD_RPATH ${CUDAToolkit_LIBRARY_DIR})

# Can this runtime load code while a program runs? The first of CUDA 12 could not.
find_file(RUNTIME_API cuda_runtime_api.h PATHS ${CUDAToolkit_INCLUDE_DIRS} NO_DEFAULT_PATH REQUIRED)
file(STRINGS ${RUNTIME_API} library_functions REGEX "cudaLibraryLoadData\\(" LIMIT_COUNT 1)

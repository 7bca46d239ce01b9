# SPDX-License-Identifier: MIT
# A toolchain: everything for Linux on AArch64, with Debian's cross compiler, tests run by qemu-user.
# tests/aarch64/run sets the three it needs:
#
#   AARCH64_SYSROOT   a Debian of that architecture, with the libraries of ours
#   AARCH64_CUDA      a toolkit whose lib/ has the runtime for that architecture
#   AARCH64_QEMU      what runs a program for it

set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES AARCH64_SYSROOT AARCH64_CUDA AARCH64_QEMU)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CUDA_HOST_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_SYSROOT ${AARCH64_SYSROOT})
# CMake tells nvcc nothing of it, and links with the host's compiler.
set(CMAKE_CUDA_FLAGS_INIT -Xcompiler=--sysroot=${AARCH64_SYSROOT})
set(CMAKE_EXE_LINKER_FLAGS_INIT --sysroot=${AARCH64_SYSROOT})
set(CMAKE_SHARED_LINKER_FLAGS_INIT --sysroot=${AARCH64_SYSROOT})
set(CMAKE_FIND_ROOT_PATH ${AARCH64_SYSROOT} ${AARCH64_CUDA})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR ${AARCH64_QEMU} -L ${AARCH64_SYSROOT})
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${AARCH64_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${AARCH64_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig)

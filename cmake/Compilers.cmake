# How our own code is compiled, and the libraries it stands on.
#
# Libraries: PkgConfig::jansson, PkgConfig::zstd, PkgConfig::lz4, PkgConfig::cmocka.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON) # POSIX
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Rounding is spelled out in the source: the compiler must not fuse on its own.
set(host_warnings -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wmissing-declarations
    -Werror)
add_compile_options("$<$<COMPILE_LANGUAGE:C>:${host_warnings};-ffp-contract=off>")

# A step's source lines must survive into its PTX: the emulator names them.
# The generated host stubs are not ours to warn about, hence the shorter list.
add_compile_options(
    "$<$<COMPILE_LANGUAGE:CUDA>:-lineinfo;--Werror=all-warnings;-Xcompiler=-Wall,-Wmissing-declarations,-Wno-missing-field-initializers,-ffp-contract=off>")

if(SANITIZE)
    set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    add_compile_options("$<$<COMPILE_LANGUAGE:C>:${sanitizers}>")
    add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fsanitize=address,-fno-omit-frame-pointer>")
    # Apart: for a device link CMake hands each to nvcc, which divides arguments at commas.
    add_link_options(-fsanitize=address -fsanitize=undefined)
endif()

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(jansson REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(lz4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(cmocka REQUIRED IMPORTED_TARGET cmocka)

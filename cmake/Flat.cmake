# SPDX-License-Identifier: MIT
# nvcc preprocesses each source twice, and reads 260 files in front of it, of which most are comments.
# What they come to is the same for nearly every source: here it is kept, with its macros, once for the
# host and once for compute capability 7.5. flat.h says who reads the files themselves.

set(FLAT ${CMAKE_BINARY_DIR}/flat)
separate_arguments(FLAT_NVCC UNIX_COMMAND
    "${CMAKE_CUDA_COMPILER} -x cu -O3 -DNDEBUG -D${LEAN_CMATH} -arch=compute_75 -E ${CMAKE_CUDA_FLAGS}")
if(CMAKE_CUDA_HOST_COMPILER)
    list(APPEND FLAT_NVCC -ccbin ${CMAKE_CUDA_HOST_COMPILER})
endif()
file(WRITE ${FLAT}/empty.cu "")
set(host -Xcompiler=-U__CUDA_ARCH__,-UCUDA_DOUBLE_MATH_FUNCTIONS)
set(device "")
set(files "")
foreach(pass host device)
    execute_process(
        COMMAND ${FLAT_NVCC} -I${CMAKE_CURRENT_LIST_DIR}/lean -Xcompiler=-dD ${${pass}}
            ${FLAT}/empty.cu
        COMMAND perl -ne "s/^(# \\d+ \".*\").*/$1 3/; print if $on && !/empty.cu/; $on ||= /define LEAN_CUDA_R/"
        OUTPUT_FILE ${FLAT}/${pass}.new RESULTS_VARIABLE failed ERROR_QUIET)
    if(NOT failed STREQUAL "0;0")
        file(WRITE ${FLAT}/${pass}.new "#include_next <cuda_runtime.h>\n")
    endif()
    file(COPY_FILE ${FLAT}/${pass}.new ${FLAT}/${pass}.h ONLY_IF_DIFFERENT)
    file(STRINGS ${FLAT}/${pass}.h markers REGEX "^# 1 \"/")
    foreach(marker IN LISTS markers)
        string(REGEX REPLACE "^# 1 \"(.*)\".*" "\\1" file "${marker}")
        cmake_path(NORMAL_PATH file) # which Ninja may know once
        list(APPEND files ${file})
    endforeach()
endforeach()
list(REMOVE_DUPLICATES files)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
configure_file(${CMAKE_CURRENT_LIST_DIR}/flat.h ${FLAT}/cuda_runtime.h COPYONLY)

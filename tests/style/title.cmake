# SPDX-License-Identifier: MIT
# cmake -DTITLE=text -DADD_STEP=cmake/AddStep.cmake -P title.cmake: does it serve as a title?
cmake_policy(VERSION 3.24)
set(CMAKE_BINARY_DIR ${CMAKE_CURRENT_BINARY_DIR}/style)
include(${ADD_STEP})
check_plain("${TITLE}")

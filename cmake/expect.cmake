# SPDX-License-Identifier: MIT
# Run a program and hold its exit code and its output against what is expected of it.
#
#   cmake -DEXIT=2 [-DSTDOUT=regex] [-DSTDERR=regex] [-DONE_LINE=ON] -P expect.cmake -- program [argument...]
#
# ONE_LINE: stderr is one line, no more and no less. A program that exits with 77 where that was not
# asked for makes the script print "expect: exit code 77" and no more, whatever the program said: cmake
# itself cannot exit with 77.

set(command "")
set(after FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
    if(after)
        list(APPEND command "${CMAKE_ARGV${i}}")
    elseif("${CMAKE_ARGV${i}}" STREQUAL "--")
        set(after TRUE)
    endif()
endforeach()
list(JOIN command " " line)

execute_process(COMMAND ${command} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)

set(wrong "")
if(NOT "${code}" STREQUAL "${EXIT}")
    if("${code}" STREQUAL "77")
        message("expect: exit code 77")
        return()
    endif()
    string(APPEND wrong "exit code ${code}, expected ${EXIT}\n")
endif()
if(DEFINED STDOUT AND NOT "${out}" MATCHES "${STDOUT}")
    string(APPEND wrong "stdout does not match '${STDOUT}'\n")
endif()
if(DEFINED STDERR AND NOT "${err}" MATCHES "${STDERR}")
    string(APPEND wrong "stderr does not match '${STDERR}'\n")
endif()
if(ONE_LINE AND NOT "${err}" MATCHES "^[^\n]+\n$")
    string(APPEND wrong "stderr is not one line\n")
endif()
if(wrong)
    message("${line}\n${wrong}--- stdout\n${out}--- stderr\n${err}---")
    message(FATAL_ERROR "not what was expected")
endif()

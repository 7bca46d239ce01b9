# SPDX-License-Identifier: MIT
# expect_run(name COMMAND program [argument...] EXIT code [STDOUT regex] [STDERR regex] [ONE_LINE]
#            [LABELS label...])
#
# A test that a program ends with just this exit code and prints what matches. ONE_LINE: its stderr
# is one line. The program is a target, generator expressions are fine, and arguments hold no
# semicolon and are not empty. Exit code 77, unless it is what is expected, skips the test. What
# the regular expressions may say stands in expect.pl.

# Programs that take long to compile and that only tests of the label `more` run, or none: what builds
# them is the target of that name, not `all`. Where there is a GPU it has tests for them, so `all` does
# too.
function(build_for_more)
    if(NOT GPU_ARCH)
        set_target_properties(${ARGN} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
    add_dependencies(more ${ARGN})
endfunction()

set(EXPECT_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/expect.pl)

function(expect_run name)
    cmake_parse_arguments(EXPECT "ONE_LINE" "EXIT;STDOUT;STDERR" "COMMAND;LABELS" ${ARGN})
    if(EXPECT_UNPARSED_ARGUMENTS OR NOT DEFINED EXPECT_EXIT OR NOT EXPECT_COMMAND)
        message(FATAL_ERROR "expect_run(${name}): bad arguments ${EXPECT_UNPARSED_ARGUMENTS}")
    endif()

    set(due exit=${EXPECT_EXIT})
    foreach(stream stdout stderr)
        string(TOUPPER ${stream} upper)
        if(DEFINED EXPECT_${upper})
            list(APPEND due "${stream}=${EXPECT_${upper}}")
        endif()
    endforeach()
    if(EXPECT_ONE_LINE)
        list(APPEND due one_line=ON)
    endif()

    # add_test() finds the file of a target only where it is the command itself.
    set(command "")
    foreach(argument IN LISTS EXPECT_COMMAND)
        if(TARGET "${argument}")
            list(APPEND command $<TARGET_FILE:${argument}>)
        else()
            list(APPEND command "${argument}")
        endif()
    endforeach()

    add_test(NAME ${name} COMMAND ${EXPECT_SCRIPT} ${due} -- ${command})
    set_tests_properties(${name} PROPERTIES LABELS "${EXPECT_LABELS}" TIMEOUT 60
        SKIP_RETURN_CODE 77)
endfunction()

# SPDX-License-Identifier: MIT
# The CMake package of emu: find_package(emu), then emu_add_test().
#
# emu_add_test(target [NAME name] [CHECK kind...] [SCHEDULES order...] [GPU name] [TIMEOUT seconds]
#              [ARGS argument...])
#
# Runs `target`, an executable with kernels, without a GPU, as tests. The test `name` (the target's
# name unless given) is the program under emu as it is: it fails where the program does, and with
# exit code 9 where a kernel faults or cannot run, whether the program notices or not.
#
#   NAME       the test's name, and what those of the other tests begin with
#   CHECK      what the checkers look for: memory race sync init leak, or all. `name.check` runs the
#              program under them, and fails with exit code 9 where one reports anything
#   SCHEDULES  other orders of warps and blocks: reverse, random:SEED. For each a test, `name.reverse`,
#              `name.random_SEED`
#   GPU        the GPU to emulate, one that `emu --gpu list` names
#   TIMEOUT    when emu ends the program and says where its kernel was, 240 seconds unless given; a
#              test that CTest itself ends says nothing
#   ARGS       the program's arguments
#
# The tests have the label `emu`. Exit code 77 of the program skips a test. The target, and every
# library of the project that it links by then, is given the shared CUDA runtime, source lines for
# what emu reports of kernels (-lineinfo) and of the host's calls (-g), and PTX for compute capability
# 7.5 if it has none: emu runs PTX only.
#
# Sets emu_EXECUTABLE.

get_filename_component(emu_EXECUTABLE "${CMAKE_CURRENT_LIST_DIR}/../../../bin/emu" ABSOLUTE)
if(NOT EXISTS "${emu_EXECUTABLE}")
    set(emu_FOUND FALSE)
    set(emu_NOT_FOUND_MESSAGE "${emu_EXECUTABLE} is missing: install emu whole")
    return()
endif()
if(NOT TARGET emu::emu)
    add_executable(emu::emu IMPORTED)
    set_target_properties(emu::emu PROPERTIES IMPORTED_LOCATION "${emu_EXECUTABLE}")
endif()

# What emu needs of a program and its libraries: a runtime whose place another can take, and PTX.
function(_emu_prepare target)
    get_target_property(real ${target} ALIASED_TARGET)
    if(real)
        set(target ${real})
    endif()
    get_target_property(imported ${target} IMPORTED)
    get_target_property(prepared ${target} EMU_PREPARED)
    if(imported OR prepared)
        return()
    endif()
    set_target_properties(${target} PROPERTIES EMU_PREPARED TRUE)
    get_target_property(type ${target} TYPE)
    foreach(property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
        get_target_property(libraries ${target} ${property})
        foreach(library IN LISTS libraries)
            string(REGEX REPLACE "^\\$<[A-Z_]+:([^<>]+)>$" "\\1" library "${library}") # LINK_ONLY
            if(TARGET "${library}")
                _emu_prepare(${library})
            endif()
        endforeach()
    endforeach()
    if(type STREQUAL "INTERFACE_LIBRARY")
        return()
    endif()
    set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX,CUDA>:-g>)
    # -G has line numbers too, and nvcc refuses both: the configurations that have it.
    set(debugs none)
    get_target_property(options ${target} COMPILE_OPTIONS)
    foreach(config IN LISTS CMAKE_BUILD_TYPE CMAKE_CONFIGURATION_TYPES)
        string(TOUPPER "CMAKE_CUDA_FLAGS_${config}" flags)
        if("${${flags}}" MATCHES "(^| )-G( |$)" OR "${options};" MATCHES "CONFIG:${config}>:[^>]*-G[;>]")
            list(APPEND debugs ${config})
        endif()
    endforeach()
    list(JOIN debugs "," debugs)
    if(NOT "${CMAKE_CUDA_FLAGS};${options}" MATCHES "(^|[ ;])-G([ ;]|$)")
        target_compile_options(${target} PRIVATE
            $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<NOT:$<CONFIG:${debugs}>>>:-lineinfo>)
    endif()
    get_target_property(architectures ${target} CUDA_ARCHITECTURES)
    if(architectures MATCHES "^([0-9]+[a-z]*-real(;|$))+$")
        set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${architectures};75-virtual")
    endif()
endfunction()

# An option's value that emu does not know is an error now, not when the test runs.
function(_emu_ask target option)
    execute_process(COMMAND ${emu_EXECUTABLE} ${option} ERROR_VARIABLE said)
    if(NOT said MATCHES "no program to run")
        string(STRIP "${said}" said)
        message(FATAL_ERROR "emu_add_test(${target}): ${said}")
    endif()
endfunction()

# One test: the program under emu. Its arguments go one by one: a list that is expanded loses the
# empty ones.
function(_emu_add name options)
    set(command)
    foreach(argument IN LISTS options EMU_ARGS)
        string(APPEND command " [==[${argument}]==]")
    endforeach()
    if(DEFINED EMU_ARGS AND EMU_ARGS STREQUAL "") # a list of one empty argument, and of none
        string(APPEND command " [==[]==]")
    endif()
    cmake_language(EVAL CODE "add_test(NAME [==[${name}]==] COMMAND ${command})")
    set_tests_properties(${name} PROPERTIES LABELS emu SKIP_RETURN_CODE 77)
endfunction()

function(emu_add_test target)
    cmake_parse_arguments(PARSE_ARGV 1 EMU "" "NAME;GPU;TIMEOUT" "CHECK;SCHEDULES;ARGS")
    list(REMOVE_ITEM EMU_KEYWORDS_MISSING_VALUES ARGS) # a list of the project's may be empty
    if(EMU_KEYWORDS_MISSING_VALUES)
        message(FATAL_ERROR "emu_add_test(${target}): nothing behind ${EMU_KEYWORDS_MISSING_VALUES}")
    endif()
    if(EMU_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "emu_add_test(${target}): what is ${EMU_UNPARSED_ARGUMENTS}?")
    endif()
    if(NOT TARGET ${target})
        message(FATAL_ERROR "emu_add_test: no target ${target}")
    endif()
    if(NOT EMU_NAME)
        set(EMU_NAME ${target})
    endif()
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "EXECUTABLE")
        message(FATAL_ERROR "emu_add_test(${target}): a program is wanted, and this is a ${type}")
    endif()
    _emu_prepare(${target})
    if(NOT EMU_TIMEOUT)
        set(EMU_TIMEOUT 240)
    endif()
    _emu_ask(${target} --timeout=${EMU_TIMEOUT})
    set(emu "${emu_EXECUTABLE}" --error-exitcode=9 --timeout=${EMU_TIMEOUT})
    if(EMU_GPU)
        _emu_ask(${target} --gpu=${EMU_GPU})
        list(APPEND emu --gpu=${EMU_GPU})
    endif()
    set(program $<TARGET_FILE:${target}>)
    _emu_add(${EMU_NAME} "${emu};${program}")
    if(EMU_CHECK)
        list(JOIN EMU_CHECK "," kinds)
        _emu_ask(${target} --check=${kinds})
        _emu_add(${EMU_NAME}.check "${emu};--check=${kinds};${program}")
    endif()
    foreach(order IN LISTS EMU_SCHEDULES)
        _emu_ask(${target} --schedule=${order})
        string(REPLACE ":" "_" suffix ${order})
        _emu_add(${EMU_NAME}.${suffix} "${emu};--schedule=${order};${program}")
    endforeach()
endfunction()

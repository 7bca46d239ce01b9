# SPDX-License-Identifier: MIT
# broken_step(chapter step name sed-argument...): ${step_name} is the command for a program that is the
# step, and with it the chapter's headers for kernels, edited by sed.
#
# broken(chapter step name gpu sed-argument...): the race checker, with that GPU, reports such a program,
# whatever the order of blocks and warps. `gpu` h100 has two SMs.
#
# broken_programs(chapter header...) comes last: one program of cases for each compute capability that
# they are compiled for. The headers are those that are not the chapter's kernels'.

include(Cases)
include(Expect)

function(broken_step chapter step name)
    get_target_property(folder ${chapter}_${step} SOURCE_DIR)
    set(case ${step}_${name})
    set(copies ${CMAKE_CURRENT_BINARY_DIR}/${case})
    file(MAKE_DIRECTORY ${copies})
    file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.cuh)
    set(source ${copies}/${case}.cu)
    set(files ${headers})
    list(TRANSFORM files REPLACE "^.*/" ${copies}/)
    # Each case includes its own headers, so their guards are its own.
    list(TRANSFORM ARGN PREPEND "-e;")
    add_custom_command(OUTPUT ${source} ${files}
        COMMAND cp ${headers} ${copies}
        COMMAND cp ${folder}/${step}.cu ${source}
        COMMAND sed -i ${ARGN} -e "s/[A-Z_]*_CUH$/${case}_&/" ${source} ${files}
        DEPENDS ${folder}/${step}.cu ${headers} COMMENT "Generating ${case}" VERBATIM)

    get_target_property(capabilities ${chapter}_${step} CUDA_ARCHITECTURES)
    string(REGEX MATCH "^[0-9]+a?" capability "${capabilities}")
    set(program ${chapter}_broken_${capability})
    set_property(DIRECTORY APPEND PROPERTY BROKEN_PROGRAMS ${program})
    set_property(DIRECTORY APPEND PROPERTY ${program} ${source})
    set_property(DIRECTORY APPEND PROPERTY ${program}_headers ${files})
    set_property(DIRECTORY PROPERTY ${program}_step ${chapter}_${step})
    set(${case} $<TARGET_FILE:${program}> ${case} PARENT_SCOPE)
endfunction()

function(broken chapter step name gpu)
    broken_step(${chapter} ${step} ${name} ${ARGN})
    get_target_property(size ${chapter}_${step} STEP_SIZE)
    if(NOT size)
        set(size --n 5000)
    endif()
    foreach(order forward reverse random:1)
        string(REGEX REPLACE ":.*" "" suffix ${order})
        set(test ${chapter}.${step}.${name}.${suffix})
        expect_run(${test} LABELS "emu;checkers;${chapter};more" EXIT 9
            STDERR "\nemu: checked, [0-9]+ reports?: memory 0, race [1-9]"
            COMMAND emu --gpu=${gpu} --check=all --schedule=${order} --error-exitcode=9
                ${${step}_${name}} ${size} --no-poison --no-guard)
        if(gpu STREQUAL h100)
            set_sms(2 ${test})
        endif()
    endforeach()
endfunction()

function(broken_programs chapter)
    get_directory_property(programs BROKEN_PROGRAMS)
    list(REMOVE_DUPLICATES programs)
    foreach(program IN LISTS programs)
        get_directory_property(sources ${program})
        get_directory_property(headers ${program}_headers)
        get_directory_property(step ${program}_step)
        cases(${program} ${chapter} "${ARGN}" ${sources})
        target_sources(${program} PRIVATE ${headers})
        build_for_more(${program})
        get_target_property(definitions ${step} COMPILE_DEFINITIONS)
        list(FILTER definitions EXCLUDE REGEX "^STEP_(NAME|TITLE)=")
        get_target_property(capabilities ${step} CUDA_ARCHITECTURES)
        set_target_properties(${program} PROPERTIES CUDA_ARCHITECTURES "${capabilities}"
            COMPILE_DEFINITIONS "${definitions};STEP_TITLE=\"broken on purpose\"")
    endforeach()
endfunction()

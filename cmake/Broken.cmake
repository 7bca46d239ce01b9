# SPDX-License-Identifier: MIT
# broken_step(chapter step name sed-argument...): the program chapter_step_name is the step, and with it
# the chapter's headers for kernels, edited by sed.
#
# broken(chapter step name gpu sed-argument...): the race checker, with that GPU, reports such a program,
# whatever the order of blocks and warps. `gpu` h100 has two SMs.

include(Expect)

function(broken_step chapter step name)
    get_target_property(folder ${chapter}_${step} SOURCE_DIR)
    set(copies ${CMAKE_CURRENT_BINARY_DIR}/${step}_${name})
    file(MAKE_DIRECTORY ${copies})
    file(GLOB headers RELATIVE ${folder} CONFIGURE_DEPENDS ${folder}/*.cuh)
    list(TRANSFORM ARGN PREPEND "-e;")
    foreach(file ${step}.cu ${headers})
        add_custom_command(OUTPUT ${copies}/${file}
            COMMAND sed ${ARGN} ${folder}/${file} > ${copies}/${file}
            DEPENDS ${folder}/${file} VERBATIM)
        list(APPEND sources ${copies}/${file})
    endforeach()

    set(target ${chapter}_${step}_${name})
    add_executable(${target} ${sources})
    build_for_more(${target})
    target_link_libraries(${target} PRIVATE ${chapter})
    foreach(property COMPILE_DEFINITIONS CUDA_ARCHITECTURES)
        get_target_property(value ${chapter}_${step} ${property})
        set_target_properties(${target} PROPERTIES ${property} "${value}")
    endforeach()
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
                ${chapter}_${step}_${name} ${size} --no-poison --no-guard)
        if(gpu STREQUAL h100)
            set_sms(2 ${test})
        endif()
    endforeach()
endfunction()

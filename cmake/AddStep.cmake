# SPDX-License-Identifier: MIT
# add_step(chapter name "title" [CHINESE "title"] [ARTICLE "figure"] [MINIMUM capability] [SMS n]
#          [NO_SIZES] [RACY] [CPU] [SHOWN_ON gpu] [CHECKER_SIZE argument...])
#
# One step: chapter/name.cu becomes target chapter_name, program build/<preset>/chapter/name, tests
# chapter.name (on the emulator, labels emu and chapter) and chapter.name.gpu (labels gpu and
# chapter), and a line of build/<preset>/manifest.jsonl for the tour. On the emulator the step also
# runs under all checkers, chapter.name.check, and with other orders of warps and blocks,
# chapter.name.reverse and .random (label checkers as well), all at a small size: its CHECKER_SIZE,
# else what its chapter put into the variable of that name, else --n 5000.
#
#   CHINESE   its title in Chinese, unless it has a section of its own in docs/zh/<chapter>.md, whose
#             heading says it
#   ARTICLE   the figure its source prints; "no figure" where it has the step, but no number; left out
#             where it does not have the step. base/words.def says it in Chinese
#   MINIMUM   compute capability the step needs, as in 90; 90a: only GPUs of 9.0 have what it needs; 75
#             unless given. Above that the emulator plays an H100 in the tests
#   SMS       how many SMs the emulated GPU has in the step's tests, if fewer than the real one: then
#             persistent blocks take their second piece of work at a size that a test can afford
#   NO_SIZES  the step has no problem size, and so no --all-sizes
#   RACY      the step is wrong by a race, on purpose: the race checker must report it, and other
#             orders are not tried
#   CPU       the step needs no device: it is the CPU that the others are compared with
#   SHOWN_ON  the GPU that the tour emulates for this step, if not that of its chapter
#   CHECKER_SIZE  the arguments that give it a small size, where --n 5000 is too much or too little
#
# The global property STEP_TARGETS lists the targets of all steps; a target's property STEP_SIZE is
# its CHECKER_SIZE, or that of its chapter, and STEP_HAS_SIZES says whether there is a --n.
#
# add_chapter(name "title" [SHOWN_ON gpu] [SECONDS n] [SOURCES file...]) comes first: a library of
# what the chapter's steps share, and the chapter's own line of the manifest.
#
#   SECONDS   about how long its steps take on the emulator, on two cores: the tour says how long it
#             still takes
#   SHOWN_ON  the GPU of emulator/gpus that the tour emulates for this chapter, unless told otherwise:
#             the one its article has figures of

set(MANIFEST ${CMAKE_BINARY_DIR}/manifest.jsonl)
file(WRITE ${MANIFEST}.new "")
set(STEP_TIMEOUT 120)

# What goes into a line of JSON and into a C string as it is: no quote, no backslash.
function(check_plain text)
    if(text MATCHES "[\"\\\\\n\t]")
        message(FATAL_ERROR "a title or figure with a quote, a backslash, a tab or a new line: ${text}")
    endif()
endfunction()

function(check_gpu name gpu)
    if(gpu AND NOT EXISTS ${CMAKE_SOURCE_DIR}/emulator/gpus/${gpu}.txt)
        message(FATAL_ERROR "${name}: emulator/gpus has no ${gpu}")
    endif()
endfunction()

function(add_chapter name title)
    check_plain("${title}")
    cmake_parse_arguments(CHAPTER "" "SHOWN_ON;SECONDS" "SOURCES" ${ARGN})
    check_gpu(${name} "${CHAPTER_SHOWN_ON}")
    add_library(${name} STATIC ${CHAPTER_SOURCES})
    target_include_directories(${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(${name} PUBLIC common)
    set(line "{\"chapter\": \"${name}\", \"title\": \"${title}\"")
    string(APPEND line ", \"shown_on\": \"${CHAPTER_SHOWN_ON}\"")
    if(CHAPTER_SECONDS)
        string(APPEND line ", \"seconds\": ${CHAPTER_SECONDS}")
    endif()
    string(APPEND line "}\n")
    file(APPEND ${MANIFEST}.new "${line}")
endfunction()

# Let the emulator find GPUs of `sms` SMs in these tests.
function(set_sms sms)
    set(few ${CMAKE_BINARY_DIR}/gpus_of_${sms}_sms)
    foreach(gpu default h100)
        set(full ${CMAKE_SOURCE_DIR}/emulator/gpus/${gpu}.txt)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${full})
        file(READ ${full} text)
        string(REGEX REPLACE "
multiprocessors [0-9]+" "
multiprocessors ${sms}" text "${text}")
        file(CONFIGURE OUTPUT ${few}/${gpu}.txt CONTENT "${text}" @ONLY)
    endforeach()
    set_property(TEST ${ARGN} APPEND PROPERTY ENVIRONMENT "EMU_GPUS=${few}")
endfunction()

# What a step's kernels must hold beyond their result.
function(add_checker_tests chapter name racy size twice gpu)
    set(program $<TARGET_FILE:${chapter}_${name}>)
    set(orders "")
    # Poison is a write: it would hide what a kernel leaves unwritten. A guard is memory of the output's
    # own: it would hide what is read behind the end.
    add_test(NAME ${chapter}.${name}.check
        COMMAND emu --gpu=${gpu} --check=all,leak --error-exitcode=9
            ${program} ${size} --no-poison --no-guard)
    if(racy)
        set_tests_properties(${chapter}.${name}.check PROPERTIES
            PASS_REGULAR_EXPRESSION "emu: checked, .* memory 0, race [1-9][0-9]*, sync 0, init 0, leak 0")
    else()
        set(orders reverse random)
        add_test(NAME ${chapter}.${name}.reverse
            COMMAND emu --gpu=${gpu} --schedule=reverse ${program} ${size} ${twice})
        add_test(NAME ${chapter}.${name}.random
            COMMAND emu --gpu=${gpu} --schedule=random:1 ${program} ${size})
    endif()
    foreach(test check ${orders})
        set_tests_properties(${chapter}.${name}.${test} PROPERTIES
            LABELS "emu;checkers;${chapter}" SKIP_RETURN_CODE 77 TIMEOUT ${STEP_TIMEOUT})
    endforeach()
endfunction()

function(add_step chapter name title)
    cmake_parse_arguments(STEP "NO_SIZES;RACY;CPU" "CHINESE;ARTICLE;MINIMUM;SMS;SHOWN_ON"
        "CHECKER_SIZE" ${ARGN})
    if(STEP_CHECKER_SIZE)
        set(CHECKER_SIZE ${STEP_CHECKER_SIZE})
    endif()
    check_plain("${title}")
    check_plain("${STEP_CHINESE}")
    check_plain("${STEP_ARTICLE}")
    check_gpu(${chapter}/${name} "${STEP_SHOWN_ON}")
    set(target ${chapter}_${name})
    add_executable(${target} ${name}.cu)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name})
    target_link_libraries(${target} PRIVATE ${chapter})
    set_property(GLOBAL APPEND PROPERTY STEP_TARGETS ${target})
    set_target_properties(${target} PROPERTIES STEP_ON_CPU "${STEP_CPU}")
    set(gpu default)
    set(alone "")
    if(NOT STEP_MINIMUM)
        set(STEP_MINIMUM 75)
    else()
        set(gpu h100)
        list(FILTER CMAKE_CUDA_ARCHITECTURES EXCLUDE REGEX virtual)
        if(STEP_MINIMUM MATCHES "^(.*)a$")
            set(alone ALONE_)
            list(FILTER CMAKE_CUDA_ARCHITECTURES INCLUDE REGEX "^${CMAKE_MATCH_1}")
            list(TRANSFORM CMAKE_CUDA_ARCHITECTURES REPLACE "^[0-9]+" "${STEP_MINIMUM}")
        endif()
        set_target_properties(${target} PROPERTIES
            CUDA_ARCHITECTURES "${STEP_MINIMUM}-virtual;${CMAKE_CUDA_ARCHITECTURES}")
        string(REPLACE a "" STEP_MINIMUM ${STEP_MINIMUM})
    endif()
    target_compile_definitions(${target} PRIVATE
        STEP_CHAPTER="${chapter}" STEP_NAME="${name}" STEP_TITLE="${title}"
        STEP_MINIMUM=${alone}${STEP_MINIMUM})

    set(has_sizes false)
    set(time "")
    set(twice "")
    if(NOT STEP_NO_SIZES)
        set(has_sizes true)
        set(sizes --all-sizes)
        # A step may leave behind what its next run stumbles over.
        set(twice --runs 2)
        # Results are in question here: they are the same without the best model of time, which takes
        # a quarter of all this, and which the step's other tests have.
        set(time --time=plain)
    endif()
    add_test(NAME ${chapter}.${name}
        COMMAND emu --gpu=${gpu} ${time} $<TARGET_FILE:${target}> ${sizes})
    set_tests_properties(${chapter}.${name} PROPERTIES LABELS "emu;${chapter}")
    add_test(NAME ${chapter}.${name}.gpu COMMAND ${target} ${sizes} ${twice})
    set_tests_properties(${chapter}.${name}.gpu PROPERTIES LABELS "gpu;${chapter}" RESOURCE_LOCK gpu)
    set_tests_properties(${chapter}.${name} ${chapter}.${name}.gpu PROPERTIES
        SKIP_RETURN_CODE 77 TIMEOUT ${STEP_TIMEOUT})

    set_target_properties(${target} PROPERTIES STEP_SIZE "${CHECKER_SIZE}"
        STEP_HAS_SIZES ${has_sizes})
    if(NOT DEFINED CHECKER_SIZE)
        set(CHECKER_SIZE --n 5000)
    endif()
    set(size ${CHECKER_SIZE})
    if(STEP_NO_SIZES)
        set(size "")
    endif()
    add_checker_tests(${chapter} ${name} "${STEP_RACY}" "${size}" "${twice}" ${gpu})
    if(STEP_SMS)
        set(tests ${chapter}.${name})
        set_sms(${STEP_SMS} ${tests} ${tests}.check ${tests}.reverse ${tests}.random)
    endif()

    set(line "{\"chapter\": \"${chapter}\", \"step\": \"${name}\", \"title\": \"${title}\"")
    if(STEP_CHINESE)
        string(APPEND line ", \"chinese\": \"${STEP_CHINESE}\"")
    endif()
    string(APPEND line ", \"article\": \"${STEP_ARTICLE}\", \"minimum\": ${STEP_MINIMUM}, \"sizes\": ${has_sizes}")
    list(TRANSFORM size REPLACE "(.+)" "\"\\1\"")
    list(JOIN size ", " check_size)
    string(TOLOWER "${STEP_RACY}" racy)
    string(APPEND line ", \"check_size\": [${check_size}], \"racy\": ${racy}")
    string(APPEND line ", \"shown_on\": \"${STEP_SHOWN_ON}\"")
    string(APPEND line ", \"program\": \"${chapter}/${name}\", \"source\": \"${chapter}/${name}.cu\"}\n")
    file(APPEND ${MANIFEST}.new "${line}")
endfunction()

# Called once, after the last chapter: the manifest appears whole or not at all.
function(finish_manifest)
    file(RENAME ${MANIFEST}.new ${MANIFEST})
endfunction()

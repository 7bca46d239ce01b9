# SPDX-License-Identifier: MIT
# What `cmake --install` puts in place: emu, its runtime for several CPUs, GPUs, the CMake package.
#
#   bin/emu
#   lib/emu/          libcudart for every x86-64 CPU; libcuda; cuBLAS and its like; gpus/
#   lib/emu/avx2/     the same libcudart for CPUs that have AVX2, and lib/emu/avx512/; emu picks one
#   lib/cmake/emu/    find_package(emu)
#
# The emulator in the build folder is for this machine's CPU alone, so the installed one is compiled
# anew, when it is installed: nobody who only builds pays for it.

set(SETS baseline)
set(SET_baseline "")
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    # launcher/installation.c asks the CPU for the same.
    set(SET_avx2 -mavx2 -mfma -mbmi -mbmi2)
    set(SET_avx512 ${SET_avx2} -mavx512f -mavx512bw -mavx512cd -mavx512dq -mavx512vl)
    list(APPEND SETS avx2 avx512)
endif()
set(SETS_DIFFER access arithmetic bind bits collective compare control convert copies copy cycle_cache
    cycle_memory cycle_notes cycle_sm dot float g80 memory mma move plain shape spin stretch warp_start wgmma)

function(portable target)
    target_compile_definitions(${target} PRIVATE EMU_GPUS="gpus")
    target_compile_options(${target} PRIVATE -O3)
    target_link_options(${target} PRIVATE LINKER:-s)
    target_include_directories(${target} PRIVATE
        ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR} ${CUDAToolkit_INCLUDE_DIRS}
        ${CMAKE_SOURCE_DIR}/base)
    set_target_properties(${target} PROPERTIES
        EXCLUDE_FROM_ALL ON SKIP_BUILD_RPATH ON C_VISIBILITY_PRESET hidden)
endfunction()

get_target_property(core_libraries emulator_core LINK_LIBRARIES)
list(TRANSFORM core_libraries REPLACE "^unzstd$" PkgConfig::zstd) # as the distribution updates it
set(cudart_libraries escape translate ${CMAKE_DL_LIBS})
# What has loops over 32 lanes that gain by wide registers, or counts bits all the time, is compiled for each
# set; one does for all the rest.
list(JOIN SETS_DIFFER "|" differ)
set(differ "/(execute|machine|time)/(${differ})\\.c$")
set(core_alike ${core})
list(FILTER core_alike EXCLUDE REGEX ${differ})
list(FILTER core INCLUDE REGEX ${differ})
add_library(portable_core OBJECT ${core_alike})
target_link_libraries(portable_core PUBLIC ${core_libraries})
add_library(portable_calls OBJECT ${cudart})
target_link_libraries(portable_calls PUBLIC ${core_libraries} ${cudart_libraries})
portable(portable_core)
portable(portable_calls)
foreach(set IN LISTS SETS)
    add_library(portable_core_${set} OBJECT ${core})
    target_link_libraries(portable_core_${set} PUBLIC ${core_libraries})
    target_compile_options(portable_core_${set} PRIVATE ${SET_${set}})
    portable(portable_core_${set})
    add_library(portable_${set} SHARED)
    target_link_libraries(portable_${set} PRIVATE portable_core portable_core_${set} portable_calls)
    target_link_options(portable_${set} PRIVATE
        -Wl,--version-script=${CMAKE_CURRENT_BINARY_DIR}/libcudart.map)
    portable(portable_${set})
    set_target_properties(portable_${set} PROPERTIES
        OUTPUT_NAME cudart SOVERSION ${runtime_version}
        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/portable/${set}
        LINK_DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/libcudart.map)
    list(APPEND portable_libraries portable_${set})
endforeach()

add_executable(portable_emu ${launcher})
target_link_libraries(portable_emu PRIVATE portable_core portable_core_baseline ${launcher_libraries})
target_compile_definitions(portable_emu PRIVATE ${launcher_definitions})
portable(portable_emu)
set_target_properties(portable_emu PROPERTIES
    OUTPUT_NAME emu RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/portable)

# Who only builds learns here whether both would link: from what was compiled for this machine, which
# takes a fraction of a second.
add_executable(portable_emu_links $<TARGET_OBJECTS:emu> $<TARGET_OBJECTS:emulator_core>)
target_link_libraries(portable_emu_links PRIVATE ${core_libraries} ${launcher_libraries})
add_library(portable_links MODULE $<TARGET_OBJECTS:emulated_cudart> $<TARGET_OBJECTS:emulator_core>)
target_link_libraries(portable_links PRIVATE ${core_libraries} ${cudart_libraries})
target_link_options(portable_links PRIVATE LINKER:-z,defs)
set_target_properties(portable_emu_links portable_links PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/links
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/links)

# A test of packages that has the libraries of better CPUs already says so.
add_custom_target(portable_any DEPENDS portable_emu emulated_cuda ${stand_ins} portable_baseline)
add_custom_target(portable DEPENDS ${portable_libraries})
add_dependencies(portable portable_any)
install(CODE "set(target \$ENV{INSTALL_TARGET})
if(NOT target)
    set(target portable)
endif()
execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${CMAKE_BINARY_DIR}\" --target \${target}
    RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR \"cannot build what is to be installed\")
endif()")
install(PROGRAMS $<TARGET_FILE:portable_emu> DESTINATION bin)
foreach(set IN LISTS SETS)
    set(folder lib/emu/${set})
    if(set STREQUAL "baseline")
        set(folder lib/emu)
    endif()
    install(FILES $<TARGET_SONAME_FILE:portable_${set}> DESTINATION ${folder})
endforeach()
install(FILES $<TARGET_SONAME_FILE:emulated_cuda> DESTINATION lib/emu)
foreach(stand_in IN LISTS stand_ins)
    install(FILES $<TARGET_SONAME_FILE:${stand_in}> DESTINATION lib/emu)
endforeach()
install(DIRECTORY gpus/ DESTINATION lib/emu/gpus FILES_MATCHING PATTERN "*.txt")
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/emuConfigVersion.cmake
    COMPATIBILITY SameMajorVersion)
install(FILES package/emuConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/emuConfigVersion.cmake
    DESTINATION lib/cmake/emu)

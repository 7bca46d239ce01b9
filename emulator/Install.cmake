# SPDX-License-Identifier: MIT
# What `cmake --install` puts in place: emu, its runtime for several CPUs, GPUs, the CMake package.
#
#   bin/emu
#   lib/emu/          libcudart for every x86-64 CPU; libcuda; cuBLAS and its like; gpus/
#   lib/emu/avx2/     the same libcudart for CPUs that have AVX2, and lib/emu/avx512/; emu picks one
#   lib/cmake/emu/    find_package(emu)
#
# Of these the build folder's own has only what this machine's CPU asks for: the rest is compiled when emu is
# installed, so nobody who only builds pays for it.

function(portable target)
    target_link_options(${target} PRIVATE LINKER:-s)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON SKIP_BUILD_RPATH ON LINKER_LANGUAGE C)
endfunction()

add_library(portable_settings OBJECT EXCLUDE_FROM_ALL ${settings})
target_compile_definitions(portable_settings PRIVATE EMU_GPUS="gpus")
target_link_libraries(portable_settings PRIVATE emulator_core)
set(portable_core $<TARGET_OBJECTS:emulator_alike> $<TARGET_OBJECTS:portable_settings>)
list(APPEND core_libraries PkgConfig::zstd) # as the distribution updates it
set(cudart_libraries translate ${CMAKE_DL_LIBS})
foreach(set IN LISTS SETS)
    add_library(portable_${set} SHARED
        $<TARGET_OBJECTS:emulator_calls> ${portable_core} $<TARGET_OBJECTS:emulator_${set}>)
    target_link_libraries(portable_${set} PRIVATE ${core_libraries} ${cudart_libraries})
    target_link_options(portable_${set} PRIVATE
        -Wl,--version-script=${CMAKE_CURRENT_BINARY_DIR}/libcudart.map)
    portable(portable_${set})
    set_target_properties(portable_${set} PROPERTIES
        OUTPUT_NAME cudart SOVERSION ${runtime_version}
        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/portable/${set}
        LINK_DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/libcudart.map)
    list(APPEND portable_libraries portable_${set})
endforeach()

add_executable(portable_emu $<TARGET_OBJECTS:emu> ${portable_core} $<TARGET_OBJECTS:emulator_baseline>)
target_link_libraries(portable_emu PRIVATE ${core_libraries} ${launcher_libraries})
portable(portable_emu)
set_target_properties(portable_emu PROPERTIES
    OUTPUT_NAME emu RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/portable)

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

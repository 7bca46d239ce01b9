# SPDX-License-Identifier: MIT
# cases(target library "header..." source...): one program of several, linked with `library`. Its first
# argument names the source whose main() runs. Most of what nvcc does for a small program is to read
# headers: here it reads them once. Each source is in a namespace of its own, so what they include, the
# headers, stands in front.

function(cases target library headers)
    set(text "#define STEP_NAME\n")
    set(rows "")
    foreach(header IN LISTS headers ITEMS cases.h)
        string(APPEND text "#include \"${header}\"\n")
    endforeach()
    string(APPEND text "#define main static case_main\n")
    foreach(source IN LISTS ARGN)
        get_filename_component(name ${source} NAME_WE)
        string(APPEND text "#undef STEP_NAME\n#define STEP_NAME \"${name}\"\n"
            "namespace case_${name}\n{\n#include \"${source}\"\n}\n")
        string(APPEND rows "    if (!strcmp(name, \"${name}\"))\n"
            "        return case_run(case_${name}::case_main, argc - 1, argv + 1);\n")
    endforeach()
    string(APPEND text "#undef main\n
int main(int argc, char **argv)\n{\n    const char *const name = argc > 1 ? argv[1] : \"\";\n\n${rows}    return 2;\n}\n")
    file(CONFIGURE OUTPUT ${target}.cu CONTENT "${text}" @ONLY)
    add_executable(${target} ${CMAKE_CURRENT_BINARY_DIR}/${target}.cu ${ARGN})
    set_source_files_properties(${ARGN} PROPERTIES HEADER_FILE_ONLY ON)
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
    target_link_libraries(${target} PRIVATE ${library})
endfunction()

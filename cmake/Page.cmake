# SPDX-License-Identifier: MIT
# embed_page(OUTPUT HTML CSS SCRIPT ...) makes of a page one file that asks for no other: HTML with the
# style in place of @STYLE@ and the scripts in place of @SCRIPTS@, as the bytes of an array in C.
function(embed_page output html css)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${html} ${css} ${ARGN})
    file(READ ${html} page HEX)
    file(READ ${css} style HEX)
    foreach(script IN LISTS ARGN)
        file(READ ${script} text HEX)
        string(APPEND scripts ${text})
    endforeach()
    string(HEX @STYLE@ style_marker)
    string(HEX @SCRIPTS@ scripts_marker)
    string(REPLACE ${style_marker} "${style}" page "${page}")
    string(REPLACE ${scripts_marker} "${scripts}" page "${page}")
    string(REGEX REPLACE "(..)" "0x\\1," page "${page}")
    file(CONFIGURE OUTPUT ${output} CONTENT "${page}\n" @ONLY)
endfunction()

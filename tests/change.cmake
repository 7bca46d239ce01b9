# SPDX-License-Identifier: MIT
# change.cmake: write OUTPUT, which is SOURCE with TO in the place of FROM.
file(READ ${SOURCE} text)
string(FIND "${text}" "${FROM}" found)
if(found EQUAL -1)
    message(FATAL_ERROR "${SOURCE} has no \"${FROM}\"")
endif()
string(REPLACE "${FROM}" "${TO}" text "${text}")
file(WRITE ${OUTPUT} "${text}")

# SPDX-License-Identifier: MIT
"""`python3 -m cuda_emu` prints the folder for CMAKE_PREFIX_PATH."""

from cuda_emu import PREFIX

print(PREFIX)

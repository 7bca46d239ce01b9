# SPDX-License-Identifier: MIT
"""emu, which runs CUDA programs without a GPU, as pip installs it."""

import os
import sys

PREFIX = os.path.dirname(os.path.abspath(__file__))
"""The folder with emu's bin/ and lib/: what CMAKE_PREFIX_PATH needs for find_package(emu)."""


def main():
    """Become emu, with the arguments of this process."""
    emu = os.path.join(PREFIX, "bin", "emu")
    try:
        os.execv(emu, ["emu"] + sys.argv[1:])
    except OSError as error:
        sys.exit(f"emu: {emu}: {error.strerror}")

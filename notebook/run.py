# SPDX-License-Identifier: MIT
"""Runs the notebooks from top to bottom, as a reader would, and keeps what their cells print.

usage: run.py FOLDER [FILE.ipynb ...]

Runs those named, or else all that lie beside this script, each in the folder where it lies, and writes
them with their outputs to FOLDER. Ends with 1 and the cell's own words where one raises an exception.
"""

import os
import sys

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

PATIENCE = 1200  # seconds for a cell: the first one that builds may take minutes


def run(path, folder):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    place = {"metadata": {"path": os.path.dirname(os.path.abspath(path))}}
    client = NotebookClient(notebook, timeout=PATIENCE, kernel_name="python3", resources=place)
    try:
        client.execute()
    finally:
        nbformat.write(notebook, os.path.join(folder, os.path.basename(path)))


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    beside = [os.path.join(here, name) for name in sorted(os.listdir(here)) if name.endswith(".ipynb")]
    os.makedirs(sys.argv[1], exist_ok=True)
    for path in sys.argv[2:] or beside:
        try:
            run(path, sys.argv[1])
        except CellExecutionError as error:
            sys.exit(f"{path}: {error}")
        print(os.path.join(sys.argv[1], os.path.basename(path)))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: run.py FOLDER [FILE.ipynb ...]")
    main()

"""Runs every cell of a notebook: replay.py NOTEBOOK OUT."""

import sys

import nbclient
import nbformat

notebook = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(notebook, timeout=1800, kernel_name="python3", record_timing=False).execute()
nbformat.write(notebook, sys.argv[2])

"""What these notebooks share: each function runs the program as you would in a terminal.

Only Python's standard library is needed, beside the notebook itself. Files are written into a
folder that is gone when the notebook is closed.
"""

import csv
import json
import pathlib
import shlex
import subprocess
import tempfile
from xml.etree import ElementTree

from IPython.display import display

_folder = tempfile.TemporaryDirectory(prefix="cascadesim-")
folder = pathlib.Path(_folder.name)


def cascadesim(command):
    """Runs a command and returns what it prints. Status 1 says that something was found."""
    try:
        done = subprocess.run(["cascadesim", *shlex.split(command)], cwd=folder,
                              capture_output=True, text=True)
    except FileNotFoundError:
        raise RuntimeError("cascadesim is not on the PATH: go install ./cmd/cascadesim") from None
    if done.returncode > 1:
        raise RuntimeError(f"cascadesim {command}\n{done.stderr}")
    return done.stdout


def mistakes(command):
    """Runs a command that must be refused, and returns why."""
    done = subprocess.run(["cascadesim", *shlex.split(command)], cwd=folder,
                          capture_output=True, text=True)
    if done.returncode == 0:
        raise RuntimeError(f"cascadesim {command} was not refused")
    return done.stderr


def run(command):
    """Simulates a scenario and returns its summary."""
    return json.loads(cascadesim(f"run {command} --json"))


def windows(name):
    """The rows of windows.csv of a folder that run -o wrote, with numbers as numbers."""
    with open(folder / name / "windows.csv", newline="") as file:
        return [{k: _number(v) for k, v in row.items()} for row in csv.DictReader(file)]


def _number(text):
    try:
        return float(text)
    except ValueError:
        return text or None


def write(name, text):
    """Writes a file for the program to read."""
    (folder / name).write_text(text)


def figure(command):
    """Draws a figure and shows it. Where pictures are not shown, its description is."""
    cascadesim(f"chart {command} -o figure.svg")
    svg = (folder / "figure.svg").read_text()
    words = ElementTree.fromstring(svg).findtext("{http://www.w3.org/2000/svg}desc")
    display({"image/svg+xml": svg, "text/plain": words}, raw=True)


def table(head, rows):
    """Shows rows as a table."""
    def line(cells):
        return "| " + " | ".join(str(c).replace("|", "\\|") for c in cells) + " |"
    lines = [line(head), line("---" for _ in head), *map(line, rows)]
    display({"text/markdown": "\n".join(lines), "text/plain": "\n".join(lines)}, raw=True)

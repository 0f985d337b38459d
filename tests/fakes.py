"""Programs made up by tests, to stand in the place of ffmpeg: text of Python, which runs on every system."""

import io
import sys
import zipfile
from importlib.resources import files

import pytest

from tests.systems import WINDOWS

BEFORE = """\
import os, subprocess, sys, time

def read(size=-1):
    return sys.stdin.buffer.read(size)

def complain(said, code):
    os.write(2, said)
    sys.exit(code)

"""
"""What each may use."""


def program(folder, text):
    """A program in a folder that does what the text says; its path."""
    return _executable(folder / "ffmpeg.exe", text) if WINDOWS else _script(folder / "ffmpeg", text)


def _script(path, text):
    path.write_text(f"#!{sys.executable} -SE\n{BEFORE}{text}\n")
    path.chmod(0o755)
    return path


def _executable(path, text):
    """As pip makes commands on Windows: what starts Python, the way to Python, and an archive with the text."""
    pytest.importorskip("distlib", reason="what starts Python comes with distlib")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.writestr("__main__.py", BEFORE + text)
    starter = (files("distlib") / "t64.exe").read_bytes()
    path.write_bytes(starter + f"#!{sys.executable} -SE\r\n".encode() + archive.getvalue())
    return path

"""Python in a browser: one thread, no other program, no ffmpeg, and modules of the system that are not there.

`just prove pyodide` tries the same in a real one. Here the process pretends: what such a Python lacks is taken away
before anything is imported.
"""

import json
import subprocess
import sys

import pytest

import boidsgen

LINES = """
import sys, sysconfig
sysconfig.get_config_vars()  # which reads a file that is named after the platform
sys.platform = "emscripten"
for name in ("fcntl", "imageio_ffmpeg", "resource", "termios", "_multiprocessing", "_posixsubprocess"):
    sys.modules[name] = None
import threading
def refuse(*_, **__):
    raise RuntimeError("can't start new thread")
threading.Thread.start = refuse
import json, warnings
warnings.filterwarnings("ignore", "only soft file lock")  # of filelock, which says so wherever there is no fcntl

import boidsgen
report = boidsgen.render("quickstart", "flock.gif", "flock.webp", frames=3)
boidsgen.render("quickstart", "flock.html", frames=3)
boidsgen.still("quickstart", "flock.png", frames=3)
boidsgen.record("quickstart", "flock.npz", frames=3)
table = boidsgen.sweep("quickstart", {"flock.count": [20, 30]}, directory="study", frames=3)
messages = []
for films in (["a.mp4"], ["a.gif", "b.webm"]):
    try:
        boidsgen.render("quickstart", *films, frames=3)
    except boidsgen.EncoderError as error:
        messages.append(str(error))
print(json.dumps([[report.digest, report.engine, *report.notices, len(table)], messages]))
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder in which these lines ran in such a process, and what they printed."""
    folder = tmp_path_factory.mktemp("browser")
    command = [sys.executable, "-X", "utf8", "-c", LINES]
    ran = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    return folder, *json.loads(ran.stdout)


def test_makes_everything_but_films(made, tmp_path):
    """Clips, pictures, pages, recordings and sweeps are made there, with the frames that they have anywhere."""
    folder, report, _ = made
    digest = boidsgen.render("quickstart", tmp_path / "here.gif", frames=3).digest

    assert report == [
        digest,
        "numpy",
        "the kernel cannot be used (a browser loads no libraries); numpy gives the same results, more slowly",
        2,
    ]
    assert (folder / "flock.gif").read_bytes() == (tmp_path / "here.gif").read_bytes()
    names = {path.name for path in folder.iterdir()}
    assert names == {"flock.gif", "flock.webp", "flock.html", "flock.png", "flock.npz", "study"}


def test_films_are_refused_in_one_line(made):
    """What needs ffmpeg names the formats that need none."""
    *_, messages = made

    assert messages == [
        f"{name}: there is no ffmpeg; a browser runs no other program; use Python outside it, "
        "or choose gif, webp, avif or png, which need no encoder"
        for name in ("a.mp4", "b.webm")
    ]

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.systems import posix, posix_module

pty = posix_module("pty")

ROOT = Path(__file__).parents[2]


SMALL = "[world]\nsize = [64, 48]\n[time]\nframes = 3\n[flock]\ncount = 5\n"


WEB = {"webbrowser", "http", "ssl", "html", "xml", "urllib.request"}
HEAVY = {"numpy", "PIL", "imageio", "numba", "rich", "tomllib", "boidsgen.tables", "boidsgen.pipeline", *WEB}
CHECK = {
    *("numpy.random", "PIL.ImageOps", "numba", "rich", "imageio", "boidsgen.pipeline", *WEB),
    *(f"boidsgen.simulation.{name}" for name in ("run", "compiled")),
    *(f"boidsgen.drawing.{name}" for name in ("renderer", "lit", "flat", "vector")),
    *(f"boidsgen.output.{name}" for name in ("outputs", "figures", "svg", "pdf", "npz", "series", "recording")),
}
RENDER = {"numba", "rich", "boidsgen.drawing.vector", "boidsgen.output.recording", *WEB}
IMPORTED = "import json, sys; {}; sys.stderr.write(json.dumps([*sys.modules]))"


@pytest.fixture
def start(tmp_path):
    """Starts the program in an empty directory with one small scenario."""
    (tmp_path / "small.toml").write_text(SMALL)
    running = []

    def started(*arguments, **options):
        settings = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": str(ROOT)}, **options}
        running.append(subprocess.Popen([sys.executable, "-m", "boidsgen", *arguments], **settings))
        return running[-1]

    yield started
    for process in running:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream:
                stream.close()


@pytest.mark.parametrize(
    ("arguments", "needless"),
    [
        (["--help"], {"pydantic", *HEAVY}),
        (["--version"], HEAVY),
        (["render", "--help"], HEAVY),
        (["check", "small.toml"], CHECK),
        (["render", "small.toml", "--frames", "2"], RENDER),
        (None, HEAVY | {"pydantic", "typer"}),
    ],
    ids=lambda given: " " if isinstance(given, set) else str(given),  # sets have no order to go by
)
def test_a_command_imports_only_what_it_uses(arguments, needless, tmp_path):
    """A start is mostly imports; counted in modules, which is the same on every machine, however busy."""
    (tmp_path / "small.toml").write_text(SMALL)
    code = f"from boidsgen.cli.main import run; run({arguments})" if arguments else "import boidsgen"
    command = [sys.executable, "-c", IMPORTED.format(code)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    told = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True).stderr

    assert set(json.loads(told.splitlines()[-1])) & needless == set()


def test_streams_to_standard_output(start, tmp_path):
    """`-o -` gives the bytes of the file and no path."""
    out, _ = start(
        "render", "small.toml", "-o", "-", "-o", "a.gif", "--format", "gif", stdout=subprocess.PIPE
    ).communicate()

    assert (tmp_path / "a.gif").read_bytes() + f"a.gif{os.linesep}".encode() == out


@posix
@pytest.mark.parametrize(("quiet", "shown"), [((), True), (("--quiet",), False)])
def test_progress_on_a_terminal(start, quiet, shown):
    """A terminal shows frames, and nothing when quiet was asked for; afterwards the line is empty."""
    ours, theirs = pty.openpty()
    process = start("render", "small.toml", *quiet, stderr=theirs, stdout=subprocess.PIPE)
    os.close(theirs)
    seen = _everything(ours)
    process.wait()

    assert process.stdout.read() == b"outputs/small.gif\n"
    assert (b"small" in seen and b" frames" in seen and seen.endswith(b"\x1b[2K")) is shown
    assert shown or seen == b""


@posix
def test_binary_to_a_terminal(start):
    """Pictures are not poured over a terminal."""
    ours, theirs = pty.openpty()
    process = start("render", "small.toml", "-o", "-", "--format", "gif", stdout=theirs, stderr=subprocess.PIPE)
    os.close(theirs)
    _, err = process.communicate()

    assert (process.returncode, _everything(ours)) == (2, b"")
    assert b"terminal" in err


def _everything(descriptor):
    seen = b""
    try:
        while chunk := os.read(descriptor, 4096):
            seen += chunk
    except OSError:  # a terminal whose other end is closed
        pass
    finally:
        os.close(descriptor)
    return seen

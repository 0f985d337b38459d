import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.systems import posix, posix_module

pty = posix_module("pty")
resource = posix_module("resource")

ROOT = Path(__file__).parents[2]


SMALL = "[world]\nsize = [64, 48]\n[time]\nframes = 3\n[flock]\ncount = 5\n"


HEAVY = ("numpy", "PIL", "imageio", "imageio_ffmpeg", "numba", "rich", "boidsgen.scenario", "boidsgen.simulation")


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


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["render", "--help"]], ids=" ".join)
def test_help_imports_nothing_heavy(arguments):
    """Help is there at once: no numpy, no pictures, no tables."""
    told = "print(sorted(sys.modules), file=sys.stderr)"
    code = f"import sys; from boidsgen.cli.program import run; run({arguments}); {told}"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = json.loads(ran.stderr.replace("'", '"'))

    assert not [name for name in HEAVY if name in loaded]


def test_import_loads_nothing_heavy():
    """`import boidsgen` alone costs nothing."""
    code = "import sys, boidsgen; print(sorted(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)

    assert not [name for name in (*HEAVY, "pydantic", "typer") if f"'{name}'" in ran.stdout]


def test_streams_to_standard_output(start, tmp_path):
    """`-o -` gives the bytes of the file and no path."""
    out, _ = start(
        "render", "small.toml", "-o", "-", "-o", "a.gif", "--format", "gif", stdout=subprocess.PIPE
    ).communicate()

    assert (tmp_path / "a.gif").read_bytes() + f"a.gif{os.linesep}".encode() == out


@posix
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_signal_leaves_nothing_behind(start, tmp_path, name):
    """A signal in the middle of a render stops it with its code, one line, and no part of a file."""
    number = signal.Signals[name]
    before = sorted(tmp_path.iterdir())
    arguments = ("render", "small.toml", "--frames", "900000", "-o", "-", "-o", "a.gif", "--format", "gif")
    process = start(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=False)
    assert process.stdout.read(6) == b"GIF89a"
    process.send_signal(number)
    _, err = process.communicate()

    assert (process.returncode, err) == (128 + number, f"boidsgen: stopped by {number.name}\n".encode())
    assert sorted(tmp_path.iterdir()) == before


def test_reader_that_goes_away(start, tmp_path):
    """With standard output closed by its reader the files are still written, and nobody complains."""
    reader, writer = os.pipe()
    os.close(reader)
    process = start("render", "small.toml", stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    _, err = process.communicate()

    assert (process.returncode, err) == (0, b"")
    assert (tmp_path / "outputs" / "small.gif").exists()


@posix
def test_standard_output_on_a_full_disk(start):
    """A path that cannot be told is a failure."""
    with Path("/dev/full").open("wb") as full:
        process = start("render", "small.toml", stdout=full, stderr=subprocess.PIPE)
        _, err = process.communicate()

    assert (process.returncode, err) == (5, b"boidsgen: standard output: No space left on device\n")


@posix
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams(tmp_path, closed):
    """Streams that the caller closed are not missed."""
    (tmp_path / "small.toml").write_text(SMALL)
    command = f'exec "{sys.executable}" -m boidsgen render small.toml -o a.gif {closed}'
    ran = subprocess.run(
        ["/bin/sh", "-c", command], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False
    )

    assert ran.returncode == 0
    assert (tmp_path / "a.gif").exists()


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
    assert (b"small [" in seen and b"/3 frames" in seen and seen.endswith(b" \r")) is shown
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


@posix
def test_too_little_memory(start, tmp_path):
    """Where memory runs out, one line says so."""
    limit = 2_000_000_000
    process = start(
        *("render", "small.toml", "--set", "flock.count=60000000", "--set", "limits.boids=100000000", "-o", "a.gif"),
        *("--set", "limits.neighbor_visits=100000000000000000"),
        stderr=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    _, err = process.communicate()

    assert (process.returncode, err) == (8, b"boidsgen: not enough memory for this scenario\n")
    assert not (tmp_path / "a.gif").exists()


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

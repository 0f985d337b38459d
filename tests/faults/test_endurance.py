"""Long renders, stopped machines, and readers that go away."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress

import pytest
from PIL import Image

from boidsgen.output.formats import WRITERS
from tests.faults.processes import children, finish, psutil, start, until
from tests.faults.setting import FULL, PRODUCTS, ROOT, amount, content, leftovers
from tests.systems import WINDOWS, posix, posix_module

resource = posix_module("resource")

pytestmark = pytest.mark.faults

TINY = ("--size", "32x32", "--set", "flock.count=2", "--set", "world.size=[32, 32]")
ALONE = 'import sys; sys.modules["numba"] = None'
"""What makes a program without numba: it takes a hundred megabytes of its own, and only long films are left to it."""
PEAK = f"""
{ALONE}
import resource
from boidsgen.cli.main import run
code = run(sys.argv[1:])
print(code, *(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
"""
OWN_PEAK = f"""
{ALONE}
import psutil
from boidsgen.cli.main import run
code = run(sys.argv[1:])
print(code, psutil.Process().memory_info().peak_wset >> 10, 0)
"""
"""Windows does not tell of children that have ended."""
FEW_FILES = """
import resource, sys
from boidsgen.cli.main import run
run(["render", "small.toml", "-o", "flock.mp4"])
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
sys.exit(run(["render", "small.toml", "-o", "flock.mp4", "--frames", "2"]))
"""
SLACK = {"gif": 5_000, "mp4": 15_000}
"""Kilobytes by which a film of ten times the length may differ."""
SHORT = 200


def psutil_alone():
    """Whether only psutil tells how much memory there was."""
    return WINDOWS and psutil() is not None


def peak(directory, ending, frames):
    """The most memory in kilobytes that the program and its child had."""
    arguments = [
        "render",
        "small.toml",
        "-o",
        f"flock.{ending}",
        "--quiet",
        "--frames",
        str(frames),
        *TINY,
    ]
    ran = subprocess.run(
        [sys.executable, "-c", OWN_PEAK if psutil_alone() else PEAK, *arguments],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    code, own, others = map(int, ran.stdout.splitlines()[-1].split())
    assert code == 0
    return own, others


@pytest.mark.parametrize("ending", SLACK)
def test_memory_does_not_grow_with_length(ending, here):
    """T24: ten times the frames take the memory of the shorter film."""
    short, long = (peak(here, ending, frames) for frames in (SHORT, 10 * SHORT))

    assert long[0] - short[0] <= SLACK[ending]
    assert long[1] - short[1] <= SLACK[ending]


@pytest.mark.skipif(not FULL, reason="takes minutes; BOIDSGEN_FAULTS=full runs it")
@pytest.mark.parametrize("ending", SLACK)
def test_twenty_thousand_frames(ending, here):
    """T21, T24: a soak: all frames are there, and memory is that of a short film."""
    short, long = peak(here, ending, SHORT), peak(here, ending, 20_000)

    assert WRITERS[ending].count(here / f"flock.{ending}") == 20_000
    assert max(long[0] - short[0], long[1] - short[1]) <= SLACK[ending]


@pytest.mark.parametrize("frames", [amount(2000, 20_000)])
def test_a_long_standstill(frames, boidsgen, here):
    """T21: boids at rest for long make as many frames as wanted, each with its own time."""
    rest = 'flock={count = 2, max_speed = 1e-9, start = {layout = "center", speed = [0.0, 0.0]}}'
    still = ("--set", rest, "--set", "style.trails=0")
    assert boidsgen("render", "small.toml", "-o", "flock.gif", "--frames", frames, *TINY, *still).code == 0
    with Image.open(here / "flock.gif") as picture:
        assert picture.n_frames == frames
        picture.seek(frames - 1)
        assert picture.info["duration"] == 40


@pytest.mark.parametrize("ending", ["gif", "mp4"])
def test_stopped_and_continued(ending, here):
    """T33: a program that sleeps, as on a laptop that is closed, goes on where it was; nobody takes ffmpeg for hung."""
    wanted = PRODUCTS[ending]
    undisturbed = start(*wanted.arguments, "--frames", 40, cwd=here)
    assert finish(undisturbed)[0] == 0
    new = content(here)
    process = start(*wanted.arguments, "--frames", 40, cwd=here)
    until(lambda: leftovers(here), process)
    for _ in range(3):
        offspring = children(process.pid)
        for pid in (process.pid, *offspring):
            halted(pid)
        for pid in (*offspring, process.pid):
            continued(pid)

    assert finish(process)[::2] == (0, "")
    assert content(here) == new


def halted(pid):
    """Let a process sleep, unless it has ended."""
    if WINDOWS:
        told(pid, "suspend")
    else:
        signalled(pid, signal.SIGSTOP)


def continued(pid):
    """Let a process go on."""
    if WINDOWS:
        told(pid, "resume")
    else:
        signalled(pid, signal.SIGCONT)


def told(pid, what):
    """Let psutil do something to a process that may have ended."""
    with suppress(psutil().NoSuchProcess, OSError):
        getattr(psutil().Process(pid), what)()


def signalled(pid, number):
    """Send a signal to a process that may have ended."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)


DEAF = ("<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-", "| head -c 0", "2>/dev/full", "| true")
"""Ways of not listening, as a shell has them."""
COMMANDS = ("render small.toml -o flock.mp4", "still small.toml -o flock.png", "check small.toml")
UNHEARD = [(command, closed) for command in COMMANDS for closed in DEAF if FULL or command == COMMANDS[0]]


@posix
@pytest.mark.parametrize(("command", "closed"), UNHEARD)
def test_nobody_listens(command, closed, here):
    """T32: streams that are closed, full or not read do not disturb a render, and there is no traceback."""
    script = f'set -o pipefail; "{sys.executable}" -m boidsgen {command} {closed}'
    ran = subprocess.run(
        ["/bin/bash", "-c", script],
        cwd=here,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ran.returncode, ran.stderr) == (0, "")
    assert "check" in command or (here / command.split()[-1]).exists()
    assert leftovers(here) == []


@pytest.mark.parametrize("command", ["presets", "schema", "doctor", "--help", "render --help"])
def test_only_the_first_line_is_read(command, here):
    """T32: `| head -1` gets its line, and nobody complains."""
    process = start(*command.split(), cwd=here, bufsize=0)
    assert process.stdout.readline().endswith(b"\n")
    process.stdout.close()
    process.stdout = None

    assert finish(process)[::2] == (0, "")


@pytest.mark.parametrize("command", COMMANDS)
def test_nobody_reads(command, here):
    """T32: a pipe without a reader from the beginning does not disturb a command, and there is no traceback."""
    reader, writer = os.pipe()
    os.close(reader)
    process = start(*command.split(), cwd=here, stdout=writer)
    os.close(writer)

    assert finish(process)[::2] == (0, "")
    assert "check" in command or (here / command.split()[-1]).exists()
    assert leftovers(here) == []


@pytest.mark.parametrize("ending", ["gif", "mp4"])
def test_a_reader_that_leaves(ending, here):
    """T32, T15: a pipe whose reader leaves in the middle ends the render with one line, not with a traceback."""
    reader, writer = os.pipe()
    process = start("render", "small.toml", "-o", "-", "--format", ending, "--frames", 300, cwd=here, stdout=writer)
    os.close(writer)
    if ending == "gif":  # an mp4 comes in one piece at the end
        os.read(reader, 10)
    os.close(reader)
    code, _, err = finish(process)

    assert (code, err) == (5, "boidsgen: standard output: Broken pipe\n")


@posix
@pytest.mark.parametrize("ending", ["gif", "mp4", "png", "still"])
@pytest.mark.parametrize("share", [0.01, 0.5, 0.99] if FULL else [0.5])
def test_a_full_disk(ending, share, here, boidsgen):
    """T03: at whatever byte the disk is full, there is code 5, the system's reason, and the old file."""
    wanted = PRODUCTS[ending]
    assert boidsgen(*wanted.arguments).code == 0
    largest = max(len(data) for name, data in content(here).items() if name != "small.toml")
    wanted.put_old(here)
    before = content(here)
    limit = max(1, int(share * largest))
    process = start(
        *wanted.arguments, cwd=here, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    )
    code, out, err = finish(process)

    assert (code, out, err.count("\n")) == (5, "", 1)
    assert "File too large" in err
    assert content(here) == before


def test_no_more_threads(boidsgen, here, monkeypatch):
    """T40: where the system allows no further thread, MP4 fails with a line and GIF needs none."""

    def refused(_):
        raise RuntimeError("can't start new thread")

    PRODUCTS["mp4"].put_old(here)
    monkeypatch.setattr(threading.Thread, "start", refused)
    ran = boidsgen(*PRODUCTS["mp4"].arguments)

    assert (ran.code, ran.err) == (6, "boidsgen: flock.mp4: cannot feed ffmpeg: can't start new thread\n")
    assert (here / "flock.mp4").read_bytes() == b"old"
    assert boidsgen(*PRODUCTS["gif"].arguments).code == 0


@posix
def test_too_many_open_files(here):
    """T40: where no further file can be opened, there is a line and a documented code, or a complete film."""
    for limit in amount((6, 10), tuple(range(3, 24))):
        ran = subprocess.run(
            [sys.executable, "-c", FEW_FILES, str(limit)],
            cwd=here,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )

        assert ran.returncode in {0, 5, 6}, ran.stderr
        assert ran.stderr.count("\n") == (ran.returncode != 0), ran.stderr
        assert WRITERS["mp4"].count(here / "flock.mp4") == (3 if ran.returncode else 2)
        assert leftovers(here) == []

"""Differences between systems: children, signals, devices, names and wildcards, on whatever system the tests run."""

import os
import signal
import stat
import subprocess
import sys
import textwrap
from contextlib import suppress

import pytest

from boidsgen import system
from boidsgen.cli.main import run
from tests.promises.setting import finish, start, start_python, until
from tests.systems import WINDOWS


def test_deferred_signals_arrive_afterwards():
    """A signal within the block is handled when the block has ended, even if it raises; in threads nothing changes."""
    received = []
    before = signal.signal(signal.SIGTERM, lambda number, _: received.append(number))
    try:
        with suppress(ValueError), system.defer_signals():
            signal.raise_signal(signal.SIGTERM)
            assert received == []
            raise ValueError
    finally:
        signal.signal(signal.SIGTERM, before)

    assert received == [signal.SIGTERM]
    with system.defer_signals():
        pass


def test_a_child_does_not_outlive_us():
    """When a parent is killed its child ends, since the pipe that it reads from does."""
    parent = """
        import subprocess, sys
        from boidsgen import system
        code = "import sys; print('alive', flush=True); sys.stdin.read(); print('over', flush=True)"
        child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, **system.child_options())
        sys.stdin.read()
    """
    command = [sys.executable, "-c", textwrap.dedent(parent)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline().split() == [b"alive"]
        process.kill()
        rest = process.stdout.read()  # ends when nobody holds the pipe any more

    assert rest.split() in ([], [b"over"])


def test_only_windows_protects_read_only_files(tmp_path):
    """Windows replaces nothing that is read-only; elsewhere the folder decides."""
    path = tmp_path / "a.gif"
    path.touch()
    assert not system.is_protected(path)
    path.chmod(stat.S_IREAD)
    assert system.is_protected(path) == (WINDOWS and not os.access(path, os.W_OK))
    assert not system.is_protected(tmp_path / "b.gif")
    path.chmod(stat.S_IREAD | stat.S_IWRITE)


SMALL = ["--size", "64x64", "--set", "time.frames=6", "--set", "flock.count=8", "--set", "time.warmup=0"]
LONG = ["--size", "64x64", "--set", "time.frames=100000", "--set", "limits.frames=1000000", "--engine", "numpy"]
GROUP = {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
INTERRUPTED = """
import _thread, os, sys, threading, time
from boidsgen.cli.main import run
def interrupt():
    while not os.path.exists(sys.argv[1]):
        time.sleep(0.05)
    _thread.interrupt_main()
threading.Thread(target=interrupt, daemon=True).start()
sys.exit(run(sys.argv[2:]))
"""
"""A run of the program that is interrupted as soon as there is a file. A thread that waits for standard input instead
would keep Windows from loading any library meanwhile."""


def boidsgen(*arguments, cwd):
    """A finished run of the program: exit code, output and errors."""
    return finish(start(*arguments, cwd=cwd))


def has_console():
    """Ctrl-Break reaches only who has a console."""
    import ctypes

    return bool(ctypes.WinDLL("kernel32").GetConsoleCP())


@pytest.mark.skipif(not (WINDOWS and has_console()), reason="tests/promises test signals elsewhere")
def test_ctrl_break_ends_a_render_and_tidies_up(tmp_path):
    """One line, the signal's exit code, and nothing left."""
    process = start("render", "quickstart", *LONG, "-o", "a.gif", "-o", "a.mp4", cwd=tmp_path, **GROUP)
    assert until(lambda: len([path for path in tmp_path.iterdir() if path.stat().st_size]) >= 2, process)
    process.send_signal(signal.CTRL_BREAK_EVENT)
    code, _, complaint = finish(process)

    assert complaint.splitlines()[-1].endswith("stopped by SIGBREAK")
    assert code == 128 + 21
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_ends_runs_in_processes_of_their_own(tmp_path):
    """It does not wait until one of them is done, although nothing else wakes who waits for them."""
    sweep = ["sweep", "quickstart", "--vary", "seed=1,2", "--jobs", "2", *LONG, "-o", "outputs/"]
    process = start_python("-c", INTERRUPTED, "happens", *sweep, cwd=tmp_path)
    assert until(lambda: len([*tmp_path.glob("outputs/.boidsgen-*")]) >= 2, process)
    (tmp_path / "happens").touch()
    code, _, complaint = finish(process)

    assert complaint.splitlines()[-1] == "boidsgen: stopped by SIGINT"
    assert code == 130
    assert list(tmp_path.glob("outputs/.boidsgen-*")) == []


HOLDING = "import sys; file = open(sys.argv[1], 'rb'); print('open', flush=True); sys.stdin.read()"


@pytest.mark.parametrize("name", ["a.gif", "frames"])
def test_an_output_that_another_program_has_open(name, tmp_path):
    """It is replaced if the system allows it; else the earlier one stays and one line says where the new one is."""
    command = ["render", "quickstart", *SMALL, "-o", name, *(["--format", "png"] if name == "frames" else [])]
    assert boidsgen(*command, cwd=tmp_path)[0] == 0
    held = tmp_path / name if name == "a.gif" else tmp_path / name / "frame_0002.png"
    old = held.read_bytes()
    opened = [sys.executable, "-c", HOLDING, str(held)]
    with subprocess.Popen(opened, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline().strip() == b"open"
        code, _, complaint = boidsgen(*command, "--set", "flock.count=9", cwd=tmp_path)
        holder.stdin.close()
    replaced = held.read_bytes() != old

    assert code in ({0, 5} if WINDOWS else {0})
    assert complaint.count("\n") == (code == 5)
    assert replaced or code == 5
    assert name != "a.gif" or replaced or (tmp_path / "a.new.gif").read_bytes()[:3] == b"GIF"


def test_devices_of_windows_are_no_inputs(tmp_path, monkeypatch, capfd):
    """To read a serial port may never end; elsewhere these are names of files like any other."""
    monkeypatch.chdir(tmp_path)
    for name in ("aux", "con", "x/nul.toml"):
        for command in (["check", name], ["replay", name, "-o", "a.gif"], ["still", name, "-o", "a.png"]):
            code, said = run(command), capfd.readouterr().err
            assert (code, said.count("\n"), "device" in said) == (5, 1, WINDOWS)
        (tmp_path / "points.toml").write_text(f'[flock]\nstart = {{ csv = "{name}" }}\n')
        code, said = run(["check", "points.toml"]), capfd.readouterr().err
        assert (code, said.count("\n"), "flock.start.csv: " in said) == (3, 1, True)


@pytest.mark.skipif(not WINDOWS, reason="other systems take any name")
@pytest.mark.parametrize(
    "name", ["con.gif", "aux", "a:b.mp4", "x.gif.", "x.gif ", "what?.gif", "C:\\x\\nul.mp4", "COM¹.gif"]
)
def test_names_that_windows_keeps_are_refused_before_any_work(name, tmp_path):
    """One line with the reason."""
    code, _, complaint = boidsgen("render", "quickstart", "-o", name, cwd=tmp_path)

    assert "Windows" in complaint
    assert code == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not WINDOWS, reason="shells of other systems find the files, and there a backslash is a letter")
def test_wildcards_and_backslashes_mean_on_windows_what_they_always_mean(tmp_path):
    """Every file that is meant, in order, or the reason why there is none; a backslash ends the name of a folder."""
    for name in ("b.toml", "a.toml"):
        (tmp_path / name).write_text("")
    _, found, _ = boidsgen("check", "*.toml", cwd=tmp_path)
    _, _, missed = boidsgen("check", "c*.toml", cwd=tmp_path)

    assert [line.split(":")[0] for line in found.splitlines() if "valid" in line] == ["a.toml", "b.toml"]
    assert missed.startswith("boidsgen: c*.toml: a name on Windows")
    assert boidsgen("render", "quickstart", *SMALL, "-o", "clips\\", cwd=tmp_path)[0] == 0
    assert (tmp_path / "clips" / "quickstart.gif").is_file()

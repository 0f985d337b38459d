"""The program as its users meet it, on whatever system the tests run."""

import signal
import subprocess
import sys
import time

import pytest

from boidsgen.cli.main import run

SMALL = ["--set", "time.frames=6", "--set", "flock.count=8", "--set", "time.warmup=0"]
LONG = ["--set", "time.frames=100000", "--set", "limits.frames=1000000"]
WINDOWS = sys.platform == "win32"
GROUP = {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}


def boidsgen(*arguments, **options):
    """A finished run of the program."""
    command = [sys.executable, "-m", "boidsgen", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, timeout=120, **options)


PROGRAM = ["-m", "boidsgen"]
LISTENING = """
import os, sys, threading, time
from boidsgen.cli.main import run
def listen():
    while not os.path.exists(sys.argv[1]):
        time.sleep(0.05)
    {}
threading.Thread(target=listen, daemon=True).start()
sys.exit(run(sys.argv[2:]))
"""
"""A run of the program to which something happens as soon as there is a file. A thread that waits for standard input
instead would keep Windows from loading any library meanwhile."""
INTERRUPTED = LISTENING.format("import _thread; _thread.interrupt_main()")


def started(folder, program=PROGRAM, **options):
    """A long render to a GIF and an MP4 that has begun both."""
    outputs = ["-o", folder / "a.gif", "-o", folder / "a.mp4"]
    process = subprocess.Popen(
        [sys.executable, *program, "render", "quickstart", "--size", "64x64", *LONG, *map(str, outputs)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        **{"stdin": subprocess.DEVNULL, **GROUP, **options},
    )
    for _ in range(600):
        if _begun(folder) or process.poll() is not None:
            break
        time.sleep(0.1)
    if not _begun(folder):
        process.kill()
    assert process.poll() is None, process.stderr.read()
    return process


def _begun(folder):
    return len([path for path in folder.iterdir() if path.stat().st_size]) >= 2


def ended(process):
    """What it said, when it has ended; it is not left behind if it does not."""
    try:
        return process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise


@pytest.fixture
def console():
    """Ctrl-C reaches only who has a console."""
    if sys.platform == "win32":
        import ctypes

        if not ctypes.WinDLL("kernel32").GetConsoleCP():
            pytest.skip("the tests run without a console")


@pytest.mark.usefixtures("console")
def test_ctrl_c_ends_a_render_and_tidies_up(tmp_path):
    """Ctrl-C, on Windows Ctrl-Break: one line, the signal's exit code, and nothing left."""
    process = started(tmp_path)
    process.send_signal(signal.CTRL_BREAK_EVENT if WINDOWS else signal.SIGINT)
    _, complaint = ended(process)
    number, name = (21, b"SIGBREAK") if WINDOWS else (2, b"SIGINT")

    assert complaint.splitlines()[-1].endswith(b"stopped by " + name)
    assert process.returncode == 128 + number
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    [
        ("sweep", "quickstart", "--vary", "seed=1,2", "--jobs", "2", "-o"),
        ("render", "quickstart", "000-attract", "--jobs", "2", "-o"),
    ],
    ids=["sweep", "render"],
)
def test_an_interruption_ends_runs_in_processes_of_their_own(command, tmp_path):
    """It does not wait until one of them is done, although nothing else wakes who waits for them."""
    happens, folder = tmp_path / "happens", f"{tmp_path / 'outputs'}/"
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            INTERRUPTED,
            str(happens),
            *command,
            folder,
            "--size",
            "64x64",
            *LONG,
            "--engine",
            "numpy",
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    for _ in range(600):
        if len(parts := list(tmp_path.glob("outputs/.boidsgen-*"))) >= 2 or process.poll() is not None:
            break
        time.sleep(0.1)
    happens.touch()
    _, complaint = ended(process)

    assert len(parts) >= 2, complaint
    assert complaint.splitlines()[-1] == b"boidsgen: stopped by SIGINT"
    assert process.returncode == 130
    assert list(tmp_path.glob("outputs/.boidsgen-*")) == []


CLOSED = LISTENING.format("import ctypes; ctypes.WinDLL('kernelbase').CtrlRoutine(ctypes.c_void_p(2))")
"""What Windows itself calls in a thread of the program when somebody closes its console."""


@pytest.mark.skipif(not WINDOWS, reason="elsewhere the closing of a terminal is a signal")
def test_closing_the_console_ends_a_render_and_tidies_up(tmp_path):
    """When the console is closed there is a moment to remove what was begun."""
    folder, happens = tmp_path / "outputs", tmp_path / "happens"
    folder.mkdir()
    process = started(folder, ["-c", CLOSED, happens], creationflags=0)
    happens.touch()
    ended(process)

    assert list(folder.iterdir()) == []


HOLDING = "import sys; file = open(sys.argv[1], 'rb'); print('open', flush=True); sys.stdin.read()"


def test_a_file_that_another_program_has_open_is_replaced_or_kept_beside(tmp_path):
    """Where the system lets us, it is replaced; else one line says who is in the way and where the new file is."""
    final = tmp_path / "a.gif"
    final.write_bytes(b"old")
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(final)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout.readline().strip() == b"open"
        ran = boidsgen("render", "quickstart", "--size", "64x64", *SMALL, "-o", final)
        holder.stdin.close()

    assert b"Traceback" not in ran.stderr
    if ran.returncode == 0:
        assert final.read_bytes()[:3] == b"GIF"
        assert [path.name for path in tmp_path.iterdir()] == ["a.gif"]
    else:
        assert WINDOWS
        assert b"has it open; the new one is complete and called" in ran.stderr
        assert final.read_bytes() == b"old"
        assert (tmp_path / "a.new.gif").read_bytes()[:3] == b"GIF"
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a.gif", "a.new.gif"]


def test_a_folder_with_a_picture_that_another_program_has_open(tmp_path):
    """Where the system lets us, it is replaced; else the earlier one stays and one line says so."""
    options = ["--size", "64x64", *SMALL, "--format", "png", "-o", tmp_path / "frames"]
    assert boidsgen("render", "quickstart", *options).returncode == 0
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, tmp_path / "frames" / "frame_0002.png"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout.readline().strip() == b"open"
        ran = boidsgen("render", "quickstart", *options, "--set", "flock.count=9")
        holder.stdin.close()
    names = sorted(path.name for path in tmp_path.iterdir())

    assert len(list((tmp_path / "frames").iterdir())) == 6
    assert ran.returncode in ({0, 5} if WINDOWS else {0})
    assert ran.stderr.count(b"\n") == (ran.returncode == 5)
    if ran.returncode == 0:
        assert names == ["frames"]
    assert boidsgen("render", "quickstart", *options).returncode == 0


def test_what_windows_takes_for_a_device_is_not_read(tmp_path, monkeypatch, capfd):
    """A name that Windows keeps is refused in one line by all who read, and nobody waits for a device."""
    monkeypatch.chdir(tmp_path)
    assert boidsgen("check", "aux").returncode == 5  # a process of its own, since to read from a port never ends
    for name in ("aux", "con", "x/nul.toml"):
        for command in (["check", name], ["replay", name, "-o", "a.gif"], ["still", name, "-o", "a.png"]):
            code, said = run(command), capfd.readouterr().err
            assert (code, said.count("\n"), "device" in said) == (5, 1, WINDOWS)
        (tmp_path / "points.toml").write_text(f'[flock]\nstart = {{ csv = "{name}" }}\n')
        code, said = run(["check", "points.toml"]), capfd.readouterr().err
        assert (code, said.count("\n"), "flock.start.csv: " in said) == (3, 1, True)


def test_line_ends_and_byte_order_marks_of_windows_are_read(tmp_path):
    """What Notepad writes is a scenario."""
    file = tmp_path / "notepad.toml"
    file.write_bytes('\ufefftitle = "Vögel"\r\n\r\n[time]\r\nframes = 3\r\n'.encode())

    assert boidsgen("check", file).returncode == 0


@pytest.mark.skipif(not WINDOWS, reason="other systems take any name")
@pytest.mark.parametrize("name", ["con.gif", "aux", "a:b.mp4", "x.gif.", "x.gif ", "nul.npz"])
def test_names_that_windows_keeps_are_refused_before_any_work(name, tmp_path):
    """One line with the reason."""
    ran = boidsgen("render", "quickstart", "-o", name, cwd=tmp_path)

    assert b"Windows" in ran.stderr
    assert ran.returncode == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not WINDOWS, reason="shells of other systems find the files")
def test_scenarios_are_found_by_wildcards(tmp_path):
    """Every file that is meant, in order; where there is none, what is wrong with the name."""
    for name in ("b.toml", "a.toml"):
        (tmp_path / name).write_text("")
    found, missed = boidsgen("check", "*.toml", cwd=tmp_path), boidsgen("check", "c*.toml", cwd=tmp_path)

    assert [line.split(b":")[0] for line in found.stdout.splitlines() if b"valid" in line] == [b"a.toml", b"b.toml"]
    assert missed.stderr.splitlines() == [b"boidsgen: c*.toml: a name on Windows cannot contain '*'"]


@pytest.mark.skipif(not WINDOWS, reason="elsewhere a backslash is a letter")
def test_a_backslash_ends_the_name_of_a_folder(tmp_path):
    """As a slash does."""
    clip = boidsgen("render", "quickstart", "--size", "64x64", *SMALL, "-o", "clips\\", cwd=tmp_path)
    still = boidsgen("still", "quickstart", "-o", "pictures.png\\", cwd=tmp_path)

    assert (clip.returncode, still.returncode) == (0, 0), clip.stderr + still.stderr
    assert (tmp_path / "clips" / "quickstart.gif").is_file()
    assert (tmp_path / "pictures.png" / "quickstart.png").is_file()

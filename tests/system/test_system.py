"""The functions that hide differences between systems have the same contract on each of them."""

import os
import signal
import stat
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from boidsgen import system
from tests.systems import WINDOWS

KEPT = ["con.gif", "out/AUX", "a:b.mp4", "x.gif.", "x.gif ", "what?.gif", "C:\\x\\nul.mp4"]
KEPT += ["COM¹.gif", "lpt³.mp4", "conin$", "CONOUT$.gif"]


def _python(code, **options):
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdin=subprocess.PIPE, **options)


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
    with _python(parent, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline().split() == [b"alive"]
        process.kill()
        rest = process.stdout.read()  # ends when nobody holds the pipe any more

    assert rest.split() in ([], [b"over"])


@pytest.mark.parametrize("moment", range(3))
def test_the_writer_to_a_child_hears_of_its_end(moment):
    """Whenever a child is ended during its start, nobody else has the other end of its pipe."""
    child = _python("import time; time.sleep(60)", **system.child_options())
    writer = threading.Thread(target=_write_on, args=(child.stdin,), daemon=True)
    writer.start()
    time.sleep(0.05 * moment)
    system.kill(child)
    child.wait()
    writer.join(10)

    assert not writer.is_alive()


def _write_on(pipe):
    with suppress(OSError), pipe:  # to close it writes what is left
        while True:
            pipe.write(bytes(1 << 16))


def test_ordinary_names_are_accepted():
    """Letters, digits, spaces and dots inside, other scripts, and names that only begin like a device."""
    for name in (
        "flock.gif",
        "a b.mp4",
        "ü/鳥.gif",
        "../x/y.tar.gif",
        ".hidden.gif",
        "console.toml",
        "com10.toml",
        "-",
    ):
        assert system.name_refusal(name) is None
        assert system.device_refusal(name) is None


@pytest.mark.skipif(not WINDOWS, reason="other systems take any name")
@pytest.mark.parametrize("name", KEPT)
def test_names_that_windows_reserves_are_refused(name):
    """Devices, streams and forbidden letters are refused before any work."""
    assert "Windows" in system.name_refusal(name)


@pytest.mark.skipif(not WINDOWS, reason="elsewhere devices have names of their own")
@pytest.mark.parametrize("name", ["aux", "con.toml", "x\\NUL", "C:/x/com1.gif", "nul:", "CONIN$", "\\\\.\\COM12"])
def test_devices_are_not_read(name):
    """To read from a serial port may never end."""
    assert "device" in system.device_refusal(name)


def test_only_windows_protects_read_only_files(tmp_path):
    """Windows replaces nothing that is read-only; elsewhere the folder decides."""
    path = tmp_path / "a.gif"
    path.touch()
    assert not system.is_protected(path)
    path.chmod(stat.S_IREAD)
    assert system.is_protected(path) == (WINDOWS and not os.access(path, os.W_OK))
    assert not system.is_protected(tmp_path / "b.gif")
    path.chmod(stat.S_IREAD | stat.S_IWRITE)


@pytest.mark.parametrize("wildcard", ["*.toml", "?.toml", "[ab].toml"])
def test_wildcards_mean_the_same_as_in_a_shell(wildcard, tmp_path, monkeypatch):
    """On Windows programs themselves expand wildcards; elsewhere it is a name like any other."""
    monkeypatch.chdir(tmp_path)
    for name in ("b.toml", "a.toml", "c.txt"):
        Path(name).touch()
    found = ["a.toml", "b.toml"] if WINDOWS and "[" not in wildcard else [wildcard]

    assert system.expand_wildcards(wildcard) == found
    assert system.expand_wildcards("*.gif") == ["*.gif"]

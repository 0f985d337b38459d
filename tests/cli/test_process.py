"""The program as a process: what it imports, its streams and terminals, and signals."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from boidsgen import system
from boidsgen.cli.main import _signals
from boidsgen.errors import Interrupted
from tests.running import ENVIRONMENT, SMALL
from tests.systems import posix, posix_module

pty = posix_module("pty")
PROGRAM = [sys.executable, "-m", "boidsgen"]

WEB = {"webbrowser", "http", "ssl", "html", "xml", "urllib.request"}
HEAVY = {"numpy", "PIL", "imageio", "rich", "tomllib", "boidsgen.tables", "boidsgen.pipeline", *WEB}
CHECK = {
    *("PIL.ImageOps", "rich", "imageio", "boidsgen.pipeline", "boidsgen.studies.requests", *WEB),
    *(f"boidsgen.drawing.{name}" for name in ("lit", "vector")),
    *(f"boidsgen.output.{name}" for name in ("outputs", "figures", "recording", "fitting", "columns", "film")),
}
RENDER = {"rich", "boidsgen.drawing.vector", "boidsgen.output.recording", *WEB}


@pytest.fixture
def small(tmp_path):
    """An empty directory with one small scenario."""
    (tmp_path / "small.toml").write_text(SMALL)
    return tmp_path


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
def test_a_command_imports_only_what_it_uses(arguments, needless, small):
    """A start is mostly imports; counted in modules, which is the same on every machine, however busy."""
    call = f"from boidsgen.cli.main import run; run({arguments})" if arguments else "import boidsgen"
    code = f"import json, sys; {call}; sys.stderr.write(json.dumps([*sys.modules]))"
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=small, env=ENVIRONMENT, capture_output=True, text=True, check=True
    )

    assert set(json.loads(ran.stderr.splitlines()[-1])) & needless == set()


@posix
@pytest.mark.parametrize(("quiet", "shown"), [((), True), (("--quiet",), False)])
def test_progress_on_a_terminal(small, quiet, shown):
    """A terminal shows frames, then an empty line and how to look at the clip; nothing when quiet was asked for."""
    ours, theirs = pty.openpty()
    command = [*PROGRAM, "render", "small.toml", *quiet]
    with subprocess.Popen(command, cwd=small, env=ENVIRONMENT, stderr=theirs, stdout=subprocess.PIPE) as process:
        os.close(theirs)
        seen = b""
        try:
            while chunk := os.read(ours, 4096):
                seen += chunk
        except OSError:  # a terminal whose other end is closed
            os.close(ours)
        printed = process.stdout.read()

    assert printed == b"outputs/small.gif\n"
    bar, _, said = seen.partition(b"boidsgen: ")
    assert (b"small" in bar and b" frames" in bar and bar.endswith(b"\x1b[2K")) is shown
    assert (said == b"to view it, open outputs/small.gif in a browser, or add --open\r\n") is shown
    assert shown or seen == b""


def test_ignored_signals_stay_ignored():
    """A signal that the caller ignores, as nohup does, is not handled."""
    for number in system.STOPPING:
        before = signal.signal(number, signal.SIG_IGN)
        try:
            with _signals() as stop:
                signal.raise_signal(number)
            assert (stop.number, signal.getsignal(number)) == (None, signal.SIG_IGN)
        finally:
            signal.signal(number, before)


def test_first_signal_raises_and_others_wait(monkeypatch):
    """Clean-up is not interrupted again, except by a second SIGINT, which ends the process at once."""
    ended = []
    monkeypatch.setattr(os, "_exit", ended.append)
    before = [signal.getsignal(number) for number in system.STOPPING]
    with _signals():
        with pytest.raises(Interrupted) as caught:
            signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)

    assert (caught.value.exit_code, ended) == (143, [130])
    assert [signal.getsignal(number) for number in system.STOPPING] == before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_dropped_signal_comes_again(number):
    """A signal that arrives where Python cannot raise, as in a destructor, stops the program all the same."""

    class Deaf:
        def __del__(self):
            signal.raise_signal(number)

    def deaf_for_a_moment():
        Deaf()
        until = time.monotonic() + 10
        while time.monotonic() < until:
            pass

    with _signals(), pytest.raises(Interrupted) as caught:
        deaf_for_a_moment()

    assert caught.value.exit_code == 128 + number

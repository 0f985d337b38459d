"""Promise 1: the name of an output holds the old file or the complete new one, and nothing temporary is left behind."""

import gc
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from http.client import HTTPException
from threading import Thread
from urllib.error import HTTPError
from urllib.request import urlopen

import imageio_ffmpeg
import pytest

from boidsgen import BoidsgenError
from boidsgen.cli.author import Author, with_values
from boidsgen.cli.main import run
from boidsgen.output.publish import remove_temporaries
from tests.fakes import program
from tests.promises.failing import CLEANING, CODES, FAILURES, LASTING, Fault, broken
from tests.promises.setting import (
    FULL,
    OLD_FRAMES,
    PRODUCTS,
    SECONDS,
    Product,
    amount,
    children,
    content,
    finish,
    frames_of,
    gone,
    leftovers,
    limited,
    start,
    until,
    without_leftovers,
)
from tests.running import SCENARIO, Ran, in_this_process
from tests.systems import WINDOWS, posix

pytestmark = pytest.mark.faults

MOST = 1000  # Calls into the system in one render; it takes far fewer
MOVED = {"flock.0.max_speed": 2.5, "flock.0.cohesion.weight": 0.5}  # In the page of `live`
EVERY = 1 if FULL else 9  # One call in so many fails


def attempt(arguments, fault, capfd):
    """Run a command with a fault."""
    capfd.readouterr()
    with broken(fault):
        code = run(arguments)
    return Ran(code, *capfd.readouterr())


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("product", PRODUCTS)
def test_any_call_may_fail(product, lasting, boidsgen, here, capfd):
    """Whichever call fails and how, there is the old content or the complete new one, one line, and nothing else."""
    wanted = PRODUCTS[product]
    assert boidsgen(*wanted.arguments).code == 0
    new = content(here)
    wanted.put_old(here)
    old = content(here)
    kinds = LASTING if lasting else tuple(FAILURES)
    for turn, number in enumerate(range(1 + lasting, MOST, EVERY)):
        for kind in kinds if FULL else [kinds[turn % len(kinds)]]:
            fault = Fault(number, kind, lasting=lasting)
            ran = attempt(wanted.arguments, fault, capfd)
            where = f"call {number} of {fault.count} ({fault.hit[:1]}) fails with {kind}: {ran}"
            assert without_leftovers(content(here)) in (old, new) or set_aside(here, fault), where
            check(ran, fault, where)
            remove_leftovers(here, fault, where)
            wanted.put_old(here)
        if not fault.hit:
            return
    raise AssertionError("the render never came to an end")


@pytest.fixture
def looks(here, monkeypatch):
    """What is in the folder before each call into the system, which is what SIGKILL would leave there."""
    seen = []

    def look():
        monkeypatch.setitem(FAILURES, "a look", lambda: None)  # to look calls the system, too
        seen.append(without_leftovers(content(here)))
        monkeypatch.setitem(FAILURES, "a look", look)

    monkeypatch.setitem(FAILURES, "a look", look)
    return seen


@pytest.mark.skipif(sys.platform != "linux", reason="others exchange no names")
@pytest.mark.parametrize("product", PRODUCTS)
def test_killed_at_any_call(product, looks, boidsgen, here):
    """Before each call there is the old content or the complete new one, never neither."""
    wanted = PRODUCTS[product]
    assert boidsgen(*wanted.arguments).code == 0
    new = content(here)
    wanted.put_old(here)
    old = content(here)
    with broken(Fault(1, "a look", lasting=True)):
        assert run(wanted.arguments) == 0

    assert looks[0] == old != looks[-1] == new
    assert all(found in (old, new) for found in looks)


def test_live_killed_at_any_call(looks, here):
    """The same for what a page writes to the file."""
    old = (here / SCENARIO).read_bytes()
    author = Author(SCENARIO)
    author.read()
    with broken(Fault(1, "a look", lasting=True)):
        author.write(MOVED)

    names = [{SCENARIO: old}, {SCENARIO: with_values(old.decode(), MOVED).encode()}]
    assert [looks[0], looks[-1]] == names
    assert all(found in names for found in looks)


def set_aside(here, fault):
    """True if an earlier folder waits beside its name, whole, since nothing could be looked at or renamed any more."""
    aside = [content(path) for path in here.glob(".boidsgen-*/earlier")]
    return fault.lasting and bool({"rename", "stat"} & {*fault.hit[1:]}) and OLD_FRAMES in aside


def check(ran, fault, where):
    """The exit code belongs to the failure, and there is one line about it, and no traceback."""
    assert ran.code in (CODES[fault.kind] if fault.hit else {0}), where
    if ran.code:
        assert len(ran.lines) == 1, where
        assert ran.err.startswith(("boidsgen: ", SCENARIO)), where


def remove_leftovers(here, fault, where):
    """A temporary file stays only where deleting it failed."""
    for name in leftovers(here):
        assert CLEANING & {*fault.hit}, where
        shutil.rmtree(here / name)


SIGNALS = (9, *(pytest.param(number, marks=posix) for number in (signal.SIGTERM, signal.SIGINT, 1)))
"""On Windows one process can end another, and that cannot be heard."""
KINDS = {**{kind: PRODUCTS[kind] for kind in ("gif", "mp4", "png")}, "npz": Product("run.npz", ("simulate",))}
LONG = ("--frames", 60)
OURS = re.compile(r'boidsgen.__main__\.py", line [0-9]+, in main\n')


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Each product as nobody disturbs it."""
    found = {}
    for kind, product in KINDS.items():
        directory = tmp_path_factory.mktemp(kind)
        (directory / SCENARIO).write_text("[world]\nsize = [64, 48]\n[flock]\ncount = 5\n")
        assert finish(start(*product.arguments, *LONG, cwd=directory))[0] == 0
        found[kind] = content(directory)
    return found


@pytest.mark.parametrize("number", SIGNALS, ids=str)
@pytest.mark.parametrize("turn", range(amount(1, 100)))
def test_killed_at_random(turn, number, undisturbed, here):
    """Old or complete, and ffmpeg gone; only SIGKILL leaves a temporary file, which disturbs no later run."""
    chance = random.Random(f"{turn} {number}")  # noqa: S311  no secret
    kind = [*KINDS][(turn + number * 3 // 4) % len(KINDS)]  # another for each signal
    wanted, new = KINDS[kind], undisturbed[kind]
    (here / SCENARIO).write_text("[world]\nsize = [64, 48]\n[flock]\ncount = 5\n")
    wanted.put_old(here)
    old = content(here)
    process = start(*wanted.arguments, *LONG, cwd=here)
    if chance.random() > 0.2:  # or while it starts
        until(lambda: leftovers(here), process)
    wait(process, chance.uniform(0, 0.4))
    offspring = children(process.pid)
    process.kill() if number == 9 else process.send_signal(number)
    code, _, err = finish(process)

    # While Python itself starts and ends, a signal does what it always does.
    pythons_own = number == signal.SIGINT and not OURS.search(err)
    assert code in {0, -number, 128 + number, 1 if WINDOWS else 0} or (code == 1 and pythons_own), err
    neither = number == 9 and sys.platform != "linux" and not (here / wanted.name).exists()
    assert without_leftovers(content(here)) in (old, new) or neither
    if number != 9:
        assert leftovers(here) == []
        assert "Traceback" not in err or pythons_own
    assert gone(offspring)
    assert all(name.startswith(f".boidsgen-{wanted.name.rstrip('/')}") for name in leftovers(here))
    assert finish(start(*wanted.arguments, *LONG, cwd=here))[0] == 0
    assert without_leftovers(content(here)) == new
    for name in leftovers(here):
        shutil.rmtree(here / name)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a file that Python itself closes
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
def test_any_call_of_a_write_of_live_may_fail(lasting, here):
    """Whichever call fails and how, the file that is edited holds its old text or the complete new one."""
    kinds = ("ENOSPC", "EIO", "EACCES", "no memory")
    old = (here / SCENARIO).read_bytes()
    new = with_values(old.decode(), MOVED).encode()
    for turn, number in enumerate(range(1, MOST)):
        author = Author(SCENARIO)
        author.read()
        fault = Fault(number, kinds[turn % len(kinds)], lasting=lasting)
        with suppress(BoidsgenError, MemoryError), broken(fault):
            author.write(MOVED)
        remove_temporaries()  # as every command does in the end
        where = f"call {number} ({fault.hit[:1]}) fails with {fault.kind}"
        assert without_leftovers(content(here)) in ({SCENARIO: old}, {SCENARIO: new}), where
        remove_leftovers(here, fault, where)
        (here / SCENARIO).write_bytes(old)
        if not fault.hit:
            gc.collect()  # so that Python closes it here, and not in another test
            return
    raise AssertionError("the write never came to an end")


@pytest.mark.parametrize("turn", range(amount(3, 100)))
def test_a_write_of_live_that_is_killed(turn, here):
    """The file that is edited holds its old text or the complete new one, whenever `live` is killed."""
    old = (here / SCENARIO).read_bytes()
    new = with_values(old.decode(), MOVED).encode()
    process = start("live", SCENARIO, "--no-open", cwd=here)
    address = process.stdout.readline().decode().strip()
    asked = Thread(target=ask, args=(f"{address}write", json.dumps(MOVED).encode()))
    asked.start()
    wait(process, random.Random(turn).uniform(0, 0.15))  # noqa: S311  no secret
    process.kill()
    finish(process)
    asked.join()

    assert without_leftovers(content(here)) in ({SCENARIO: old}, {SCENARIO: new})
    for name in leftovers(here):
        shutil.rmtree(here / name)


def ask(address, body):
    """Ask a server that may end meanwhile, or may not yet have read its file."""
    with suppress(OSError, HTTPException):
        for _ in range(20):
            try:
                urlopen(address, body, timeout=SECONDS).close()  # noqa: S310
            except HTTPError:
                continue
            return


def wait(process, seconds):
    """Let the process run for some time, unless it ends before."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return


FRAMES = 40
BYTES_OF_A_FRAME = 64 * 48 * 3 // 2
ENCODERS = {
    "exits at once": ("sys.exit(3)", "failed with exit code 3: it gave no reason"),
    "gives a reason": ("complain(b'[x @ 0x1] [y @ 0x2] no way', 1)", "failed with exit code 1: no way"),
    "exits when all is read": ("read(); complain(b'\\377\\376', 1)", "exit code 1: \ufffd\ufffd"),
    "succeeds at once": ("", ""),
    "succeeds without writing": ("read()", "holds 0 of 40 frames"),
    "writes ten bytes": (
        "read(); sys.argv[-1] == '-' or open(sys.argv[-1].removeprefix('file:'), 'wb').write(b'0123456789')",
        "",
    ),
    "floods standard error": ("os.write(2, 100_000 * b'complaint\\n'); read(); sys.exit(1)", "complaint"),
    "has no x264": (
        "read(); complain(b\"[v] Unknown encoder 'libx264'\", 8)",
        "Unknown encoder 'libx264'; IMAGEIO_FFMPEG_EXE names it",
    ),
    "finds the disk full": ("read(); sys.exit(228)", "No space left on device"),
    "dies in the middle": (f"read({20 * BYTES_OF_A_FRAME}); os.kill(os.getpid(), 9)", ""),
    "leaves frames out": (
        f"""
command = [os.environ["FFMPEG"], *sys.argv[1:]]
code = subprocess.run(command, input=read({7 * BYTES_OF_A_FRAME}), close_fds=False).returncode
read()
sys.exit(code)
""",
        "of 40 frames",
    ),
}
"""Programs in the place of ffmpeg, and the reason that is reported."""


@pytest.fixture
def fake(tmp_path_factory, monkeypatch):
    """Puts a program of ours in the place of ffmpeg."""

    def put(script):
        monkeypatch.setenv("FFMPEG", imageio_ffmpeg.get_ffmpeg_exe())
        monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(program(tmp_path_factory.mktemp("fake"), script)))

    return put


@pytest.mark.parametrize("fault", ENCODERS)
def test_an_encoder_is_not_believed(fault, fake, boidsgen, here):
    """However ffmpeg fails, the old film stays, and one short line says why."""
    script, reason = ENCODERS[fault]
    PRODUCTS["mp4"].put_old(here)
    before = content(here)
    fake(script)
    ran = boidsgen(*PRODUCTS["mp4"].arguments, "--frames", FRAMES)

    assert (ran.code, ran.out, len(ran.lines)) == (5 if "disk" in fault else 6, "", 1), ran
    assert ran.err.startswith("boidsgen: flock.mp4: ")
    assert reason in ran.err
    assert len(ran.err) < 600
    assert content(here) == before


def test_all_outputs_or_none(fake, boidsgen, here):
    """When one of several outputs fails, none of them is replaced."""
    for product in PRODUCTS.values():
        product.put_old(here)
    before = content(here)
    fake("read(); sys.exit(1)")
    ran = boidsgen("render", SCENARIO, "-o", "flock.gif", "-o", "flock.mp4")

    assert (ran.code, len(ran.lines)) == (6, 1)
    assert content(here) == before


@posix
@pytest.mark.turns(2)  # in CI a file and a folder
@pytest.mark.parametrize("product", PRODUCTS)
def test_a_full_disk(product, here, boidsgen):
    """If the disk is full in the middle of a file, there is code 5, the system's reason, and the old file."""
    wanted = PRODUCTS[product]
    assert boidsgen(*wanted.arguments).code == 0
    largest = max(len(data) for name, data in content(here).items() if name != SCENARIO)
    wanted.put_old(here)
    before = content(here)
    limit = limited("RLIMIT_FSIZE", largest // 2)
    unwritten = {"PYTHONDONTWRITEBYTECODE": "1"}  # Python would leave half a module behind, for all later programs
    code, out, err = finish(start(*wanted.arguments, cwd=here, preexec_fn=limit, env=unwritten))

    assert (code, out, err.count("\n")) == (5, "", 1)
    assert "File too large" in err
    assert content(here) == before


def test_two_at_once(here):
    """Two renders to one name both succeed, and the file is complete."""
    both = [start("render", SCENARIO, "-o", "flock.gif", "--frames", 30, "--seed", n, cwd=here) for n in (1, 2)]

    assert [finish(process)[0] for process in both] == [0, 0]
    assert frames_of(here / "flock.gif") == 30


@posix
def test_stopped_and_continued(here, undisturbed):
    """A program that sleeps, as on a laptop that is closed, goes on where it was; nobody takes ffmpeg for hung."""
    (here / SCENARIO).write_text("[world]\nsize = [64, 48]\n[flock]\ncount = 5\n")
    process = start(*PRODUCTS["mp4"].arguments, *LONG, cwd=here)
    until(lambda: leftovers(here), process)
    for number in (signal.SIGSTOP, signal.SIGCONT) * 3:
        for one in (process, *children(process.pid)):
            one.send_signal(number)

    assert finish(process)[::2] == (0, "")
    assert content(here) == undisturbed["mp4"]


@pytest.mark.parametrize("name", [pytest.param("terminate", marks=[posix, pytest.mark.slow]), "kill"])
def test_a_sweep_that_is_stopped_goes_on(name, boidsgen, here):
    """A sweep that is stopped in the middle ends, when begun again, as if nobody had disturbed it."""
    sweep = ("sweep", SCENARIO, "--seeds", amount(6, 200), "--frames", 20)
    with pytest.MonkeyPatch.context() as patch:
        in_this_process(patch)
        assert boidsgen(*sweep, "-o", "right").code == 0
    process = start(*sweep, "-o", "own", cwd=here)
    until(lambda: len([*(here / "own").glob("seed=*.gif")]) > 2, process)
    workers = children(process.pid)
    getattr(process, name)()
    finish(process)

    assert gone(workers)
    for path in (here / "own").glob("seed=*.gif"):
        assert frames_of(path) == 20
    assert boidsgen(*sweep, "-o", "own").code == 0
    clips = {path.name: path.read_bytes() for path in (here / "own").glob("*.gif")}
    assert clips == {path.name: path.read_bytes() for path in (here / "right").glob("*.gif")}
    for path in (here / "own").glob(".boidsgen-*"):
        path.unlink()


@posix
@pytest.mark.turns(2)
@pytest.mark.parametrize("redirected", ["<&- >&-", "<&- >&- 2>&-", "2>/dev/full", "| head -c 0", "2>&-"])
def test_nobody_listens(redirected, boidsgen, here):
    """Streams that are closed, full or not read take no place of a file, and do not disturb a render."""
    assert boidsgen("render", SCENARIO, "-o", "right.mp4").code == 0
    script = f'set -o pipefail; "{sys.executable}" -m boidsgen render {SCENARIO} -o flock.mp4 {redirected}'
    ran = subprocess.run(["/bin/bash", "-c", script], cwd=here, capture_output=True, check=False)

    assert (ran.returncode, ran.stderr) == (0, b"")
    assert (here / "flock.mp4").read_bytes() == (here / "right.mp4").read_bytes()


@pytest.mark.parametrize("ending", ["gif", "mp4"])
def test_a_reader_that_leaves(ending, here):
    """A pipe whose reader leaves in the middle ends the render with one line, not with a traceback."""
    reader, writer = os.pipe()
    process = start("render", SCENARIO, "-o", "-", "--format", ending, "--frames", 300, cwd=here, stdout=writer)
    os.close(writer)
    if ending == "gif":  # an mp4 comes in one piece at the end
        os.read(reader, 10)
    os.close(reader)
    code, _, err = finish(process)

    assert (code, err.count("\n")) == (5, 1)
    assert "Traceback" not in err

"""Attacks on the machine: what it lacks is told as such, every wait has an end, and every signal cleans up."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from http.server import HTTPServer, SimpleHTTPRequestHandler
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from boidsgen import system
from boidsgen.cli.main import run
from boidsgen.output import descriptors
from tests.faults.bounded import bounded
from tests.faults.processes import children, finish, gone, psutil, start, until
from tests.faults.setting import FULL, ROOT, SMALL, content, leftovers
from tests.systems import IS_ROOT, WINDOWS, link, needs_a_scheduler_of_dask, posix, posix_module

pty = posix_module("pty")
resource = posix_module("resource")

pytestmark = pytest.mark.faults

NOBODY = 65534
LONG = ("--frames", 100_000)
ENDING = ("QUIT", "XCPU", "USR1", "USR2", "ALRM", "VTALRM", "PROF", "TERM")


def limited(name, *limits):
    """Sets a limit of resources in the program that is started next."""
    return lambda: resource.setrlimit(getattr(resource, name), limits * (2 // len(limits)))


def as_nobody():
    """Lets the program that is started next be nobody, with no right of the administrator."""
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


@posix
@pytest.mark.parametrize("ending", ["gif", "mp4", "png"])
@pytest.mark.parametrize("name", ENDING)
def test_whatever_signal_ends_it(name, ending, here):
    """A30: a signal that ends programs leaves no part, no child, one line, and its own exit code."""
    if not FULL and (ENDING.index(name) + len(ending)) % 3 and ending != "mp4":
        pytest.skip("one of three in the short form")
    before = content(here)
    output = ("--format", "png", "-o", "frames/") if ending == "png" else ("-o", f"flock.{ending}")
    process = start("render", "small.toml", *output, *LONG, cwd=here)
    until(lambda: leftovers(here), process)
    offspring = children(process.pid)
    number = signal.Signals[f"SIG{name}"]
    process.send_signal(number)

    assert finish(process) == (128 + number, "", f"boidsgen: stopped by SIG{name}\n")
    assert content(here) == before
    gone(offspring)


@posix
@pytest.mark.parametrize("name", ["QUIT", "USR1"])
def test_a_worker_that_is_stopped_cleans_up(name, here):
    """A30: so does a worker of a sweep; its run is done again by another."""
    process = start("sweep", "small.toml", "--seeds", 2, "--frames", 400, "--no-sheet", "-o", "own", cwd=here)
    until(lambda: (here / "own").exists() and leftovers(here / "own"), process)
    for pid in children(process.pid):
        os.kill(pid, signal.Signals[f"SIG{name}"])

    assert finish(process)[0] == 0
    assert leftovers(here / "own") == []


@posix
@pytest.mark.parametrize("output", ["flock.gif", "flock.mp4", "frames/"])
def test_a_directory_that_is_renamed(output, here):
    """A30: an output whose directory has another name by now fails with a line, and no part stays in it."""
    (here / "there").mkdir()
    process = start("render", "small.toml", "--frames", 300, *form(output), "-o", f"there/{output}", cwd=here)
    until(lambda: leftovers(here / "there"), process)
    (here / "there").rename(here / "elsewhere")
    code, _, err = finish(process)

    assert (code in {5, 6}, err.count("\n")) == (True, 1), err
    assert content(here / "elsewhere") == {}


def form(output):
    """The option for a folder of pictures."""
    return ("--format", "png") if output.endswith("/") else ()


def mounted(folder):
    """Makes the folder a mount point."""
    command = ["/bin/mount", "-t", "tmpfs", "tmpfs", str(folder)]
    subprocess.run(command, check=True, capture_output=True)


def unchangeable(folder):
    """Makes the folder, or the file in it, one that nobody may change."""
    command = ["/usr/bin/chattr", "+i", str(folder)]
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def undone():
    """Commands to be run at the end."""
    commands = []
    yield commands
    for command in commands:
        subprocess.run(command, check=False, capture_output=True)


def attempted(action, path):
    """Do what needs rights that not every machine gives, or skip."""
    try:
        action(path)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"not possible here: {error}")


@posix
@pytest.mark.parametrize("output", ["flock.gif", "frames/"])
def test_an_immutable_target_is_refused_before_the_first_frame(output, boidsgen, here, undone):
    """A29: what the system would not let anybody replace is told at once, and not after all frames."""
    assert boidsgen("render", "small.toml", *form(output), "-o", output).code == 0
    undone.append(["/usr/bin/chattr", "-i", str(here / output)])
    attempted(unchangeable, here / output)

    refused_at_once(here, output, "must not be changed")


@posix
def test_a_mount_point_is_refused_before_the_first_frame(here, undone):
    """A29: a mount point cannot be replaced by a folder of frames."""
    (here / "frames").mkdir()
    undone.append(["/bin/umount", str(here / "frames")])
    attempted(mounted, here / "frames")

    refused_at_once(here, "frames/", "is a mount point")


@pytest.fixture
def everybodys():
    """A directory as /tmp is one: everybody may write there, and replace only what is theirs."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o1777)
    yield folder
    shutil.rmtree(folder)


@posix
@pytest.mark.skipif(not IS_ROOT, reason="needs the administrator, to be somebody else")
@pytest.mark.parametrize("output", ["flock.gif", "frames/"])
def test_a_sticky_directory_is_refused_before_the_first_frame(output, everybodys, boidsgen, capfd):
    """A29: in a directory such as /tmp what belongs to somebody else cannot be replaced."""
    arguments = ["render", "small.toml", *form(output), "-o", str(everybodys / output)]
    assert boidsgen(*arguments).code == 0
    before = content(everybodys)
    (everybodys / "small.toml").write_text(SMALL)
    arguments[1] = str(everybodys / "small.toml")

    import_module("mmap")  # nobody might not be allowed to read Python's own files

    def refused(_):  # nor is it a program of its own for that reason
        as_nobody()
        return run([*arguments, "--frames", "100000", "--engine", "numpy"])  # numba is loaded from files

    assert bounded(refused, seconds=60, memory=8 << 30) == 5
    assert "(sticky); choose another name" in capfd.readouterr().err
    (everybodys / "small.toml").unlink()
    assert content(everybodys) == before


def refused_at_once(here, output, reason):
    """Nothing is simulated, and one line says why."""
    before = content(here)
    code, out, err = finish(start("render", "small.toml", *LONG, *form(output), "-o", output, cwd=here))

    assert (code, out, err.count("\n")) == (5, "", 1), err
    assert reason in err
    assert content(here) == before


@pytest.mark.parametrize("name", [".", "./", "../here", "../link"])
def test_the_current_directory_is_no_output(name, boidsgen, here, monkeypatch):
    """A32: the shell that calls is never left in a directory that is gone."""
    (here / "here").mkdir()
    if name == "../link":
        link(here / "link", here / "here")
    monkeypatch.chdir(here / "here")
    ran = boidsgen("render", "../small.toml", "--format", "png", "-o", name)

    assert (ran.code, len(ran.lines)) == (5, 1)
    assert "is the current directory" in ran.err
    assert Path.cwd().exists()


@posix
@pytest.mark.parametrize("limit", [7, 8, 9])
def test_too_few_descriptors_are_told_by_their_limit(limit, here):
    """A26: where no further file can be opened, nobody says that there is no ffmpeg."""
    code, _, err = finish(
        start("render", "small.toml", "-o", "flock.mp4", cwd=here, preexec_fn=limited("RLIMIT_NOFILE", limit))
    )

    assert code in {0, 5}, err
    if code:
        assert err.count("\n") == 1
        assert f"the limit of open files is {limit}: ulimit -n" in err


@posix
def test_hundreds_of_flocks_need_few_descriptors(here):
    """A31: the arrays of a saved run grow in one file, however many they are."""
    flocks = "".join('[[flock]]\ncount = 1\nstart = "center"\n' for _ in range(60))
    (here / "many.toml").write_text(f"[world]\nsize = [64, 48]\n[time]\nframes = 2\n{flocks}")
    process = start("simulate", "many.toml", "-o", "many.npz", cwd=here, preexec_fn=limited("RLIMIT_NOFILE", 24))

    assert finish(process, 120) == (0, "many.npz\n", "")


@posix
@pytest.mark.skipif(not IS_ROOT, reason="limits of processes bind only somebody else")
@pytest.mark.parametrize(
    "command",
    ["render small.toml -o flock.gif", "render small.toml -o flock.mp4", "sweep small.toml --seeds 2 -o own --jobs 2"],
)
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_too_few_processes_are_told_by_their_limit(command, limit, here):
    """A24: where no process or thread can be made, that is said; it is no Ctrl-C, and nothing is left."""
    here.chmod(0o777)

    def confined():
        as_nobody()
        resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit))

    try:
        process = start(*command.split(), cwd=here, preexec_fn=confined)
    except PermissionError:
        pytest.skip("nobody cannot read the program here")
    code, _, err = finish(process)

    assert code in {0, 5, 6, 10}, err
    assert "SIGINT" not in err
    assert "Traceback" not in err
    assert leftovers(here) == []


MEMORIES = range(40, 700, 20) if FULL else (60, 80, 100, 150, 200, 260)


@posix
@pytest.mark.parametrize("ending", ["gif", "mp4", "npz"])
@pytest.mark.parametrize("memory", MEMORIES)
def test_too_little_memory_at_any_moment(memory, ending, here):
    """A24: whichever library meets the end of memory first, there is code 8 and one line, and no part stays."""
    before = content(here)
    command = "simulate" if ending == "npz" else "render"
    limit = limited("RLIMIT_AS", memory << 20)
    code, _, err = finish(start(command, "small.toml", "-o", f"flock.{ending}", cwd=here, preexec_fn=limit))

    assert code in {0, 8}, (code, err)
    assert err.count("\n") == (code == 8), err
    assert leftovers(here) == []
    if code:
        assert content(here) == before


@posix
@pytest.mark.parametrize("command", ["render small.toml -o flock.gif", "sweep small.toml --seeds 2 -o own"])
def test_a_terminal_that_vanishes(command, here):
    """A28: the work goes on without a bar when its terminal is gone, and nobody calls that a failure."""
    main, other = pty.openpty()
    process = start(
        *command.split(),
        "--frames",
        500,
        cwd=here,
        stdout=subprocess.DEVNULL,
        stderr=other,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    os.close(other)
    os.read(main, 10)
    os.close(main)

    assert process.wait(60) == 0


@posix
def test_a_pipe_without_a_reader(boidsgen, here, monkeypatch):
    """A06: waiting for the reader of a pipe has an end, and the line names the pipe."""
    monkeypatch.setattr(descriptors, "PATIENCE", 0.2)
    os.mkfifo(here / "flock.gif")
    ran = boidsgen("render", "small.toml", "-o", "flock.gif")

    assert (ran.code, len(ran.lines)) == (5, 1)
    assert "flock.gif: nobody has begun to read from this pipe" in ran.err


@pytest.fixture(params=["web", "silent", "deaf"])
def no_scheduler(request):
    """The address of something that listens, and is no scheduler."""
    if request.param == "web":
        server = HTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"tcp://127.0.0.1:{server.server_port}"
        server.shutdown()
        server.server_close()
        return
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0 if request.param == "deaf" else 5)
        yield f"tcp://127.0.0.1:{listener.getsockname()[1]}"


NOISY = """
import warnings
import boidsgen.pipeline as pipeline
real = pipeline.preflight
def loud(*scenarios, **options):
    warnings.warn("a library speaks", RuntimeWarning)
    real(*scenarios, **options)
pipeline.preflight = loud
from boidsgen.__main__ import main
main()
"""
needs_dask = pytest.mark.skipif(find_spec("distributed") is None, reason="Dask is an extra")
PATIENT = """
import sys
from boidsgen.studies.sweep import cluster
cluster.PATIENCE = 3.0
from boidsgen.__main__ import main
main()
"""


def patiently(here, *arguments, **options):
    """Start the program with less patience for clusters, to save time."""
    words = [sys.executable, "-c", PATIENT, *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(words, cwd=here, env={**os.environ, "PYTHONPATH": str(ROOT)}, **pipes, **options)


@needs_dask
def test_whoever_listens_need_not_be_a_scheduler(no_scheduler, here):
    """A06: a web server, or somebody who says nothing, is no scheduler, and that is told in time."""
    began = time.monotonic()
    code, _, err = finish(patiently(here, "sweep", "small.toml", "--seeds", 2, "-o", "own", "--dask", no_scheduler), 90)

    assert (code, err.count("\n")) == (5, 1), err
    assert f"{no_scheduler}: cannot reach a Dask scheduler there" in err
    assert time.monotonic() - began < 60


@needs_dask
@pytest.mark.parametrize("name", ["STOP", "KILL"])
def test_a_scheduler_that_is_stopped_midway(name, here):
    """A06: when the scheduler stops answering in the middle, the sweep ends with one line, and no library speaks."""
    needs_a_scheduler_of_dask()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": here}
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    options = ["--host", "127.0.0.1", "--no-dashboard"]
    started = []
    try:
        scheduler = [sys.executable, "-m", "distributed.cli.dask_scheduler", *options, "--port", str(port)]
        worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny", "--no-dashboard"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        started += [subprocess.Popen(command, env=environment, **quiet) for command in (scheduler, worker)]
        wait_for(port)
        time.sleep(5)
        sweep = ("sweep", "small.toml", "--seeds", 2000, "--no-sheet", "-o", "own", "--dask", address)
        process = start(*sweep, cwd=here)
        until(lambda: list((here / "own").glob("*.gif")) if (here / "own").exists() else False, process, 90)
        stop(started[0], name)
        code, _, err = finish(process, 90)
    finally:
        for one in started:
            one.kill()
            one.wait()

    assert (code, err.count("\n")) == (5, 1), err
    assert "the scheduler is gone" in err


def stop(process, name):
    """Let a process sleep, or end it."""
    if name == "KILL":
        process.kill()
    elif WINDOWS:
        psutil().Process(process.pid).suspend()
    else:
        process.send_signal(signal.SIGSTOP)


def free_port():
    """A port at which nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(port):
    """Wait until somebody listens at a port."""
    for _ in range(600):
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("nobody listens")


def test_cells_are_no_formulas(boidsgen, here):
    """A32: a text that a spreadsheet would compute stands in the table as a text."""
    values = '"=cmd|x","@SUM(1)","+1","-2","plain"'
    assert boidsgen("sweep", "small.toml", "--vary", f"title={values}", "-o", "own", "--no-sheet").code == 0
    table = (here / "own" / "manifest.csv").read_text()

    for text in ("'=cmd|x", "'@SUM(1)", "'+1", "'-2", "plain"):
        assert f",{text}," in table
    assert boidsgen("simulate", "small.toml", "--set", "flock.name='=1+1'", "-o", "run.csv").code == 0
    assert ",'=1+1," in (here / "run.csv").read_text()


@pytest.mark.parametrize(
    "name", ["-x.toml", "new\nline.toml", "it's \\n.toml", "$(touch pwned).toml", "tab\t.toml"], ids=ascii
)
def test_listed_commands_are_commands(name, boidsgen, here):
    """A32: whatever the scenario is called, each line of `--list --commands` renders its run."""
    if reason := system.name_refusal(name):
        pytest.skip(reason)
    (here / name).write_text(SMALL)
    ran = boidsgen("sweep", "--seeds", 2, "-o", "own", "--list", "--commands", "--", name)
    (here / "own").mkdir()
    program = f"{system.quoted(sys.executable)} -m boidsgen"
    for line in ran.out.splitlines():
        assert line.startswith("boidsgen render ")
        command = line.replace("boidsgen", program, 1)
        words = command if WINDOWS else ["/bin/bash", "-c", command]  # there each program takes the line apart itself
        done = subprocess.run(words, cwd=here, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False)
        assert done.returncode == 0

    assert len(ran.out.splitlines()) == 2
    assert len(list((here / "own").glob("*.gif"))) == 2


def test_libraries_do_not_speak(here):
    """A32: what numpy, Pillow or matplotlib have to remark is no line of ours."""
    words = [sys.executable, "-c", NOISY, "render", "small.toml", "-o", "flock.gif"]
    ran = subprocess.run(words, cwd=here, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, check=False)

    assert (ran.returncode, ran.stderr) == (0, b"")

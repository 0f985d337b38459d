"""Promises 1 and 2: old or complete new output, nothing temporary left, nothing foreign replaced, no input lost."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from boidsgen import system
from boidsgen.errors import EncoderError, Interrupted, LimitError, OutputExistsError, StorageError, UsageError
from boidsgen.output import publish
from boidsgen.output.base import Clip
from boidsgen.output.formats import WRITERS
from boidsgen.output.outputs import open_outputs
from boidsgen.output.publish import guard_inputs, leftovers, open_file, refuse_input, remember_input
from boidsgen.output.targets import Target
from tests.systems import IS_ROOT, WINDOWS, link, posix

pytestmark = pytest.mark.faults

FILES = [name for name, writer in WRITERS.items() if writer.makes != "folder"]
NAMES = ["-x", "a:b", "out%03d", "two words", "new\nline", "vögel-鳥", "http:x", "pipe:1", "x" * 240]
NAMES = [name for name in NAMES if system.name_refusal(name) is None]


# Names


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("name", NAMES)
def test_exactly_the_named_file_appears(kind, name, frames, write, tmp_path, monkeypatch):
    """No name is taken for an option, a protocol or a pattern."""
    monkeypatch.chdir(tmp_path)
    name += WRITERS[kind].extensions[0].upper()

    write([(name, kind)], frames(2, (8, 8)))

    assert os.listdir(tmp_path) == [name]  # noqa: PTH208  names as the system has them


@pytest.mark.parametrize("kind", FILES)
def test_a_link_stays_and_its_target_is_replaced(kind, frames, write, tmp_path):
    """Writing through a symbolic link writes the file it points to."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "file").write_bytes(b"old")
    link(tmp_path / "link", Path("real") / "file")

    write([(tmp_path / "link", kind)], frames(2, (8, 8)))

    assert (tmp_path / "link").is_symlink()
    assert WRITERS[kind].count(tmp_path / "real" / "file") == 2


@posix
def test_the_umask_decides_the_mode(frames, write, tmp_path):
    """A new file or folder has the permissions that any new one of this user has."""
    before = os.umask(0o027)
    try:
        write([(tmp_path / "a.gif", "gif"), (tmp_path / "frames", "png")], frames(2, (8, 8)))
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "a.gif").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "frames").stat().st_mode) == 0o750


@pytest.mark.parametrize(
    ("name", "kind", "reason"),
    [
        (".", "gif", r"is a directory; name a file in it"),
        ("missing/a.gif", "gif", r"there is no directory .*missing; create it first"),
        ("missing/frames", "png", r"there is no directory .*missing; create it first"),
        ("x" * 300, "gif", r"File name too long|at most 255 letters"),
        ("", "gif", "an output without a name"),
        ("file", "png", "is not a directory; pictures go into one"),
        (".", "png", "is the current directory"),
        ("-", "png", "pictures cannot be streamed"),
    ],
)
def test_an_impossible_output_is_refused_before_the_first_frame(name, kind, reason, tmp_path, monkeypatch):
    """One line with the reason, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    Path("file").touch()

    with (
        pytest.raises((StorageError, UsageError), match=reason),
        open_outputs([Target(name, kind)], Clip((8, 8), 25)),
    ):
        raise AssertionError

    assert os.listdir() == ["file"]  # noqa: PTH208  nothing else


@posix
@pytest.mark.skipif(IS_ROOT, reason="root may write anywhere")
def test_a_directory_may_be_closed(frames, write, tmp_path):
    """A directory without write permission is reported before the first frame."""
    (tmp_path / "closed").mkdir(mode=0o555)

    with pytest.raises(StorageError, match=r"cannot write in .*: Permission denied"):
        write([(tmp_path / "closed" / "a", "gif")], frames(2, (8, 8)))


# What exists


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("meanwhile", [False, True])
def test_no_clobber_keeps_what_exists(kind, meanwhile, frames, write, path_of):
    """An existing output stays, also one that appears during the render."""
    pictures, path = frames(2, (8, 8)), path_of(kind)

    def theirs():
        if WRITERS[kind].makes == "folder":
            path.mkdir()
        (path / "theirs" if path.is_dir() else path).write_bytes(b"theirs")

    class Meanwhile(list):
        def __iter__(self):
            theirs()
            return super().__iter__()

    if not meanwhile:
        theirs()
    with pytest.raises(OutputExistsError, match="exists already"):
        write([(path, kind)], Meanwhile(pictures) if meanwhile else pictures, no_clobber=True)

    assert (path / "theirs" if path.is_dir() else path).read_bytes() == b"theirs"


@pytest.mark.parametrize("kind", WRITERS)
def test_no_clobber_writes_what_is_new(kind, frames, write, path_of):
    """A new output is written."""
    write([(path_of(kind), kind)], frames(2, (8, 8)), no_clobber=True)

    assert WRITERS[kind].count(path_of(kind)) == 2


@pytest.mark.parametrize("meanwhile", [False, True])
@pytest.mark.parametrize("name", ["frame_0009.png", "frame_0001.txt", "notes.txt", "folder"])
def test_a_folder_with_foreign_files_is_refused(name, meanwhile, frames, write, tmp_path):
    """A folder is replaced only if boidsgen wrote every file in it; one that is refused stays as it is."""
    folder, pictures = tmp_path / "frames", frames(2, (8, 8))
    write([(folder, "png")], pictures)

    def add():
        (folder / name).mkdir() if name == "folder" else (folder / name).write_bytes(b"theirs")

    class Meanwhile(list):
        def __iter__(self):
            add()
            return super().__iter__()

    if not meanwhile:
        add()
    with pytest.raises(StorageError, match=rf"holds other things than frames \({name}\)"):
        write([(folder, "png")], Meanwhile(pictures) if meanwhile else pictures)

    assert sorted(os.listdir(folder)) == sorted(["frame_0001.png", "frame_0002.png", name])  # noqa: PTH208


def test_an_earlier_folder_is_replaced_as_a_whole(frames, write, tmp_path):
    """No frame of a longer, earlier run stays."""
    write([(tmp_path / "frames", "png")], frames(5, (8, 8)))
    write([(tmp_path / "frames", "png")], frames(3, (8, 8)))

    assert len(list((tmp_path / "frames").iterdir())) == 3


def test_an_output_that_is_an_input_is_refused(tmp_path):
    """By whatever name, and so is the folder that an input is in; outside of the block nothing is remembered."""
    path = tmp_path / "a.toml"
    path.touch()
    link(tmp_path / "link", path)

    with guard_inputs():
        remember_input(path)
        remember_input(tmp_path / "missing")
        refuse_input(str(tmp_path / "other"))
        for name in (path, tmp_path / "link", tmp_path / "." / "a.toml", tmp_path):
            with pytest.raises(UsageError, match="is already what is read"):
                refuse_input(str(name))
        with pytest.raises(UsageError), open_file(str(path)):
            pass
    refuse_input(str(path))


# Streams


@posix
@pytest.mark.parametrize("kind", FILES)
def test_a_named_pipe_is_streamed_into(kind, frames, write, tmp_path):
    """The reader of a pipe gets the whole file, and the pipe stays a pipe."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()

    write([(pipe, kind)], frames(3, (8, 8)), no_clobber=True)

    reader.join()
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    (tmp_path / "copy").write_bytes(received[0])
    assert WRITERS[kind].count(tmp_path / "copy") == 3


@posix
@pytest.mark.parametrize("kind", FILES)
def test_devices_are_written_to(kind, frames, write):
    """/dev/null takes everything and is not replaced; a full device is reported, even for the last bytes."""
    write([("/dev/null", kind)], frames(3, (8, 8)))
    with pytest.raises(StorageError, match=r"^/dev/full: No space left on device"):
        write([("/dev/full", kind)], frames(3, (8, 8)))

    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1"])
def test_standard_output_gets_the_file(kind, name, frames, write, tmp_path, capfdbinary):
    """Standard output gets the whole file and nothing else."""
    write([(name, kind)], frames(3, (8, 8)))

    (tmp_path / "copy").write_bytes(capfdbinary.readouterr().out)
    assert WRITERS[kind].count(tmp_path / "copy") == 3


def test_redirected_standard_output_is_appended_to(tmp_path):
    """`>> file` appends: the file behind standard output is neither opened again nor replaced."""
    script = "from boidsgen.output.publish import open_file\nwith open_file('/dev/stdout') as file: file.write(b'new')"
    (tmp_path / "file").write_bytes(b"before ")
    with (tmp_path / "file").open("ab") as file:
        subprocess.run([sys.executable, "-c", script], stdout=file, check=True)

    assert (tmp_path / "file").read_bytes() == b"before new"


def test_a_terminal_gets_no_pictures(frames, write, monkeypatch):
    """Bytes are not written to a terminal."""
    monkeypatch.setattr(os, "isatty", lambda _: True)

    with pytest.raises(UsageError, match="standard output: is a terminal"):
        write([("-", "gif")], frames(2, (8, 8)))


def test_a_socket_is_refused(frames, write, tmp_path, monkeypatch):
    """Anything but a file, a pipe or a device is refused, not replaced."""
    monkeypatch.setattr(publish, "_mode", lambda _: stat.S_IFSOCK)

    with pytest.raises(StorageError, match="is neither a file nor a pipe"):
        write([(tmp_path / "socket", "gif")], frames(2, (8, 8)))


@pytest.mark.parametrize("kind", FILES)
def test_a_reader_that_leaves_is_reported(kind, frames, write):
    """A pipe without a reader ends the render with a reason."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        with pytest.raises(StorageError, match=r"Invalid argument|Broken pipe" if WINDOWS else "Broken pipe"):
            write([(f"/dev/fd/{writer}", kind)], frames(5, (64, 48)))
    finally:
        os.close(writer)


# Faults


@posix
@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("limit", [10, 100, 5000])
def test_a_full_disk_is_reported(kind, limit, path_of):
    """At whatever byte the disk is full, nothing is published and the reason is the system's."""
    script = f"""
import resource, sys
import numpy as np
from boidsgen.drawing.frame import Frame
from boidsgen.errors import StorageError
from boidsgen.output.base import Clip
from boidsgen.output.outputs import open_outputs
from boidsgen.output.targets import Target
random = np.random.default_rng(1)
palette = random.integers(0, 256, (255, 3)).astype(np.uint8)
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
try:
    with open_outputs([Target({str(path_of(kind))!r}, {kind!r})], Clip((128, 96), 25)) as outputs:
        for _ in range(12):
            outputs.write(Frame(random.integers(0, 255, (96, 128)).astype(np.uint8), palette))
except StorageError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.startswith(f"{path_of(kind)}: File too large")
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""
    assert not path_of(kind).exists()


ERRORS = [OSError(5, "Input/output error"), OSError(12, "no memory"), KeyboardInterrupt(), MemoryError()]


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("call", ["fsync", "replace", "open", "mkdir"])
@pytest.mark.parametrize("error", ERRORS, ids=["EIO", "ENOMEM", "Ctrl-C", "memory"])
def test_each_call_may_fail(kind, call, error, frames, write, path_of, monkeypatch):
    """Fail the first, second, third … call of one kind until all succeed: old or complete new content every time."""
    write([(path_of(kind), kind)], frames(3, (16, 16)))
    real = getattr(os, call)
    for number in range(20):
        calls = iter(range(number))

        def failing(*arguments, calls=calls, **options):
            if next(calls, None) is None and not failing.done:
                failing.done = True
                raise error
            return real(*arguments, **options)

        failing.done = False
        with monkeypatch.context() as patch:
            patch.setattr(os, call, failing)
            with suppress(StorageError, LimitError, EncoderError, KeyboardInterrupt, MemoryError):
                write([(path_of(kind), kind)], frames(5, (16, 16)))
        assert WRITERS[kind].count(path_of(kind)) in {3, 5}
        assert leftovers(path_of(kind).parent) == []
        if not failing.done:
            break
    assert WRITERS[kind].count(path_of(kind)) == 5


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("moment", [0, 3])
@pytest.mark.parametrize("error", [KeyboardInterrupt(), Interrupted(15), ValueError("x")], ids=repr)
def test_an_interruption_leaves_nothing(kind, moment, error, frames, path_of):
    """Whatever stops a render, the old output stays and nothing temporary does."""
    with (  # noqa: PT012  the point is when it is raised
        pytest.raises(type(error)),
        open_outputs([Target(str(path_of(kind)), kind)], Clip((16, 16), 25)) as outputs,
    ):
        for picture in frames(moment, (16, 16)):
            outputs.write(picture)
        raise error

    assert list(path_of(kind).parent.iterdir()) == []


def test_a_folder_that_cannot_be_replaced_comes_back(frames, write, tmp_path, monkeypatch):
    """If the second of the two renames fails, the first is undone."""
    folder = tmp_path / "frames"
    write([(folder, "png")], frames(3, (8, 8)))
    real = system.replace

    def failing(temporary, final):
        if final == folder:
            raise OSError(5, "Input/output error")
        real(temporary, final)

    monkeypatch.setattr(system, "replace", failing)
    with pytest.raises(StorageError, match=r"Input/output error"):
        write([(folder, "png")], frames(5, (8, 8)))

    assert WRITERS["png"].count(folder) == 3
    assert os.listdir(tmp_path) == ["frames"]  # noqa: PTH208  nothing else


def test_an_earlier_folder_that_stays_is_named(frames, write, tmp_path, monkeypatch):
    """The new frames are in place, and the message says where the earlier ones are."""
    folder = tmp_path / "frames"
    write([(folder, "png")], frames(3, (8, 8)))
    with monkeypatch.context() as patched:

        def refused(_):
            raise PermissionError(13, "Permission denied")

        patched.setattr(Path, "rmdir", refused)
        with pytest.raises(StorageError, match=r"is complete, but the earlier one stays as .*Permission denied"):
            write([(folder, "png")], frames(5, (8, 8)))

    assert WRITERS["png"].count(folder) == 5
    assert len(leftovers(tmp_path)) == 1
    publish.remove_temporaries()


LONG = ["quickstart", "--size", "64x64", "--set", "limits.frames=1000000", "--frames", "100000"]


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", 0)])
@pytest.mark.parametrize("pause", [0.0, 0.05, 0.3])
def test_a_signal_leaves_nothing(number, pause, tmp_path):
    """SIGINT, SIGTERM and SIGHUP, from the first temporary file on: documented exit code, old file, nothing else."""
    (tmp_path / "a.gif").write_bytes(b"old")
    outputs = [f"-o{tmp_path / name}" for name in ("a.gif", "b.mp4")]
    before = signal.signal(number, signal.default_int_handler)  # what we ignore, children ignore too
    process = subprocess.Popen(
        [sys.executable, "-m", "boidsgen", "render", *LONG, *outputs], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    signal.signal(number, before)
    while process.poll() is None and not leftovers(tmp_path):
        time.sleep(0.002)
    time.sleep(pause)
    process.send_signal(number)
    _, complaint = process.communicate(timeout=60)

    assert process.returncode == 128 + number
    assert complaint.decode().splitlines() == [f"boidsgen: stopped by {signal.Signals(number).name}"]
    assert os.listdir(tmp_path) == ["a.gif"]  # noqa: PTH208  nothing else
    assert (tmp_path / "a.gif").read_bytes() == b"old"


@posix
@pytest.mark.parametrize("call", ["touch", "mkdir", "replace", "unlink"])
@pytest.mark.parametrize("after", [False, True])
def test_a_signal_at_a_critical_call_leaves_nothing(call, after, tmp_path):
    """Right before and right after a file is made, renamed or removed: complete outputs or none, nothing temporary."""
    script = f"""
import os, signal, sys
from pathlib import Path
from boidsgen.cli.main import run
real = Path.{call}
def interrupted(path, *arguments, **options):
    if not {after}: os.kill(os.getpid(), signal.SIGTERM)
    made = real(path, *arguments, **options)
    if {after}: os.kill(os.getpid(), signal.SIGTERM)
    return made
Path.{call} = interrupted
sys.exit(run(["render", "quickstart", "--frames", "3", "--size", "64x64", *sys.argv[1:]]))
"""
    arguments = [f"-o{tmp_path / 'a.gif'}", f"-o{tmp_path / 'frames'}/", "--format", "png"]
    for chosen in (arguments[:1], arguments[1:]):
        done = subprocess.run([sys.executable, "-c", script, *chosen], capture_output=True, check=False)
        assert done.returncode in {0, 143}, done.stderr
        assert b"Traceback" not in done.stderr
    assert leftovers(tmp_path) == []
    if (tmp_path / "a.gif").exists():
        assert WRITERS["gif"].count(tmp_path / "a.gif") == 3


@pytest.mark.parametrize("kind", WRITERS)
def test_a_kill_leaves_the_old_output_and_a_telling_name(kind, frames, write, path_of):
    """After SIGKILL the old output stands; the temporary file is named after it, and `leftovers` finds it."""
    write([(path_of(kind), kind)], frames(3, (64, 48)))
    script = f"""
import os
import numpy as np
from boidsgen.drawing.frame import Frame
from boidsgen.output.base import Clip
from boidsgen.output.outputs import open_outputs
from boidsgen.output.targets import Target
with open_outputs([Target({str(path_of(kind))!r}, {kind!r})], Clip((64, 48), 25)) as outputs:
    outputs.write(Frame(np.zeros((48, 64), np.uint8), np.zeros((1, 3), np.uint8)))
    os.kill(os.getpid(), 9)
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode in {9, -9}
    left = leftovers(path_of(kind).parent)

    assert WRITERS[kind].count(path_of(kind)) == 3
    assert [path.name.startswith(f".boidsgen-{path_of(kind).name}-") for path in left] == [True]
    for path in left:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def test_two_renders_of_one_file_both_succeed(frames, tmp_path):
    """The last to finish wins, with a complete file."""
    pictures = frames(4, (8, 8))
    target = [Target(str(tmp_path / "a.gif"), "gif")]
    with open_outputs(target, Clip((8, 8), 25)) as first, open_outputs(target, Clip((8, 8), 25)) as second:
        for picture in pictures:
            first.write(picture)
            second.write(picture)
        first.write(pictures[0])

    assert WRITERS["gif"].count(tmp_path / "a.gif") == 5

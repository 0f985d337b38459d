"""What differs between systems, held to the same contract on each of them."""

import gc
import os
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


def _python(code, *arguments, **options):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)], stdin=subprocess.PIPE, **options
    )


CLAIMING = """
    import sys
    from pathlib import Path
    from boidsgen import system
    claimed = system.claim(Path(sys.argv[1]))
    print(claimed is not None, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(params=["file", "folder"])
def place(request, tmp_path):
    """Something that can be claimed."""
    path = tmp_path / "part"
    if request.param == "file":
        system.create(path)
    else:
        path.mkdir()
    return path


def test_what_is_claimed_is_claimed_for_others_until_it_is_released(place):
    """One claim at a time; another process gets none, and sees that there is one."""
    claim = system.claim(place)

    assert claim is not None
    assert system.claim(place) is None
    with _python(CLAIMING, place, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline().split() == [b"False"]
    claim.release()
    system.claim_abandoned(place).release()


def test_a_claim_ends_with_its_process(place):
    """A process that is killed leaves no claim."""
    with _python(CLAIMING, place, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline().split() == [b"True"]
        assert system.claim_abandoned(place) is None
        other.kill()
        other.wait()
    claim = system.claim_abandoned(place)
    claim.release()

    assert claim is not None


def test_a_child_holds_the_claim_that_it_shares(place):
    """What a child shares is claimed until the child ends, even if we let go of it."""
    claim = system.claim(place)
    with _python("import sys; sys.stdin.read()", stdout=subprocess.DEVNULL, **system.child_options(claim)) as child:
        claim.release()
        assert system.claim(place) is None
        child.kill()
    system.claim_abandoned(place).release()


def test_who_gives_way_goes_on():
    """A process that lets all others go first does its work all the same."""
    with _python("from boidsgen import system; system.give_way(); print(7)", stdout=subprocess.PIPE) as child:
        assert child.communicate()[0].split() == [b"7"]


def test_what_is_claimed_can_be_renamed(place, tmp_path):
    """A claim does not stand in the way of publication."""
    claim = system.claim(place)
    system.replace(place, tmp_path / "final")
    claim.release()

    assert (tmp_path / "final").exists()


def test_a_file_is_created_once(tmp_path):
    """Of two that create the same file one is told."""
    system.create(tmp_path / "one")

    with pytest.raises(FileExistsError):
        system.create(tmp_path / "one")
    assert (tmp_path / "one").read_bytes() == b""


def test_what_is_flushed_is_unchanged(tmp_path):
    """Files and folders can be flushed."""
    file = tmp_path / "one"
    file.write_bytes(b"content")
    system.flush(file)
    system.flush(tmp_path)

    assert file.read_bytes() == b"content"


def test_names_change_places_or_nothing_happens(tmp_path):
    """Either both names have changed places or neither has."""
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_bytes(b"1")
    other.write_bytes(b"2")
    done = system.exchange(one, other)

    assert (one.read_bytes(), other.read_bytes()) == ((b"2", b"1") if done else (b"1", b"2"))


def test_a_child_reads_what_it_is_handed(tmp_path):
    """A text of any length arrives, and nothing stays beside the output."""
    text = bytes(range(1, 256)) * 1000
    with system.handed_over(text, tmp_path / "clip.part") as (name, options):
        kind, _, where = name.partition(":")
        read = "import os, sys; w = sys.argv[1]; f = open(int(w) if w.isdigit() else w, 'rb'); print(len(f.read()))"
        child = subprocess.run([sys.executable, "-c", read, where], capture_output=True, check=True, **options)

    assert kind in {"pipe", "file"}
    assert int(child.stdout) == len(text)
    assert list(tmp_path.iterdir()) == []


def test_a_signal_leaves_nothing_that_was_handed_over(tmp_path, monkeypatch):
    """Where a signal comes while the text is taken away, it goes all the same, and nobody has a claim on it."""
    unlink, came = os.unlink, []

    def interrupted(*arguments, **options):
        if not came:
            came.append(arguments)
            raise KeyboardInterrupt
        unlink(*arguments, **options)

    with suppress(KeyboardInterrupt), system.handed_over(b"text", tmp_path / "clip.part"):
        beside = list(tmp_path.iterdir())  # none where a child is handed a pipe
        monkeypatch.setattr(os, "unlink", interrupted)
    monkeypatch.undo()

    assert list(tmp_path.iterdir()) == []
    for path in beside:
        system.create(path)
        assert system.claim(path) is not None


ADOPTING = """
    import subprocess, sys
    from boidsgen import system
    child = subprocess.Popen(
        [sys.executable, "-c", "import sys; print('alive', flush=True); sys.stdin.read(); print('over', flush=True)"],
        stdin=subprocess.PIPE,
        **system.child_options(),
    )
    system.adopt(child)
    sys.stdin.read()
"""


def test_a_child_does_not_outlive_us():
    """When a parent is killed its child ends, by its pipe or by its job."""
    with _python(ADOPTING, stdout=subprocess.PIPE) as parent:
        assert parent.stdout.readline().split() == [b"alive"]
        parent.kill()
        rest = parent.stdout.read()  # ends when nobody holds the pipe any more

    assert rest.split() in ([], [b"over"])


def test_a_child_that_is_killed_is_gone():
    """To kill a child ends it at once."""
    child = _python("input()", **system.child_options())
    system.kill(child)
    child.stdin.close()

    assert child.wait() != 0


def test_a_claim_that_fails_is_nobodys(tmp_path, monkeypatch):
    """Where memory ends while something is claimed, somebody else can claim it."""
    path = tmp_path / "part"
    system.create(path)
    with monkeypatch.context() as patched:
        for name in ("lstat", "fstat"):
            patched.setattr(os, name, _without_memory)
        with suppress(MemoryError):
            system.claim(path)
    gc.collect()
    claim = system.claim(path)

    assert claim is not None
    claim.release()


def _without_memory(*_, **__):
    raise MemoryError


@pytest.mark.parametrize("moment", range(10))
def test_whoever_writes_to_a_child_hears_of_its_end(moment, tmp_path):
    """In whatever moment of its start a child is ended: nobody else has the other end of its pipe."""
    with system.handed_over(b"", tmp_path / "clip.part") as (_, options):
        child = _python("import time; time.sleep(60)", **options)
        writer = threading.Thread(target=_write_on, args=(child.stdin,), daemon=True)
        writer.start()
        time.sleep(0.02 * moment)
        system.kill(child)
        child.wait()
        writer.join(10)

    assert not writer.is_alive()


def _write_on(pipe):
    with suppress(OSError), pipe:  # to close it writes what is left
        while True:
            pipe.write(bytes(1 << 16))


def test_at_least_one_core_can_be_used():
    """There is always one, and never more than the machine has."""
    assert system.usable_cores() >= 1


KEPT = ["con.gif", "out/AUX", "a:b.mp4", "x.gif.", "x.gif ", "what?.gif", "C:\\x\\nul.mp4", "x" * 256]
KEPT += ["COM¹.gif", "lpt³.mp4", "conin$", "CONOUT$.gif"]


def test_ordinary_names_are_fine():
    """Nobody objects to letters, digits, spaces inside, dots inside, and other scripts."""
    for name in ("flock.gif", "a b.mp4", "ü/鳥.gif", "../x/y.tar.gif", ".hidden.gif"):
        assert system.name_refusal(name) is None


@pytest.mark.skipif(sys.platform != "win32", reason="other systems take any name")
def test_paths_that_are_too_long_are_refused_where_they_are(monkeypatch):
    """Windows takes paths of 260 letters and more only where it has been told to."""
    monkeypatch.setattr("boidsgen.system.windows_names._long_paths", lambda: False)
    path = "\\".join(["C:", *["x" * 99] * 2, "y.gif"])

    assert "allow long paths" in system.name_refusal(path.replace("y", "y" * 60))
    assert system.name_refusal(path) is None
    monkeypatch.setattr("boidsgen.system.windows_names._long_paths", lambda: True)
    assert system.name_refusal(path.replace("y", "y" * 60)) is None


@pytest.mark.skipif(sys.platform != "win32", reason="other systems take any name")
@pytest.mark.parametrize("name", KEPT)
def test_names_that_windows_keeps_are_refused(name):
    """Devices, streams and forbidden letters are told before any work."""
    assert "Windows" in system.name_refusal(name)


def test_ordinary_files_are_no_devices():
    """Nobody takes a file for a device that begins like one, or lies in a folder that does."""
    for name in ("console.toml", "a/auxiliary.toml", "my aux.toml", "com.toml", "com10.toml", "C:/x/flock.gif", "-"):
        assert system.device_refusal(name) is None


@pytest.mark.skipif(sys.platform != "win32", reason="elsewhere devices have names of their own")
@pytest.mark.parametrize("name", ["aux", "con.toml", "x\\NUL", "C:/x/com1.gif", "nul:", "CONIN$", "\\\\.\\COM12"])
def test_devices_are_not_read(name):
    """To read from a serial port may never end; whoever opens something asks first."""
    assert "device" in system.device_refusal(name)


@pytest.mark.skipif(sys.platform != "win32", reason="elsewhere folders say who may replace the files in them")
def test_what_is_read_only_is_not_replaced(tmp_path):
    """Windows replaces nothing that is read-only, and says so before any work; what is not is nobody's business."""
    path = tmp_path / "a.gif"
    path.touch()
    assert system.replacement_refusal(path) is None
    path.chmod(stat.S_IREAD)
    assert "read-only" in system.replacement_refusal(path)
    assert system.replacement_refusal(tmp_path / "b.gif") is None


@pytest.mark.parametrize("wildcard", ["*.toml", "?.toml", "[ab].toml"])
def test_wildcards_mean_what_they_mean_in_a_shell(wildcard, tmp_path, monkeypatch):
    """On Windows programs themselves find the files that a wildcard means; elsewhere it is a name like any other."""
    monkeypatch.chdir(tmp_path)
    for name in ("b.toml", "a.toml", "c.txt"):
        Path(name).touch()
    found = ["a.toml", "b.toml"] if WINDOWS and "[" not in wildcard else [wildcard]

    assert system.meant_by(wildcard) == found
    assert system.meant_by("*.gif") == ["*.gif"]

"""The kernel's loader: which library it takes, and what it says about one that it cannot use."""

import _ctypes
import shutil
from hashlib import sha256
from pathlib import Path

import pytest

from boidsgen.kernel import build, library
from boidsgen.kernel.library import CHECKSUMS, FILE, FOLDER
from tests.systems import posix


@pytest.fixture
def folder(tmp_path):
    """A copy of the library with its checksums, as a wheel installs them."""
    for name in (FILE, CHECKSUMS):
        shutil.copy(FOLDER / name, tmp_path)
    return tmp_path


def reason(folder):
    """Why the library in a folder cannot be used."""
    with pytest.raises(library.UnusableError) as refused:
        library.load(folder)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def replace(folder, content):
    """Put another file in the place of the library, with a checksum that matches."""
    (folder / FILE).write_bytes(content)
    others = [line for line in (folder / CHECKSUMS).read_text("utf-8").splitlines() if not line.endswith(FILE)]
    lines = [*others, f"{sha256(content).hexdigest()}  {FILE}"]
    (folder / CHECKSUMS).write_text("".join(f"{line}\n" for line in lines), "utf-8")


def test_kernel_is_built():
    """A development installation has the kernel, of its sources as they are; `just kernel` builds it."""
    assert library.missing() is None
    assert library.kernel_notice() is None
    assert library.engine_line().endswith(FILE)


def test_every_available_number_of_lanes_can_be_chosen(folder, monkeypatch):
    """The environment chooses among the lanes that library and processor have, else the largest number is taken."""
    monkeypatch.delenv(library.VARIABLE, raising=False)
    available = library.load(folder).available
    chosen = {}
    for lanes in available:
        monkeypatch.setenv(library.VARIABLE, str(lanes))
        chosen[lanes] = library.load(folder).lanes
    monkeypatch.delenv(library.VARIABLE)

    assert {1, 2} <= {*available} <= {*library.WIDTHS}
    assert chosen == {lanes: lanes for lanes in available}
    assert library.load(folder).lanes == max(available)


@pytest.mark.parametrize("named", ["16", "3", "", "two"])
def test_lanes_that_are_not_there(folder, monkeypatch, named):
    """A number of lanes that nothing here has is named, with those that there are."""
    monkeypatch.setenv(library.VARIABLE, named)

    assert reason(folder).startswith(f"{library.VARIABLE} is {named!r}; this library and processor have 1, 2")


@pytest.mark.skipif(not (FOLDER / "kernel.c").exists(), reason="installed from a wheel, which has no sources")
def test_library_of_a_better_processor(folder, tmp_path_factory):
    """A library that was built where the processor has more lanes is refused, without a call of what this one lacks."""
    target, made = build.native(), tmp_path_factory.mktemp("made")
    parts = [str(FOLDER / "processor.c"), *([str(FOLDER / "runtime.c")] if target.system == "win32" else [])]
    compiler = next(iter(build.compilers(target)))
    build.output_of([*compiler, *build.FLAGS, "-DBUILT=16", *parts, *build.LINKING[target.system], "-o", FILE], made)
    replace(folder, (made / FILE).read_bytes())

    assert reason(folder) == f"{FILE} has no lanes that this processor runs; reinstall boidsgen"


@pytest.mark.parametrize(
    ("environment", "lanes"),
    [({}, [4]), ({build.SWITCH: "all"}, [4, 2, 1]), ({build.CROSS: "linux-x86_64"}, [8, 4, 2, 1])],
    ids=["of a clone", "for tests", "of a wheel"],
)
def test_what_is_compiled(environment, lanes, monkeypatch, tmp_path):
    """A clone gets the lanes of its processor, tests compare all that run on it, and a wheel has all."""
    commands = []
    monkeypatch.delenv(build.SWITCH, raising=False)
    monkeypatch.delenv(build.CROSS, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(build, "runnable", lambda *_: 1 | 2 | 4)
    monkeypatch.setattr(build, "output_of", lambda command, *_: commands.append(command) or "")
    build.link(build.TARGETS["linux-x86_64"], ["cc"], tmp_path / FILE, sanitize=False)
    found = [word for command in commands for word in command if word.startswith(("-DLANES", "-DBUILT"))]

    assert sorted(found) == sorted([f"-DBUILT={sum(lanes)}", *(f"-DLANES={number}" for number in lanes)])


@pytest.mark.parametrize("lost", [FILE, CHECKSUMS])
def test_missing_library(folder, lost):
    """Without the library or its checksums the reason names the file and what helps."""
    (folder / lost).unlink()

    assert reason(folder) == f"{folder / FILE} is missing; reinstall boidsgen with a C compiler or online"


@pytest.mark.parametrize("damage", [lambda old: old[: len(old) // 2], lambda old: old[:0], lambda old: old[:-1] + b"?"])
def test_damaged_library(folder, damage):
    """A library that was cut off, emptied or changed is never loaded."""
    (folder / FILE).write_bytes(damage((folder / FILE).read_bytes()))

    assert reason(folder) == f"{folder / FILE} has changed since the kernel was built; reinstall boidsgen"


@pytest.mark.parametrize("text", [b"nonsense\nfor a while", b"\xff\xfe"])
def test_damaged_checksums(folder, text):
    """Checksums that cannot be read are no reason for a traceback."""
    (folder / CHECKSUMS).write_bytes(text)

    assert reason(folder) == f"{folder / CHECKSUMS} is damaged; reinstall boidsgen"


def test_library_that_the_system_cannot_load(folder):
    """A file with the right checksum that is no library of this system, as of another processor, gives a reason."""
    replace(folder, b"of another processor")

    assert reason(folder).startswith(f"{folder / FILE} cannot be loaded: ")


@pytest.mark.skipif(not (FOLDER / "kernel.c").exists(), reason="installed from a wheel, which has no sources")
def test_sources_that_have_changed(folder):
    """In a clone, a library of earlier sources is not used; the reason says how to build it."""
    shutil.copy(FOLDER / "kernel.c", folder)
    library.load(folder)
    with (folder / "kernel.c").open("a") as source:
        source.write("\n")

    fix = "run `just kernel`, or install boidsgen again"
    assert reason(folder) == f"{folder / 'kernel.c'} has changed since the kernel was built; {fix}"


@pytest.mark.parametrize("line", ["", f"{sha256(b'0.2.0').hexdigest()}  ../version.py\n"], ids=["none", "another"])
def test_library_of_another_release(folder, line):
    """A library with checksums that match, but of another version of the package, is never called."""
    lines = (folder / CHECKSUMS).read_text().splitlines(keepends=True)
    (folder / CHECKSUMS).write_text("".join([one for one in lines if "version.py" not in one] + [line]))

    assert reason(folder) == f"{folder / FILE} was built for another version of boidsgen; reinstall boidsgen"


@posix
def test_another_library_by_our_name(folder):
    """A file that is some library, with a checksum that matches, is not taken for the kernel."""
    replace(folder, Path(_ctypes.__file__).read_bytes())

    assert reason(folder) == f"{folder / FILE} is another library; reinstall boidsgen"

"""The kernel's loader: which library it takes, and what it says about one that it cannot use."""

import _ctypes
import shutil
from hashlib import sha256
from pathlib import Path

import pytest

from boidsgen.kernel import library
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


def test_processor_without_any_lanes():
    """A library whose lanes the processor cannot run is refused."""
    with pytest.raises(library.UnusableError, match="has no lanes that this processor runs"):
        library._chosen(())


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

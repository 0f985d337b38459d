"""Attacks on files: nothing is lost that is not ours, no source is an output, and names keep old or new."""

import errno
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from boidsgen.output import places
from tests.faults.processes import finish, start, until
from tests.faults.setting import FULL, ROOT, SMALL, content, leftovers
from tests.systems import link as make_link
from tests.systems import native, posix

pytestmark = pytest.mark.faults

SWEEP = ("sweep", "small.toml", "--seeds", 2, "-o", "own")
LOST = ("manifest.jsonl", "manifest.csv", "index.html", "nothing")
STRANGERS = ("index.html", "manifest.csv", "manifest.jsonl", "sheet.gif", "seed=1.gif")


def not_a_png(folder):
    """A text that is called like a picture."""
    (folder / "frame_0004.png").write_text("mine")


def other_ending(folder):
    """Files that are called like frames, but for the ending."""
    (folder / "frame_0004.txt").write_text("mine")


def directory(folder):
    """A directory that is called like a frame, with something in it."""
    (folder / "frame_0004.png").mkdir()
    (folder / "frame_0004.png" / "keep").write_text("mine")


def link(folder):
    """A link to one of our own pictures."""
    make_link(folder / "frame_0004.png", folder / "frame_0001.png")


def other_picture(folder):
    """A picture of somebody else."""
    Image.new("P", (4, 4)).save(folder / "frame_0004.png")


def saved_again(folder):
    """One of our pictures, which another program has changed and saved."""
    with Image.open(folder / "frame_0002.png") as picture:
        picture.rotate(90).save(folder / "frame_0002.png", dpi=(72, 72))


def renamed(folder):
    """One of our pictures under the number of another, kept on purpose."""
    shutil.copy(folder / "frame_0001.png", folder / "frame_0007.png")


def cut_off(folder):
    """The beginning of one of our pictures."""
    path = folder / "frame_0003.png"
    path.write_bytes(path.read_bytes()[:60])


def never(*_):
    """States of a run that must not begin."""
    yield pytest.fail("a step was done")


@pytest.mark.parametrize(
    "put", [not_a_png, other_ending, directory, link, other_picture, saved_again, renamed, cut_off]
)
def test_a_folder_of_frames_is_replaced_only_if_all_is_ours(put, boidsgen, here, monkeypatch):
    """A01: what is called like a frame and was not made by us is refused before the first step, by its name."""
    assert boidsgen("render", "small.toml", "--format", "png", "-o", "frames/").code == 0
    put(here / "frames")
    before = content(here)
    monkeypatch.setattr("boidsgen.pipeline.simulate", never)
    ran = boidsgen("render", "small.toml", "--format", "png", "-o", "frames/")

    assert (ran.code, len(ran.lines)) == (5, 1)
    assert "holds other things than frames (frame_" in ran.err
    assert content(here) == before


def test_a_folder_that_changes_meanwhile_is_kept(boidsgen, here, monkeypatch):
    """A01: what a stranger puts there in the last moment comes back with its folder."""
    assert boidsgen("render", "small.toml", "--format", "png", "-o", "frames/").code == 0
    exchange = places.system.exchange

    def late(part, final):
        if not (here / "frames" / "mine.txt").exists() and not (part / "mine.txt").exists():
            (here / "frames" / "mine.txt").write_text("mine")
        return exchange(part, final)

    monkeypatch.setattr(places.system, "exchange", late)
    ran = boidsgen("render", "small.toml", "--format", "png", "-o", "frames/", "--frames", 2)

    assert (ran.code, len(ran.lines)) == (5, 1)
    assert (here / "frames" / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("exchanged", [True, False])
def test_an_earlier_folder_that_stays_is_told(exchanged, boidsgen, here, monkeypatch):
    """B56: what cannot be removed is told in one line with its name and the reason, and goes with the next render."""
    wanted = ("render", "small.toml", "--format", "png", "-o", "frames/")
    assert boidsgen(*wanted).code == 0
    with monkeypatch.context() as patched:
        if not exchanged:
            patched.setattr(places.system, "exchange", lambda *_: False)
        patched.setattr(places.system.Directory, "delete", refusing(PermissionError(errno.EACCES, "Closed to you")))
        ran = boidsgen(*wanted, "--frames", 2)

    (left,) = leftovers(here)
    assert (ran.code, len(ran.lines)) == (0, 1)
    assert "the earlier folder stays as" in ran.err
    assert f"{left} until the next render: Closed to you" in ran.err
    assert len(list((here / "frames").iterdir())) == 2
    again = boidsgen(*wanted)
    assert again.code == 0
    assert left in again.err
    assert leftovers(here) == []


def test_a_folder_that_cannot_step_aside_is_kept(boidsgen, here, monkeypatch):
    """B56: where no folder can be renamed in which a file is open, the new one is complete beside it, and told."""
    wanted = ("render", "small.toml", "--format", "png", "-o", "frames/")
    assert boidsgen(*wanted).code == 0
    before = content(here / "frames")
    renamed = Path.rename

    def rename(path, target):
        if path.name == "frames":
            raise PermissionError(errno.EACCES, "Access is denied")
        return renamed(path, target)

    monkeypatch.setattr(places.system, "exchange", lambda *_: False)
    monkeypatch.setattr(places.system, "is_held", lambda _: True)
    monkeypatch.setattr(Path, "rename", rename)
    ran = boidsgen(*wanted, "--frames", 2)

    assert (ran.code, len(ran.lines)) == (5, 1)
    assert "another program has it open; the new one is complete and called" in ran.err
    assert ran.err.endswith("frames.new\n")
    assert content(here / "frames") == before
    assert len(list((here / "frames.new").iterdir())) == 2


def refusing(error):
    """Refuses whatever it is asked."""

    def refused(*_):
        raise error

    return refused


def test_folders_of_earlier_versions_are_known(boidsgen, here):
    """A01: what version 0.1 wrote into every picture is the mark, so its folders are replaced as before."""
    for options in (("--frames", 3), ("--frames", 2)):
        assert boidsgen("render", "small.toml", "--format", "png", "-o", "frames/", *options).code == 0
        kinds = [kind for kind, _ in chunks(here / "frames" / "frame_0001.png")]
        assert kinds == [b"IHDR", b"iTXt", b"tEXt", b"PLTE", b"IDAT", b"IEND"]  # as in 0.1

    assert len(list((here / "frames").iterdir())) == 2


def chunks(path):
    """The kinds and sizes of the chunks of a PNG."""
    data, at = path.read_bytes(), 8
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        yield kind, size
        at += 12 + size


@pytest.mark.parametrize("name", STRANGERS)
@pytest.mark.parametrize("text", [b"mine", b"", b'{"run": 1}\n', b"<!doctype html>\n<title>mine</title>"])
def test_a_sweep_replaces_nothing_of_strangers(name, text, boidsgen, here):
    """A02: a stranger's file where a sweep would put one of its own ends it before any work, with a way out."""
    if (name, text) == ("manifest.jsonl", b""):
        pytest.skip("holds nothing, and is what a sweep leaves that was killed before its first row")
    arguments = ("--jobs", 1, *(("--vary", "seed=1,2") if name.startswith("seed") else ("--seeds", 2)))
    (here / "own").mkdir()
    (here / "own" / name).write_bytes(text)
    before = content(here)
    ran = boidsgen("sweep", "small.toml", *arguments, "-o", "own")

    assert (ran.code, ran.out, len(ran.lines)) == (5, "", 1)
    assert f"{native(f'own/{name}')}: " in ran.err
    assert "--force-directory" in ran.err
    assert content(here) == before
    assert boidsgen("sweep", "small.toml", *arguments, "-o", "own", "--force-directory").code == 0
    assert (here / "own" / name).read_bytes() != text


def test_a_directory_of_our_own_is_known(boidsgen, here):
    """A02: whatever of a sweep is lost or damaged, what is left is known as ours, as are folders of pictures."""
    for options in ((), ("--format", "png"), ("--format", "mp4"), ("--frames", 1), ("--measures-only",)):
        shutil.rmtree(here / "own", ignore_errors=True)
        for lost in LOST if FULL or not options else LOST[:1]:
            assert boidsgen(*SWEEP, *options, "--jobs", 1).code == 0
            (here / "own" / lost).unlink(missing_ok=True)
            assert boidsgen(*SWEEP, *options, "--jobs", 1, "--force").code == 0, (options, lost)
    with (here / "own" / "manifest.jsonl").open("ab") as file:
        file.write(b'\xff{"run": "see')
    assert boidsgen(*SWEEP, "--measures-only").code == 0


@pytest.mark.parametrize("name", [pytest.param("terminate", marks=posix), "kill"], ids=["TERM", "KILL"])
def test_a_sweep_that_is_stopped_keeps_its_sheet(name, boidsgen, here):
    """A02: stopped in the middle of doing all again, the sheet is the old one; the next call brings the new one."""
    assert boidsgen(*SWEEP).code == 0
    old = (here / "own" / "sheet.gif").read_bytes()
    process = start(*SWEEP, "--force", "--set", "style.theme=paper", "--frames", 40, "--jobs", 1, cwd=here)
    until(lambda: (here / "own" / "manifest.jsonl").read_bytes().count(b"\n") > 2, process)
    getattr(process, name)()
    finish(process)

    assert (here / "own" / "sheet.gif").read_bytes() == old
    assert boidsgen(*SWEEP, "--set", "style.theme=paper", "--frames", 4).code == 0
    new = (here / "own" / "sheet.gif").read_bytes()
    assert new != old
    (here / "own" / "sheet.gif").write_bytes(old)  # stopped after its last run, before its sheet
    assert boidsgen(*SWEEP, "--set", "style.theme=paper", "--frames", 4).code == 0
    assert (here / "own" / "sheet.gif").read_bytes() == new


SOURCES = {
    "render small.gif -o small.gif": "small.gif",
    "render small.gif -o .": "small.gif",
    "render small.npz -o link.gif": "small.npz",
    "render frames/frame_0001.png --format png -o frames": "frames/frame_0001.png",
    "render frames/frame_0001.png --format png -o ./frames/../frames/": "frames/frame_0001.png",
    "render - -o small.toml --format gif": "small.toml",
    "render small.toml -o dir/../small.toml --format gif": "small.toml",
    "still small.png -o .": "small.png",
    "still small.png -o small.png": "small.png",
    "still small.npz -o link.png": "small.npz",
    "simulate small.npz -o small.npz": "small.npz",
    "simulate small.npz -o link.npz": "small.npz",
    "measure small.npz --format csv -o link.npz": "small.npz",
    "measure small.npz --plot link.png": "small.npz",
    "compare small.gif small.toml -o small.gif": "small.gif",
    "compare comparison.gif small.toml -o .": "comparison.gif",
    "compare small.toml small.png -o small.png": "small.png",
    "replay small.gif -o .": "small.gif",
    "replay small.gif -o ./small.gif": "small.gif",
    "sweep seed=1.gif --vary seed=1,2 -o . --frames 9": "seed=1.gif",
    "sweep sheet.gif --seeds 2 -o .": "sheet.gif",
    "sweep sheet.gif --seeds 2 -o . --force-directory": "sheet.gif",
    "sweep manifest.jsonl --seeds 2 -o .": "manifest.jsonl",
    "sweep manifest.jsonl --seeds 2 -o . --force-directory": "manifest.jsonl",
    "sweep manifest.csv --seeds 2 -o . --force-directory --no-sheet": "manifest.csv",
    "sweep own/seed=1/frame_0001.png --vary seed=1,2 -o own --format png": "own/seed=1/frame_0001.png",
    "sweep link.npz --vary seed=1,2 -o npz --format gif --force-directory": "small.npz",
}
"""Commands, each with the source that must stay as it is."""


@pytest.fixture
def sources(boidsgen, here):
    """A directory with a scenario in every kind of file, under names that outputs have."""
    (here / "dir").mkdir()
    for name in ("small", "seed=1", "sheet", "comparison"):
        assert boidsgen("render", "small.toml", "-o", f"{name}.gif").code == 0
    assert boidsgen("render", "small.toml", "-o", "frames", "--format", "png").code == 0
    (here / "own").mkdir()
    shutil.copytree(here / "frames", here / "own" / "seed=1")
    assert boidsgen("still", "small.toml", "-o", "small.png").code == 0
    assert boidsgen("simulate", "small.toml", "-o", "small.npz").code == 0
    for name in ("manifest.jsonl", "manifest.csv"):
        (here / name).write_text(SMALL)
    return here


def with_links(directory):
    """Put links to a source where outputs would go."""
    (directory / "npz").mkdir()
    make_link(directory / "npz" / "seed=1.gif", directory / "small.npz")
    for ending in ("gif", "png", "npz"):
        make_link(directory / f"link.{ending}", "small.npz")


@pytest.mark.parametrize("line", SOURCES)
def test_no_output_is_a_source(line, sources):
    """A03: whatever the command, and by whatever name, what it reads stays as it is, and one line says why."""
    if "link" in line:
        with_links(sources)
    before = content(sources)
    with (sources / "small.toml").open("rb") as file:
        ran = finish(start(*line.split(), cwd=sources, stdin=file))

    assert ran[0] in {2, 5}, ran
    assert ran[2].count("\n") == 1, ran
    kept = content(sources)
    assert kept[native(SOURCES[line])] == before[native(SOURCES[line])]
    assert kept == before


@pytest.mark.parametrize("name", ["hard.gif", "other/hard.gif"])
def test_a_hard_link_to_the_source_leaves_the_source(name, boidsgen, here):
    """A03: another name for the same content is replaced as any name is; the content of the source stays."""
    (here / "other").mkdir()
    os.link(here / "small.toml", here / name)

    assert boidsgen("render", "small.toml", "-o", name).code == 0
    assert (here / "small.toml").read_text() == SMALL


@posix
@pytest.mark.parametrize("closed", ["<&- >&-", "<&- >&- 2>&-", "<&-", "2>&-"])
@pytest.mark.parametrize("ending", ["gif", "mp4"])
def test_closed_descriptors_are_no_files(closed, ending, boidsgen, here):
    """A04: no file that is opened takes the place of a stream that the caller closed."""
    assert boidsgen("render", "small.toml", "-o", f"right.{ending}").code == 0
    shell("render small.toml -o closed." + ending, closed, here)

    assert (here / f"closed.{ending}").read_bytes() == (here / f"right.{ending}").read_bytes()


@posix
@pytest.mark.parametrize("output", ["-", "/dev/stdout", "/dev/fd/1"])
def test_a_closed_stream_is_no_output(output, boidsgen, here):
    """A04: nothing can be written to a standard output that is closed, and nobody pretends it could."""
    assert boidsgen("render", "small.toml", "-o", "right.gif").code == 0
    code = shell(f"render small.toml -o t1.gif -o {output} --format gif", "<&- >&-", here)

    assert code == 5
    assert not (here / "t1.gif").exists()


def shell(command, redirected, directory):
    """Run a command line in a shell with redirections; gives its exit code."""
    words = f'exec "{sys.executable}" -m boidsgen {command} {redirected}'
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(["/bin/bash", "-c", words], cwd=directory, env=environment, check=False).returncode

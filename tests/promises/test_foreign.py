"""Promise 2: nothing that boidsgen did not make is overwritten or deleted; an output is never an input."""

import io
import os
import shutil
import stat
import threading
from pathlib import Path

import pytest
from PIL import Image

from boidsgen import OutputExistsError, render
from tests.promises.setting import FULL, PRODUCTS, content
from tests.running import SCENARIO, SMALL
from tests.systems import WINDOWS, native, posix
from tests.systems import link as make_link

pytestmark = pytest.mark.faults

FRAMES = ("render", SCENARIO, "--format", "png", "-o", "frames/")
STEMS = [
    *("-x", "a:b", "pipe:1", "http:x", "file:x", "out%03d", "%d%s%n", " ", "new\nline", "鳥", "🐦", "e\u0301"),
    *('"', "$(touch pwned)", "a;b|c&d", "*?[x]", "~", "..x", "x" * 240, "\x1b[31m", "\udcff", "con", "C:\\x"),
]
ELSEWHERE = {"C:\\x", "\udcff"}  # No names of files in this folder on Windows


@pytest.mark.parametrize("ending", [".gif", ".mp4", ".Mp4"] if FULL else [".mp4"])
@pytest.mark.parametrize("stem", STEMS, ids=ascii)
def test_exactly_this_file(stem, ending, boidsgen, here):
    """Whatever the name, that file is made and no other, or the name is refused in one line."""
    if WINDOWS and stem in ELSEWHERE:
        pytest.skip("the path of another folder, or no letter")
    before = {path.name for path in here.iterdir()}
    ran = boidsgen("render", SCENARIO, "-o", f"{stem}{ending}", "--quiet", "--frames", 1)
    if WINDOWS and ran.code == 2:
        assert len(ran.lines) == 1
        return

    assert (ran.code, ran.err) == (0, "")
    assert {path.name for path in here.iterdir()} - before == {f"{stem}{ending}"}


def save_again(frame):
    """Change a picture as another program would."""
    with Image.open(frame) as picture:
        picture.rotate(90).save(frame, dpi=(72, 72))


FOREIGN = {
    "a text that is called like a frame": lambda folder: (folder / "frame_0004.png").write_text("mine"),
    "a directory that is called like a frame": lambda folder: (folder / "frame_0004.png" / "keep").mkdir(parents=True),
    "another file": lambda folder: (folder / "notes.txt").write_text("mine"),
    "a picture of another program": lambda folder: Image.new("P", (4, 4)).save(folder / "frame_0004.png"),
    "one of our frames, saved again": lambda folder: save_again(folder / "frame_0002.png"),
}


@pytest.mark.parametrize("put", FOREIGN.values(), ids=FOREIGN)
def test_a_folder_of_frames_is_replaced_only_if_all_is_ours(put, boidsgen, here):
    """A folder with anything in it that we did not make is refused before the first step, however long the clip."""
    assert boidsgen(*FRAMES).code == 0
    assert boidsgen(*FRAMES, "--frames", 2).code == 0
    put(here / "frames")
    before = content(here)
    ran = boidsgen(*FRAMES, "--frames", 200_000)

    assert (ran.code, len(ran.lines)) == (5, 1)
    assert "frames" in ran.err
    assert content(here) == before


@pytest.mark.parametrize("name", ["index.html", "manifest.csv", "manifest.jsonl", "study.toml", "seed=1.gif"])
def test_a_sweep_replaces_no_foreign_file(name, boidsgen, here):
    """A foreign file where a sweep would put one of its own ends it before any work, with a way out."""
    sweep = ("sweep", SCENARIO, *(("--vary", "seed=1,2") if name[:4] == "seed" else ("--seeds", 2)))
    (here / "own").mkdir()
    (here / "own" / name).write_bytes(b"mine")
    before = content(here)
    ran = boidsgen(*sweep, "-o", "own")

    assert (ran.code, ran.out, len(ran.lines)) == (5, "", 1)
    assert native(f"own/{name}") in ran.err
    assert "--force-directory" in ran.err
    assert content(here) == before
    assert boidsgen(*sweep, "-o", "own", "--force-directory").code == 0
    assert (here / "own" / name).read_bytes() != b"mine"


INPUTS = {
    "render small.gif -o small.gif": "small.gif",
    "render small.gif -o .": "small.gif",
    "render small.npz -o link.gif": "small.npz",
    "render frames/frame_0001.png --format png -o ./frames/../frames/": "frames/frame_0001.png",
    "render small.toml -o dir/../small.toml --format gif": "small.toml",
    "still small.png -o .": "small.png",
    "still small.npz -o link.png": "small.npz",
    "simulate small.npz -o link.npz": "small.npz",
    "measure small.npz --format csv -o link.npz": "small.npz",
    "measure small.npz --plot link.png": "small.npz",
    "compare small.toml small.png -o small.png": "small.png",
    "compare comparison.gif small.toml -o .": "comparison.gif",
    "replay small.gif -o ./small.gif": "small.gif",
    "sweep seed=1.gif --vary seed=1,2 -o . --frames 9": "seed=1.gif",
    "sweep study.toml --seeds 2 -o . --force-directory": "study.toml",
    "sweep manifest.jsonl --seeds 2 -o . --force-directory": "manifest.jsonl",
}
"""Commands, each with the input that must stay as it is."""


@pytest.mark.parametrize("line", INPUTS)
def test_no_output_is_an_input(line, boidsgen, here):
    """Whatever the command, and by whatever name, what it reads stays as it is, and one line says why."""
    (here / "dir").mkdir()
    for name in ("small", "seed=1", "comparison"):
        boidsgen("render", SCENARIO, "-o", f"{name}.gif") if "gif" in line else None
    boidsgen(*FRAMES)
    boidsgen("still", SCENARIO, "-o", "small.png")
    boidsgen("simulate", SCENARIO, "-o", "small.npz")
    for name in ("manifest.jsonl", "study.toml"):
        (here / name).write_text(SMALL)
    for ending in ("gif", "png", "npz") if "link" in line else ():
        make_link(here / f"link.{ending}", "small.npz")
    before = content(here)
    ran = boidsgen(*line.split())

    assert ran.code in {2, 5}, ran
    assert len(ran.lines) == 1, ran
    assert content(here) == before


NAMELESS = (
    *("render small.toml", "still small.toml", "compare small.toml --ablate", "measure small.toml"),
    *("simulate small.toml", "leaders small.toml", "gallery", "page small.toml", "course"),
    *("course starter numpy",),
    *("sweep small.toml --seeds 2", "fit small.toml small.toml --vary flock.count=2:9"),
)
"""Commands that lack the name of their output."""


@pytest.mark.parametrize("line", NAMELESS)
def test_a_name_without_letters(line, boidsgen, here):
    """An empty name, as of a variable that a script has not set, is not the current directory."""
    before = content(here)
    ran = boidsgen(*line.split(), "-o", "")

    assert (ran.code, len(ran.lines)) == (2, 1), ran
    assert content(here) == before


def test_hard_links(boidsgen, here):
    """Another name of the old file keeps the old content; another name of the scenario is refused as an output."""
    (here / "old.gif").write_bytes(b"old")
    for name in ("old.gif", SCENARIO):
        os.link(here / name, here / f"hard-{name}")

    assert boidsgen("render", SCENARIO, "-o", "old.gif").code == 0
    assert (here / "hard-old.gif").read_bytes() == b"old"
    assert boidsgen("render", SCENARIO, "-o", f"hard-{SCENARIO}", "--format", "gif").code == 2
    assert (here / SCENARIO).read_text() == SMALL


SAME = [("a.gif", "./a.gif"), ("a.gif", "link.gif"), ("-", "/dev/stdout"), *([("a.gif", "A.GIF")] if WINDOWS else [])]


@pytest.mark.parametrize("outputs", SAME, ids=" ".join)
def test_two_outputs_are_not_the_same(outputs, boidsgen, here):
    """Two outputs of one name are refused before anything is done."""
    if "link.gif" in outputs:
        make_link(here / "link.gif", "a.gif")
    before = content(here)
    ran = boidsgen("render", SCENARIO, *(word for output in outputs for word in ("-o", output)), "--format", "gif")

    assert (ran.code, ran.out, len(ran.lines)) == (2, "", 1)
    assert content(here) == before


def test_no_clobber(boidsgen, here):
    """With --no-clobber nothing that exists is touched, not even by a later output."""
    for product in PRODUCTS.values():
        product.put_old(here)
        before = content(here)
        ran = boidsgen(*product.arguments, "--no-clobber")
        assert (ran.code, len(ran.lines), content(here)) == (4, 1, before)
    assert boidsgen("render", SCENARIO, "-o", "new.gif", "-o", "flock.gif", "--no-clobber").code == 4
    assert content(here) == before


@pytest.mark.parametrize("product", PRODUCTS)
def test_a_link_stays_a_link(product, boidsgen, here):
    """The target of a link is replaced; the link stays, and permissions are those of any new file."""
    wanted = PRODUCTS[product]
    there = here / "there"
    there.mkdir()
    wanted.put_old(there)
    old = content(there)
    link = here / wanted.name.rstrip("/")
    make_link(link, there / wanted.name.rstrip("/"))
    ran = boidsgen(*wanted.arguments)
    target = there / wanted.name.rstrip("/")

    assert ran.code == 0
    assert link.is_symlink()
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(target.stat().st_mode) == (0o777 if target.is_dir() else 0o666) & ~mask
    assert not {*old.values()} & {*content(there).values()} - {b""}


@posix
@pytest.mark.parametrize("ending", ["gif", "mp4"])
def test_a_named_pipe(ending, boidsgen, here):
    """A pipe gets the bytes of the file, and stays a pipe."""
    pipe = here / f"pipe.{ending}"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    ran = boidsgen("render", SCENARIO, "-o", pipe.name, "-o", f"flock.{ending}")
    reader.join()

    assert (ran.code, ran.err) == (0, "")
    assert got == [(here / f"flock.{ending}").read_bytes()]
    assert pipe.is_fifo()


@posix
def test_devices(boidsgen, here):
    """/dev/null takes everything and /dev/full nothing; neither is replaced, nor is a directory."""
    for options in ([], ["--format", "mp4"], ["--no-clobber"]):
        assert boidsgen("render", SCENARIO, "-o", "/dev/null", *options).code == 0
        ran = boidsgen("render", SCENARIO, "-o", "/dev/full", *options)
        assert (ran.code, len(ran.lines)) == (5, 1)
        assert "No space left on device" in ran.err
    for device in ("/dev/null", "/dev/full"):
        assert Path(device).is_char_device()
    (here / "folder.gif").mkdir()
    assert boidsgen("render", SCENARIO, "-o", "folder.gif", "--format", "gif").out == "folder.gif/small.gif\n"


@posix
@pytest.mark.parametrize("product", PRODUCTS)
def test_a_swapped_temporary_file(product, boidsgen, here, monkeypatch):
    """Whoever replaces a temporary file by a link, or its folder, has nothing written through it nor published."""
    (here / "victim").mkdir()
    (here / "victim" / "output").write_text("mine")
    flush = os.fsync
    for swap in ("file", "folder"):

        def swapped(descriptor, swap=swap):
            flush(descriptor)
            for folder in here.glob(".boidsgen-*.part"):
                thing = folder / "output" if swap == "file" else folder
                thing.rename(here / "aside")
                thing.symlink_to(here / "victim" / ("output" if swap == "file" else ""))

        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", swapped)
            ran = boidsgen(*PRODUCTS[product].arguments)
        assert (ran.code, len(ran.lines)) == (5, 1), ran
        for path in here.glob(".boidsgen-*.part"):
            path.unlink()  # the link; a folder that is ours has gone
        shutil.rmtree(here / "aside") if (here / "aside").is_dir() else (here / "aside").unlink()
        assert content(here) == {SCENARIO: SMALL.encode(), "victim": b"", native("victim/output"): b"mine"}


def test_a_name_is_no_proof(boidsgen, here, monkeypatch):
    """A folder that is called like one of ours stays until its owner agrees to its removal."""
    mine = here / ".boidsgen-notes.part" / "deep"
    mine.mkdir(parents=True)
    (mine / "thesis.txt").write_text("precious")
    for line in ("render", "still", "simulate", "measure", "sweep --seeds 2 -o sweep"):
        assert boidsgen(*line.split()[:1], SCENARIO, *line.split()[1:]).code == 0
    assert boidsgen("render", SCENARIO, "-o", ".boidsgen-mine.part", "--format", "gif").code == 2
    for answer, stays in (("", True), ("n\n", True), ("y\n", False)):
        monkeypatch.setattr("sys.stdin", io.StringIO(answer))
        ran = boidsgen("doctor", "--clean", ".")
        assert (ran.code, ran.out, mine.exists()) == (0, "" if stays else ".boidsgen-notes.part\n", stays)
        assert "thesis.txt" in ran.err


MINE = {
    "study.toml": "# boidsgen scenario for my class\n[flock]\ncount = 5\n",
    "manifest.jsonl": '{"run": "wandb-1", "loss": 0.5}\n',
    "manifest.csv": "my notes\nrun,file,status,reason,\n",
    "index.html": '<p>the mark is <script type="application/json" id="study"></p>\n',
    "seed=1.gif": "a text about # boidsgen 0.3.0, numpy 2.0.0",
    "seed=1.series.csv": "my table\nseed,frame,time\n",
    ".boidsgen.lock": "mine",
}
"""What somebody else has written, with a part of ours in it."""


@pytest.mark.parametrize("name", MINE)
def test_a_part_of_ours_is_no_proof(name, boidsgen, here):
    """A file that only mentions what ours begin with is foreign: a sweep leaves it as it is, and says so."""
    (here / "own").mkdir()
    (here / "own" / name).write_text(MINE[name])
    before = content(here)
    ran = boidsgen("sweep", SCENARIO, "--seeds", 2, "-o", "own", "--series", "csv")

    assert (ran.code, len(ran.lines)) == (5, 1)
    assert "not made by boidsgen" in ran.err
    assert content(here) == before


HEADS = {
    "study.toml": "# boidsgen {}, numpy 2.1.0, pillow 11.0.0\nseed = 1\n",
    "manifest.csv": "run,file,status,reason,seconds,frames,seed,seed_number\n",
    "manifest.jsonl": '{{"run": "seed=1", "status": "done", "seal": "{}"}}\n',
    "seed=1.series.csv": "seed,frame,time,polarization\n",
}
"""How the files of earlier versions begin."""


@pytest.mark.turns(2)
@pytest.mark.parametrize("version", ["0.1.0", "0.2.0", "0.3.0"])
def test_files_of_earlier_versions_are_ours(version, boidsgen, here):
    """A directory of an earlier version can be used again."""
    (here / "own").mkdir()
    for name, head in HEADS.items():
        (here / "own" / name).write_text(head.format(version))
    (here / "own" / ".boidsgen.lock").touch()

    assert boidsgen("sweep", SCENARIO, "--seeds", 2, "-o", "own", "--series", "csv").code == 0


CHOSEN = """
render small.toml
render small.toml -o fold/
render small.toml --format html -o fold/
render small.toml --format mp4 -o fold
still small.toml
still small.toml -o fold/
simulate small.toml
simulate small.toml --format csv
simulate small.toml --format parquet
simulate small.toml --format nc
simulate small.toml --format glb
measure small.toml
measure small.toml --format jsonl
measure small.toml --format npz
measure small.toml --format parquet
leaders long.toml
compare small.toml long.toml
tracks table.csv --columns frame,id,x,y --fps 10
replay small.gif -o fold/
"""


@pytest.mark.parametrize("line", CHOSEN.strip().splitlines())
def test_a_name_that_nobody_wrote_replaces_nothing_foreign(line, boidsgen, here):
    """A name that boidsgen chooses takes the place of its own output and of no other file, nor of a link."""
    (here / "table.csv").write_text("frame,id,x,y\n0,1,1,1\n1,1,2,2\n2,1,3,1\n")
    (here / "long.toml").write_text(f"extends = '{SCENARIO}'\ntime.frames = 40\n")
    (here / "fold").mkdir()
    boidsgen("render", SCENARIO, "-o", "small.gif")
    there = content(here)
    for _ in range(2):
        assert boidsgen(*line.split()).code == 0
    (made,) = {name for name in content(here).keys() - there if (here / name).is_file()}
    for mine in (b"precious", b"my notes on # boidsgen 0.3.0, numpy 2.0.0"):
        (here / made).write_bytes(mine)
        before = content(here)
        ran = boidsgen(*line.split())
        assert (ran.code, len(ran.lines)) == (4, 1), ran
        assert ran.err.endswith(f"{made}: was not made by boidsgen, and is kept; name an output by -o NAME\n")
        assert content(here) == before


@posix
def test_a_pipe_with_a_name_that_nobody_wrote(boidsgen, here):
    """A pipe or a device by a chosen name is no output of ours, and nobody waits for its reader."""
    (here / "outputs").mkdir()
    os.mkfifo(here / "outputs" / "small.gif")

    assert boidsgen("render", SCENARIO).code == 4


def test_a_name_that_somebody_wrote_replaces(boidsgen, here):
    """A name after -o is what the user wants replaced, also where it is one that boidsgen would choose."""
    (here / "outputs").mkdir()
    for name in ("x.gif", "outputs/small.gif"):
        (here / name).write_text("old")
        assert boidsgen("render", SCENARIO, "-o", name).code == 0
        assert (here / name).read_bytes().startswith(b"GIF89a")


def test_python_chooses_no_foreign_name_either(here):
    """The same in Python, where a folder is named."""
    (here / "fold").mkdir()
    (here / "fold" / "boids.gif").write_text("precious")
    with pytest.raises(OutputExistsError, match="name an output by -o NAME"):
        render(SCENARIO, "fold/")
    assert (here / "fold" / "boids.gif").read_text() == "precious"

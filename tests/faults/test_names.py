"""Outputs of every name and kind: exactly that one is written, and nothing in its place is lost."""

import ctypes
import os
import stat
import threading
from pathlib import Path

import pytest
from PIL import Image

from boidsgen import system
from tests.faults.processes import finish, start
from tests.faults.setting import OLD_PICTURE, PRODUCTS, SMALL, content
from tests.systems import WINDOWS, posix
from tests.systems import link as make_link

pytestmark = pytest.mark.faults

PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2
STEMS = [
    *("-x", "--help", "a:b", "pipe:1", "http:x", "file:x", "out%03d", "%d%s%n", "two words", " ", "new\nline", "tab\t"),
    *(
        "élan",
        "鳥",
        "🐦",
        "e\u0301",
        "it's",
        '"',
        "$(touch pwned)",
        "`x`",
        "a;b|c&d",
        "*?[x]",
        "~",
        "~root",
        "..x",
        "x.tar",
    ),
    *("x" * 240, "\x1b[31m", "\udcff", "con", "C:\\x", "x=y", "#x", "@x"),
]


ELSEWHERE = {"C:\\x", "\udcff"}
"""No names of files in this folder on Windows."""
ANYTHING = ["-x", "a:b", "two words", "new\nline", "鳥"]


@pytest.mark.parametrize(
    ("stem", "ending"),
    [*((stem, ending) for stem in STEMS for ending in (".gif", ".mp4")), ("-x", ".GIF"), ("-x", ".Mp4")],
    ids=ascii,
)
def test_exactly_this_file(stem, ending, boidsgen, here):
    """T12, T13: whatever the name, that file is made and no other, and its path is told."""
    before = {path.name for path in here.iterdir()}
    ran = boidsgen("render", "small.toml", "-o", f"{stem}{ending}", "--quiet")
    if WINDOWS and stem in ELSEWHERE:
        pytest.skip("the path of another folder, or no letter")
    if reason := system.name_refusal(f"{stem}{ending}"):
        assert (ran.code, ran.err.rpartition(": ")[2]) == (2, f"{reason}\n")
        return

    assert (ran.code, ran.err) == (0, "")
    assert {path.name for path in here.iterdir()} - before == {f"{stem}{ending}"}
    assert os.fsencode(ran.out) == os.fsencode(f"{stem}{ending}\n") or stem == "\udcff"


@pytest.mark.parametrize("stem", [name for name in ANYTHING if system.name_refusal(name) is None], ids=ascii)
def test_scenarios_of_any_name(stem, boidsgen, here):
    """T12: a scenario may be called anything; a mistake in it is one line all the same."""
    (here / f"{stem}.toml").write_text(SMALL)
    (here / f"bad {stem}.toml").write_text("seed = -1")

    assert boidsgen("render", "--", f"{stem}.toml").code == 0
    assert (here / "outputs" / f"{stem}.gif").exists()
    ran = boidsgen("check", "--", f"bad {stem}.toml")
    assert (ran.code, len(ran.lines)) == (3, 1)


@pytest.mark.parametrize("name", ["flock", "flock.avi", "flock.toml", ".gif", "flock.gif.", "flock.gif.bak"])
def test_names_that_tell_no_format(name, boidsgen, here):
    """T13: a name without a known ending is refused, unless --format tells."""
    before = content(here)
    assert boidsgen("render", "small.toml", "-o", name).code == 2
    assert content(here) == before
    refused = system.name_refusal(name)
    assert boidsgen("render", "small.toml", "-o", name, "--format", "gif").code == (2 if refused else 0)


@pytest.mark.parametrize("product", PRODUCTS)
def test_a_link_stays_a_link(product, boidsgen, here):
    """T14: what a link points to is replaced; the link stays, and permissions are those of any new file."""
    wanted = PRODUCTS[product]
    there = here / "there"
    there.mkdir()
    wanted.put_old(there)
    link = here / wanted.name.rstrip("/")
    make_link(link, there / wanted.name.rstrip("/"))
    ran = boidsgen(*wanted.arguments)
    target = there / wanted.name.rstrip("/")

    assert ran.code == 0
    assert link.is_symlink()
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(target.stat().st_mode) == (0o777 if target.is_dir() else 0o666) & ~mask
    assert not {b"old", OLD_PICTURE} & {*content(there).values()}


def test_a_link_to_nowhere(boidsgen, here):
    """T14: a link whose target is missing leads there; one that leads to itself is refused."""
    make_link(here / "flock.gif", here / "later.gif")
    make_link(here / "loop.gif", here / "loop.gif")

    assert boidsgen("render", "small.toml", "-o", "flock.gif").code == 0
    assert (here / "later.gif").is_file()
    ran = boidsgen("render", "small.toml", "-o", "loop.gif")
    assert (ran.code, len(ran.lines)) == (5, 1)
    assert (here / "loop.gif").is_symlink()


def test_a_hard_link_keeps_its_content(boidsgen, here):
    """T14: another name of the old file keeps the old content."""
    (here / "flock.gif").write_bytes(b"old")
    os.link(here / "flock.gif", here / "other.gif")

    assert boidsgen("render", "small.toml", "-o", "flock.gif").code == 0
    assert (here / "other.gif").read_bytes() == b"old"


@posix
@pytest.mark.parametrize("ending", ["gif", "mp4"])
def test_a_named_pipe(ending, boidsgen, here):
    """T15: a pipe gets the bytes of the file, and stays a pipe."""
    pipe = here / f"pipe.{ending}"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    ran = boidsgen("render", "small.toml", "-o", pipe.name, "-o", f"flock.{ending}")
    reader.join()

    assert (ran.code, ran.err) == (0, "")
    assert got == [(here / f"flock.{ending}").read_bytes()]
    assert pipe.is_fifo()


@posix
def test_devices(boidsgen, here):
    """T03, T15: /dev/null takes everything and /dev/full nothing; neither is replaced, nor has a directory a chance."""
    for options in ([], ["--format", "mp4"], ["--no-clobber"]):
        assert boidsgen("render", "small.toml", "-o", "/dev/null", *options).code == 0
        ran = boidsgen("render", "small.toml", "-o", "/dev/full", *options)
        assert (ran.code, ran.err) == (5, "boidsgen: /dev/full: No space left on device\n")
    assert boidsgen("still", "small.toml", "-o", "/dev/null").code == 0
    assert boidsgen("still", "small.toml", "-o", "/dev/full").code == 5
    for device in ("/dev/null", "/dev/full"):
        assert Path(device).is_char_device()
    (here / "folder.gif").mkdir()
    assert boidsgen("render", "small.toml", "-o", "folder.gif", "--format", "gif").out == "folder.gif/small.gif\n"


PLACES = {
    "nowhere/flock.gif": "there is no directory",
    "small.toml/flock.gif": "Not a directory",
    "x" * 256 + ".gif": "File name too long",
    "/proc/flock.gif": "",
    "/".join(["x" * 200] * 30) + ".gif": "File name too long",
}


@pytest.mark.parametrize("product", ["render", "still"])
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=posix) if name.startswith("/proc") else name for name in PLACES],
    ids=lambda name: ascii(name[:20]),
)
@pytest.mark.parametrize("frames", [1, 1000])
def test_places_where_nothing_can_be_written(name, product, frames, boidsgen, here, monkeypatch):
    """T01, T02: an impossible place is told before the first step, however long the clip."""
    monkeypatch.setattr("boidsgen.simulation.run.simulate", None)
    before = content(here)
    path = name if product == "render" else name.replace(".gif", ".png")
    refused = system.name_refusal(path)
    ran = boidsgen(product, "small.toml", "-o", path, "--set", f"time.frames={frames}")

    assert (ran.code, ran.out, len(ran.lines)) == (2 if refused else 5, "", 1)
    assert refused or PLACES[name] in ran.err or (WINDOWS and f"cannot write in {here / 'small.toml'}" in ran.err)
    assert refused is None or refused in ran.err
    assert content(here) == before


@posix
@pytest.mark.parametrize(
    "command", ["render small.toml -o flock.gif", "still small.toml -o flock.png", "new mine.toml"]
)
def test_a_directory_that_is_read_only(command, here):
    """T02: where nothing may be written, there is code 5 and one line, and everything stays as it is."""
    PRODUCTS["gif"].put_old(here)
    before = content(here)
    here.chmod(0o555)
    try:
        code, out, err = finish(start(*command.split(), cwd=here, preexec_fn=obey_permissions))
    finally:
        here.chmod(0o755)

    assert (code, out, err.count("\n")) == (5, "", 1)
    assert err.endswith("Permission denied\n")
    assert content(here) == before


def obey_permissions():
    """Let the program that is started next obey permissions, even where the tests are run by root."""
    for right in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, right, 0, 0, 0)


@pytest.mark.parametrize("name", ["small.toml", "./small.toml", "link.gif", "hard.gif"])
def test_the_scenario_is_no_output(name, boidsgen, here):
    """T16: a render never replaces what it is made from, by whatever name."""
    if name == "link.gif":
        make_link(here / name, "small.toml")
    os.link(here / "small.toml", here / "hard.gif")
    before = content(here)
    ran = boidsgen("render", "small.toml", "-o", name, "--format", "gif")

    assert ran.code == (0 if name == "hard.gif" else 2)
    assert (here / "small.toml").read_text() == SMALL
    if ran.code:
        assert content(here) == before


@pytest.mark.parametrize(
    "outputs", [("a.gif", "a.gif"), ("a.gif", "./a.gif"), ("a.gif", "link.gif"), ("-", "/dev/stdout")], ids=" ".join
)
def test_two_outputs_are_not_the_same(outputs, boidsgen, here):
    """T16: two outputs of one name are refused before anything is done."""
    if "link.gif" in outputs:
        make_link(here / "link.gif", "a.gif")
    before = content(here)
    options = [word for output in outputs for word in ("-o", output)]
    ran = boidsgen("render", "small.toml", *options, "--format", "gif")

    assert (ran.code, ran.out, len(ran.lines)) == (2, "", 1)
    assert content(here) == before


def test_no_clobber(boidsgen, here):
    """T17: with --no-clobber nothing that exists is touched, not even by a later output."""
    for product in PRODUCTS.values():
        product.put_old(here)
        before = content(here)
        ran = boidsgen(*product.arguments, "--no-clobber")
        assert (ran.code, len(ran.lines), content(here)) == (4, 1, before)
    assert boidsgen("render", "small.toml", "-o", "new.gif", "-o", "flock.gif", "--no-clobber").code == 4
    assert content(here) == before


def test_two_at_once(here):
    """T18: two renders to one name both succeed, and the file is complete."""
    both = [
        start("render", "small.toml", "-o", "flock.gif", "--frames", 30, "--seed", seed, cwd=here) for seed in (1, 2)
    ]
    assert [finish(process)[0] for process in both] == [0, 0]
    with Image.open(here / "flock.gif") as picture:
        assert picture.n_frames == 30

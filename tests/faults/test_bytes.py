"""The same bytes every time, and nothing in them about where, when or by whom they were made."""

import json
import re
import struct

import pytest

from boidsgen.simulation import ENGINES
from tests.faults.processes import finish, start
from tests.faults.setting import PRODUCTS, amount, content

pytestmark = pytest.mark.faults

SECRETS = {"USER": "mallorynote", "LOGNAME": "mallorynote", "HOME": "/home/mallorynote", "HOSTNAME": "mallorynote"}
SURROUNDINGS = {
    "another locale": {"LC_ALL": "C", "LANG": "C"},
    "a locale that is not there": {"LC_ALL": "tr_TR.UTF-8", "LANGUAGE": "tr"},
    "another time zone": {"TZ": "Asia/Kathmandu"},
    "another hash seed": {"PYTHONHASHSEED": "4711"},
    "optimized": {"PYTHONOPTIMIZE": "2"},
}
RICH = """\
title = "Everything at once"
world = { size = [96, 64] }
time = { frames = 6, warmup = 3 }
flock = [{ name = "a", count = 20, noise = { weight = 0.1 } }, { name = "b", count = 10, wander = { weight = 0.1 } }]
predators = { count = 2 }
obstacles = { kind = "circle", center = [48, 32], radius = 6 }
style = { theme = "ocean", trails = 3 }
overlay = { hud = true, legend = true }
"""
OUTPUTS = ("-o", "flock.gif", "-o", "flock.mp4")
DATE = re.compile(rb"(19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]|[0-2][0-9]:[0-5][0-9]:[0-5][0-9]")


def made(directory, engine="auto", **environment):
    """What a render and a still give in a directory, and the digest of the frames."""
    directory.mkdir()
    (directory / "small.toml").write_text(RICH)
    process = start("render", "small.toml", *OUTPUTS, "--engine", engine, "--json", cwd=directory, env=environment)
    code, out, err = finish(process)
    assert (code, err) == (0, "")
    return content(directory), {json.loads(line)["digest"] for line in out.splitlines()}


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    """The bytes as they are."""
    return made(tmp_path_factory.mktemp("usual") / "here")


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_same_bytes_everywhere(name, usual, tmp_path):
    """T27: directory, locale, time zone and hash seed do not matter; all outputs of a run have one digest."""
    again = made(tmp_path / "élsewhere, far away", **SURROUNDINGS[name], **SECRETS)

    assert again == usual
    assert len(again[1]) == 1


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("engine", ENGINES)
def test_same_bytes_from_every_engine(engine, threads, usual, tmp_path):
    """T27: numpy and numba give the same file, with one thread and with two."""
    if engine == "numba":
        pytest.importorskip("numba")
    limits = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), threads)
    assert made(tmp_path / "here", engine, **limits) == usual


def test_same_bytes_again(boidsgen, here):
    """T27: the second run replaces a file by its equal; stills and folders of pictures too."""
    for product in PRODUCTS.values():
        boidsgen(*product.arguments)
        before = content(here)
        assert boidsgen(*product.arguments).code == 0
        assert content(here) == before


def test_the_same_film_again_and_again(boidsgen, here):
    """T27: an encoder with more than one thread now and then makes another film; in hundreds one would show."""
    films = set()
    for _ in range(amount(5, 500)):
        ran = boidsgen("render", "small.toml", "-o", "flock.mp4", "--frames", 60)
        assert ran.code == 0, ran
        films.add((here / "flock.mp4").read_bytes())

    assert len(films) == 1


def test_nothing_about_the_maker(tmp_path):
    """T28: no path, user, host or date is in any output, and the times of a film are zero."""
    directory = tmp_path / "mallorynote"
    found, _ = made(directory, **SECRETS)
    for product in ("png", "still"):
        code, *_ = finish(start(*PRODUCTS[product].arguments, cwd=directory, env=SECRETS))
        assert code == 0
    found = content(directory)
    pictures = [data for name, data in found.items() if name != "small.toml" and data]

    assert len(pictures) == 2 + 6 + 1
    for data in pictures:
        assert b"mallorynote" not in data
        assert b"/tmp" not in data
        assert b"small.toml" not in data
        assert not DATE.search(data)
        assert b"tIME" not in data
    for box in (b"mvhd", b"tkhd", b"mdhd"):
        at = found["flock.mp4"].index(box)
        assert struct.unpack_from(">4xQ", found["flock.mp4"], at + 4) == (0,)

"""Promise 4: the same scenario gives the same frames, on every system, engine, number of jobs and processors."""

import json
import re
import struct

import pytest

from boidsgen.simulation.run import ENGINES
from tests.promises.setting import PRODUCTS, content, finish, start
from tests.running import SCENARIO

pytestmark = pytest.mark.faults

SECRETS = {"USER": "mallorynote", "LOGNAME": "mallorynote", "HOME": "/home/mallorynote", "HOSTNAME": "mallorynote"}
SURROUNDINGS = {
    "LC_ALL": "tr_TR.UTF-8",
    "LANGUAGE": "tr",
    "TZ": "Asia/Kathmandu",
    "PYTHONHASHSEED": "4711",
    "PYTHONOPTIMIZE": "2",
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
    """Files of a render in a directory, and the digests of its frames."""
    directory.mkdir()
    (directory / SCENARIO).write_text(RICH)
    process = start("render", SCENARIO, *OUTPUTS, "--engine", engine, "--json", cwd=directory, env=environment)
    code, out, err = finish(process)
    assert (code, err) == (0, "")
    return content(directory), {json.loads(line)["digest"] for line in out.splitlines()}


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    """The bytes as they are."""
    return made(tmp_path_factory.mktemp("usual") / "here")


def test_same_bytes_everywhere(usual, tmp_path):
    """Directory, locale, time zone, hash seed and optimization do not matter; all outputs of a run have one digest."""
    again = made(tmp_path / "élsewhere, far away", **SURROUNDINGS, **SECRETS)

    assert again == usual
    assert len(again[1]) == 1


@pytest.mark.parametrize(
    ("engine", "threads"),
    [
        # In CI by one thread the engine that has no others, and by two the one that has
        pytest.param(engine, threads, marks=pytest.mark.slow if (engine == "numpy") == (threads == "2") else ())
        for engine in ENGINES
        for threads in ("1", "2")
    ],
)
def test_same_bytes_from_every_engine(engine, threads, usual, tmp_path):
    """Numpy and the kernel give the same files, with one thread and with two."""
    limits = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BOIDSGEN_THREADS"), threads)
    assert made(tmp_path / "here", engine, **limits) == usual


def test_same_bytes_again(boidsgen, here):
    """The second run replaces each kind of output by its equal, also among several at a time."""
    for product in PRODUCTS.values():
        boidsgen(*product.arguments)
    before = content(here)
    (here / "other.toml").write_text(RICH)
    for product in PRODUCTS.values():
        assert boidsgen(*product.arguments).code == 0
    assert boidsgen("render", "other.toml", SCENARIO, "--jobs", 2, "-o", ".", "--format", "gif").code == 0
    found = content(here)

    assert {name: found[name] for name in before} == before
    assert found["small.gif"] == before["flock.gif"]


def test_nothing_about_the_maker(tmp_path):
    """No path, user, host or date is in any output, and the times of a film are zero."""
    directory = tmp_path / "mallorynote"
    made(directory, **SECRETS)
    for product in ("png", "still"):
        code, *_ = finish(start(*PRODUCTS[product].arguments, cwd=directory, env=SECRETS))
        assert code == 0
    found = content(directory)
    pictures = [data for name, data in found.items() if name != SCENARIO and data]

    assert len(pictures) == 2 + 6 + 1
    for data in pictures:
        for word in (b"mallorynote", b"/tmp", SCENARIO.encode(), b"tIME"):
            assert word not in data
        assert not DATE.search(data)
    for box in (b"mvhd", b"tkhd", b"mdhd"):
        at = found["flock.mp4"].index(box)
        assert struct.unpack_from(">4xQ", found["flock.mp4"], at + 4) == (0,)

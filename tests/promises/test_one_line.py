"""Promise 3: whatever a user can get wrong is one clear line with a documented exit code; never a traceback."""

import random
import struct
import zlib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.generating import hostile, text, valid
from tests.promises.setting import FULL, amount, content, finish, frames_of, limited, patience, start
from tests.running import SCENARIO
from tests.systems import posix

pytestmark = pytest.mark.faults

FINE, USAGE, INVALID, STORAGE, ENCODER, NOT_FINITE, TOO_MUCH, DIFFERENT = 0, 2, 3, 5, 6, 7, 8, 9
PATIENCE = 60  # Seconds after which a render of three tiny frames counts as hung
TRIES = settings(
    max_examples=amount(60, 5000),
    deadline=None,
    derandomize=not FULL,
    database=None,
    phases=[Phase.generate, Phase.shrink] if FULL else [Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def rendered(document, boidsgen):
    """Render the text of a scenario: in full, or refused with the place and the old file as it was."""
    Path("fuzz.toml").write_bytes(document if isinstance(document, bytes) else document.encode())
    Path("fuzz.gif").write_bytes(b"old")
    with patience(PATIENCE), np.errstate(all="warn", under="ignore"):  # as outside of tests
        ran = boidsgen("render", "fuzz.toml", "-o", "fuzz.gif", "--quiet")
    if ran.code == FINE:
        assert ran.err == ""
        assert frames_of(Path("fuzz.gif"))
    else:
        assert ran.code in {INVALID, NOT_FINITE, TOO_MUCH}, (document[:3000], ran)
        said = [line for line in ran.lines if not line.startswith("  ")]  # the others show the place
        assert said, document[:3000]
        assert all(line.startswith(("fuzz.toml:", "boidsgen: ", "output.")) for line in said), ran.lines[:5]
        assert len(ran.err) < 100_000
        assert Path("fuzz.gif").read_bytes() == b"old"
    assert sorted(content(Path())) == ["fuzz.gif", "fuzz.toml", SCENARIO]
    return ran


@pytest.mark.parametrize("documents", [valid(), hostile()], ids=["valid", "hostile"])
def test_scenarios_by_the_thousand(documents, boidsgen):
    """Whatever stands in a scenario, it is rendered or refused, and the place is named."""
    codes = Counter()

    @TRIES
    @given(documents)
    def one(document):
        codes[rendered(text(document), boidsgen).code] += 1

    one()
    assert codes[FINE] > TRIES.max_examples // 10, codes
    assert codes[INVALID] > 0, codes


def test_anything_at_all(boidsgen):
    """Text and bytes that are no TOML are refused with file and line."""
    anything = st.text(max_size=60) | st.binary(max_size=60) | st.text("[]{}=.\"'#\n\\ax10_-:", max_size=40)

    @TRIES
    @given(anything)
    def one(document):
        assert rendered(document, boidsgen).code in {FINE, INVALID}

    one()


MANY = amount(4_000, 40_000)
LARGE = {
    "fifty megabytes": b"# " + 50_000_000 * b"x",
    "deep lists": b"title = " + 200_000 * b"[",
    "deep tables": b".".join([b"a"] * 100_000) + b" = 1",
    "deep headers": b"[" + b".".join([b"a"] * 100_000) + b"]",
    "deep inline tables": 10_000 * b"a = {" + 10_000 * b"}",
    "a long number": b"seed = " + 500_000 * b"9",
    "many keys": b"".join(b"k%d = 1\n" % number for number in range(MANY)),
    "many tables": MANY * b"[[flock]]\ncount = -1\n",
    "texts without end": b'title = """' + b'\\"""\n' * MANY,
    "zeros": 900_000 * b"\0",
}


@pytest.mark.parametrize("name", LARGE)
def test_large_documents(name, boidsgen):
    """A document of any size and depth is refused in time that grows with its length alone."""
    assert rendered(LARGE[name], boidsgen).code == INVALID


LOUD = [b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x7f\xff\xff\xff", b"\x80", b"[[", b'"""', b"a.a.a.", b"\n", b"1e999"]
MADE = {
    "m.toml": [("check",)],
    "m.gif": [("check",), ("replay", "-o", "again.gif")],
    "m.png": [("check",), ("replay", "-o", "again.png")],
    **{f"m.{kind}": [("check",)] for kind in ("mp4", "webm", "webp", "html", "svg", "pdf")},
    "m.npz": [("check",), ("render", "-o", "again.gif")],
    "s/manifest.jsonl": [("plot", "-o", "again.svg")],
    "t.csv": [("tracks", "--columns", "frame,number,x,y", "--fps", "9", "-o", "again.npz")],
    "t.parquet": [("tracks", "--columns", "frame,number,x,y", "--fps", "9", "-o", "again.npz")],
    "p.csv": [("check", SCENARIO, "--set", 'flock.start.csv="p.csv"')],
    "p.png": [("check", SCENARIO, "--set", 'flock.start.image="p.png"')],
}
"""Kinds of files, and the commands that read them."""
POINTS = "x,y\n1,2\n3,4\n5,6\n"


def altered(data, chance):
    """The bytes after one to four changes: bits, bytes, pieces that are gone, doubled or put in."""
    data = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at, loud = chance.randrange(len(data) + 1), chance.choice(LOUD)
        match chance.randrange(6):
            case 0:
                data[at : at + 1] = bytes(byte ^ (1 << chance.randrange(8)) for byte in data[at : at + 1])
            case 1:
                data[at : at + len(loud)] = loud
            case 2:
                del data[at : at + chance.choice((1, 4, 60))]
            case 3:
                data[at:at] = data[at : at + chance.choice((1, 8, 200))] * chance.choice((1, 300))
            case 4:
                data[at:at] = loud * chance.choice((1, 5000))
            case 5:
                del data[at:]
    return bytes(data)


@pytest.mark.parametrize("name", MADE)
def test_altered_files(name, boidsgen, here):
    """A file that was made well and then altered is read or refused, in lines of our own, in bounded time."""
    if name.startswith("s/"):
        pytest.importorskip("matplotlib")
        assert boidsgen("sweep", SCENARIO, "--seeds", 3, "--measures-only", "-o", "s").code == FINE
    elif name == "m.toml":
        (here / name).write_bytes((here / SCENARIO).read_bytes())
    elif name == "p.csv":
        (here / name).write_text(POINTS)
    else:
        pytest.importorskip("pyarrow") if name.startswith("t.") else None
        simulated, pictures = ("m.npz", "t.csv", "t.parquet"), ("m.png", "p.png", "m.svg", "m.pdf")
        command = {**dict.fromkeys(simulated, "simulate"), **dict.fromkeys(pictures, "still")}.get(name, "render")
        assert boidsgen(command, SCENARIO, "-o", name).code == FINE
    made, path = (here / name).read_bytes(), here / name
    chance = random.Random(name)  # noqa: S311  no secret
    for number in range(amount(6 if name.startswith("s/") else 20, 10_000)):  # a plot takes long
        command, *options = chance.choice(MADE[name])
        path.write_bytes(altered(made, chance))
        with patience(PATIENCE):
            ran = boidsgen(command, *([] if SCENARIO in options else [name]), *options)

        more = set() if command == "check" else {USAGE, STORAGE, NOT_FINITE, DIFFERENT}
        assert ran.code in {FINE, INVALID, TOO_MUCH} | more, (number, ran)
        assert ran.code == FINE or ran.err, number
        assert "Traceback" not in ran.err


@pytest.mark.parametrize("bomb", ["size", "text"])
def test_a_picture_that_would_fill_the_memory(bomb, here, boidsgen):
    """A picture of a size that nobody asked for is not the one that is replayed."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    side = 60_000 if bomb == "size" else 64
    more = chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(80_000_000))) if bomb == "text" else b""
    origin = chunk(b"tEXt", b"Comment\0seed = 3\n[world]\nsize = [64, 48]\n[time]\nframes = 1\n[flock]\ncount = 5\n")
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")
    (here / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n" + head + origin + more + pixels)
    ran = boidsgen("replay", "b.png", "-o", "again.png")

    assert ran.code in {INVALID, DIFFERENT}
    assert len(ran.lines) == 1


PLACES = ["nowhere/flock.gif", "small.toml/flock.gif", "x" * 256 + ".gif", pytest.param("/proc/flock.gif", marks=posix)]


ENDINGS = {"render": ".gif", "still": ".png", "measure": ".csv"}


@pytest.mark.parametrize("command", ENDINGS)
@pytest.mark.parametrize("name", PLACES, ids=lambda name: ascii(name[:20]))
def test_places_where_nothing_can_be_written(name, command, boidsgen, here):
    """An impossible place is reported before the first step, however long the clip."""
    before = content(here)
    path = name.replace(".gif", ENDINGS[command])
    ran = boidsgen(command, SCENARIO, "-o", path, *(["--frames", 100_000] if command != "still" else []))

    assert (ran.code, ran.out, len(ran.lines)) in {(STORAGE, "", 1), (USAGE, "", 1)}
    assert content(here) == before


@posix
@pytest.mark.parametrize("program", ["/nonexistent", "/bin/cat", "/bin/true"])
def test_an_encoder_that_is_none(program, here, boidsgen, monkeypatch):
    """Without a working ffmpeg a film is refused in one line that names the variable; GIF and PNG are as ever."""
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", program)
    ran = boidsgen("render", SCENARIO, "-o", "a.mp4")

    assert (ran.code, len(ran.lines)) == (ENCODER, 1)
    assert "IMAGEIO_FFMPEG_EXE" in ran.err
    assert boidsgen("render", SCENARIO, "-o", "a.gif").code == FINE
    assert boidsgen("doctor").code == FINE
    assert [path.name for path in here.glob("a.*")] == ["a.gif"]


NO_TEXT = [
    ("check", SCENARIO, "--set", 'title="\udcff"'),
    ("compare", SCENARIO, "--with", "title=\udcff", "-o", "c.png"),
    ("sweep", SCENARIO, "--vary", "title=\udcff,a"),
    ("render", SCENARIO, "--set", f"{'a.' * 40_000}a=1"),
    ("render", SCENARIO, "--frames", "9" * 5000),
    ("render", SCENARIO, "--size", "9" * 400 + "x3"),
    ("render", SCENARIO, "--set", "flock.count=" + "9" * 5000),
    ("explain", "flock\n.count\x1b[31m"),
]


@pytest.mark.parametrize("arguments", NO_TEXT, ids=lambda arguments: ascii(" ".join(arguments)[:40]))
def test_arguments_that_are_no_text(arguments, here, boidsgen):
    """An argument that is not UTF-8, or longer than any machine holds, is refused before anything is done."""
    before = content(here)
    ran = boidsgen(*arguments)

    assert ran.code in {USAGE, INVALID}
    assert len(ran.lines) == 1
    assert "\x1b" not in ran.err
    assert content(here) == before


@posix
@pytest.mark.parametrize("limit", range(4, 24) if FULL else (7, 9))
def test_too_few_descriptors(limit, here):
    """If no further file can be opened, there is one line, or the film is whole."""
    command = ("render", SCENARIO, "-o", "flock.mp4")
    code, _, err = finish(start(*command, cwd=here, preexec_fn=limited("RLIMIT_NOFILE", limit)))

    assert code in {FINE, STORAGE, ENCODER}, err
    assert err.count("\n") == (code != FINE)
    assert (here / "flock.mp4").exists() == (code == FINE)

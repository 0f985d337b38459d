"""What was tried against the program on purpose: files and arguments that cost too much, or lead out of the numbers."""

import struct
import sys
import threading
import time
import warnings
import zlib
from pickle import UnpicklingError
from zipfile import ZIP_BZIP2, ZIP_LZMA, ZipFile

import numpy as np
import pytest
from PIL import Image

from boidsgen import __main__ as start
from boidsgen.output.figures import FIGURE_WRITERS
from boidsgen.output.formats import WRITERS
from boidsgen.output.video import Mp4
from boidsgen.scenario.cost import seconds
from boidsgen.simulation import simulate
from boidsgen.simulation.neighbors import compiled, compiled_turns, engines, threads, unusable, vectorized
from boidsgen.simulation.neighbors.request import Request
from tests.faults.setting import FULL, content
from tests.scenario.loaded import loaded

pytestmark = pytest.mark.faults

INVALID, USAGE, TOO_MUCH, DIFFERENT = 3, 2, 8, 9
AT_ONCE = 1.0
"""Seconds of processor time in which a request is refused that is too large by far."""
PATIENCE = 20.0
"""Seconds that a refusal may take on the slowest machine; each of these once took more, or did not end."""


@pytest.fixture
def refused(boidsgen):
    """Runs a command line that is refused in one line, without a trace, before anybody loses patience."""

    def ran(code, *arguments):
        began = time.process_time()
        found = boidsgen(*arguments)

        assert (found.code, len(found.lines)) == (code, 1), found
        assert time.process_time() - began < PATIENCE
        return found.err

    return ran


def obstacles(number):
    """A scenario with so many obstacles, as short as can be."""
    return f"[overlay]\nobstacles = false\n[time]\nframes = 1\n[flock]\ncount = 3\n{'[[obstacles]]%s' * number}" % (
        ("\nradius=3\ncenter=[1,2]\nkind='circle'\n",) * number
    )


def words(number):
    """A scenario with so many texts that get longer wherever they are written down."""
    texts = ",".join([f"'{48_000 * letter}'" for letter in '\\"&' for _ in range(number)])
    return f"[time]\nframes = 1\n[flock]\ncount = 3\n[sweep]\nvary = {{ title = [{texts}] }}"


CARRIERS = [("simulate", "o.npz"), ("still", "o.png"), *(("still", f"o.{name}") for name in FIGURE_WRITERS)]
CARRIERS += [("render", f"o.{name}" if writer.makes == "file" else "o/") for name, writer in WRITERS.items()]
"""Every kind of output that carries its scenario, with the command that makes it."""


@pytest.mark.parametrize(
    "scenario", [obstacles(17_500), words(6)] if FULL else [words(6)], ids=lambda text: text[:9].strip()
)
@pytest.mark.parametrize(("command", "output"), CARRIERS)
def test_what_is_written_is_read(command, output, scenario, here, boidsgen):
    """A05: whatever fits into a scenario is carried by its output and read back from there."""
    (here / "many.toml").write_text(scenario)
    assert boidsgen(command, "many.toml", "-o", output, *(["--format", "png"] * output.endswith("/"))).code == 0
    made = output.replace("/", "/frame_0001.png")

    assert boidsgen("check", made).out.startswith(f"{made}: a valid scenario")
    assert boidsgen("show", made).out.count("&") == scenario.count("&")


FAR = ["world.size=[1e160, 400.0]", "flock.start.radius=1e308", "flock.perception.radius=1e200", "camera.zoom=5e-324"]


@pytest.mark.parametrize("setting", [*FAR, "camera.zoom=1e308", "flock.cohesion.weight=-1e300"])
def test_numbers_that_arithmetic_would_leave(setting, refused):
    """A07, A19: a number so large or so small that a step would leave the numbers is refused by its key."""
    layout = ["--set", 'flock.start="disc"'] if "start" in setting else []

    assert "arithmetic would leave" in refused(INVALID, "measure", "small.toml", *layout, "--set", setting)


DEEP = {
    "quoted names": '"\\"".' * 20_000 + "a = 1",
    "bare names": "a." * 100_000 + "a = 1",
    "headers": "".join(f"[a{number}{'.a' * 25}]\n" for number in range(15_000)),
    "texts without end": 'title = """' + '\\"""\n' * 150_000,
    "keys": "".join(f"k{number} = 1\n" for number in range(90_000)),
    "tables": "obstacles = [" + "{}," * 300_000 + "]",
}


@pytest.mark.parametrize("name", DEEP)
def test_documents_cost_what_they_weigh(name, here, boidsgen):
    """A08: a document of any depth is refused in time that grows with its length alone."""
    (here / "deep.toml").write_text(DEEP[name])
    began = time.process_time()
    ran = boidsgen("check", "deep.toml")

    assert ran.code == INVALID
    assert all(line.startswith("deep.toml:") for line in ran.lines)
    assert time.process_time() - began < PATIENCE


@pytest.mark.parametrize("option", ["--set", "--vary"])
@pytest.mark.parametrize("names", [900, 40_000])
def test_keys_of_options_cost_what_they_weigh(option, names, boidsgen):
    """A08: a key of an option may be as deep as one of a file, and no deeper."""
    command = ("check", "small.toml") if option == "--set" else ("sweep", "small.toml", "--list")
    ran = boidsgen(*command, option, f"{'a.' * names}a=1")

    assert ran.code in {USAGE, INVALID}
    assert len(ran.lines) == 1


def test_a_comment_may_be_deep(here, refused):
    """A08: what an output tells of its origin is read like any document."""
    text = b'columns = 1\nscenarios = [""]\n' + b"a." * 50_000 + b"a = 1\n"
    blocks = b"".join(bytes([len(part)]) + part for part in (text[n : n + 255] for n in range(0, len(text), 255)))
    (here / "deep.gif").write_bytes(struct.pack("<6sHHBBB", b"GIF89a", 8, 8, 0, 0, 0) + b"!\xfe" + blocks + b"\0;")

    assert "damaged" in refused(INVALID, "replay", "deep.gif", "-o", "again.gif")


ABSURD = {
    "a million cubed": "sweep small.toml --vary seed=1:1000000:1000000 --vary flock.max_speed=1:2:1000000",
    "a billion seeds": "sweep small.toml --seeds 1000000000",
    "seeds by frames": "measure small.toml --seeds 10000 --frames 1000000",
    "frames": "render small.toml -o o.gif --frames 100000000",
    "pixels": "render small.toml -o o.gif --size 100000x100000",
    "boids": "simulate small.toml -o o.npz --set flock.count=1000000000",
    "boids of one of several": "compare small.toml --with flock.count=1000000000 -o c.png",
    "steps before a picture": "still small.toml -o o.png --set time.warmup=100000000000",
    "a crowd": "check small.toml --set flock.count=1000000 --set flock.start=center --set time.frames=100000",
}


@pytest.mark.parametrize("name", ABSURD)
def test_absurd_requests_are_refused_at_once(name, boidsgen):
    """A09: what is too much by far is refused before it is written out, within a second of work."""
    began = time.process_time()
    ran = boidsgen(*ABSURD[name].split())

    assert time.process_time() - began < AT_ONCE
    assert ran.code == TOO_MUCH
    assert all(" wanted" in line for line in ran.lines), ran.err
    assert ran.lines


def test_a_title_has_an_end(here, refused):
    """A09: a title longer than any picture is refused by its key."""
    (here / "long.toml").write_text(f"title = '{'t' * 900_000}'")

    assert "title: must have at most 50,000 letters, not 900,000" in refused(INVALID, "check", "long.toml")


def test_many_events_are_checked_quickly(here, boidsgen):
    """A09: events are gone through once, not once for each."""
    events = "".join(f"[[events]]\nat = {at}\nset = {{ 'flock.max_speed' = {at % 7 + 4} }}\n" for at in range(9_000))
    (here / "events.toml").write_text(events)
    began = time.process_time()

    assert boidsgen("check", "events.toml").code == 0
    assert time.process_time() - began < PATIENCE


COSTLY = {
    "flocks": ("[time]\nframes = 2\n" + "[[flock]]\ncount = 1\n" * 600, 10),
    "obstacles": (
        "[time]\nframes = 3\n[flock]\ncount = 3\n" + "[[obstacles]]\nkind='circle'\nradius=3\ncenter=[1,2]\n" * 5_000,
        2,
    ),
    "a crowd": ("[time]\nframes = 9\n[flock]\ncount = 10000\nstart = 'center'\n", 30),
    "letters": (f"title = '{'t ' * 20_000}'\n[time]\nframes = 2\n", 0.5),
}


@pytest.mark.parametrize("name", COSTLY)
def test_costs_are_told_before(name):
    """A09: everything that takes long is in the estimate."""
    text, least = COSTLY[name]

    assert seconds(loaded(text)) > least


def event(at, over, settings):
    """An event that sets these keys."""
    return f"[[events]]\nat = {at}\nover = {over}\nset = {{ {settings} }}\n"


POLYGON = "[[obstacles]]\nkind = 'polygon'\npoints = [[1, 2], [3, 4], [9, 0]]\n"
CLASH = [
    event(3, 0, "'flock.min_speed' = 3.0") + event(4, 5, "'flock.max_speed' = 2.0"),
    event(3, 9, "'flock.max_speed' = 2.0") + event(5, 0, "'flock.min_speed' = 3.5"),
    event(2, 8, "'flock.max_speed' = 9.0") + event(3, 1, "'flock.min_speed' = 5.0"),
    POLYGON + event(1, 5, "'obstacles.points' = [[1, 2], [3, 4], [5, 6], [7, 9]]"),
    event(1, 9, "'flock.cohesion.weight' = 1e308"),
]


@pytest.mark.parametrize("events", CLASH)
def test_events_are_played_before(events, here, refused):
    """A11: a state that cannot be is found when the scenario is loaded, between the events too."""
    (here / "events.toml").write_text(events)

    assert "events" in refused(INVALID, "check", "events.toml")


def test_whole_numbers_move_by_steps(here, boidsgen):
    """A11: a whole number that moves little by little stays one."""
    (here / "events.toml").write_text(
        "[flock]\ncount = 9\nperception = { neighbors = 3 }\n"
        + event(1, 7, "'flock.perception.neighbors' = 10")
        + event(3, 9, "'flock.perception.neighbors' = 1")
    )

    assert boidsgen("measure", "events.toml", "-o", "e.csv", "--frames", "14").code == 0


def test_an_engine_that_cannot_be_had(monkeypatch):
    """A12: where compiled code cannot be loaded, numpy does the same, and the reason is told once."""
    monkeypatch.setattr(unusable, "_reasons", {})
    monkeypatch.setattr(compiled, "machine_code", broken)
    place = np.random.default_rng(1).random((30, 2)) * 50
    asked = (place, place, place, place, [Request(9.0, 360.0, "offset")], np.array([50.0, 50.0]))
    for _ in range(2):
        [found], [right] = engines.ENGINES["numba"].neighbor_sums(*asked), vectorized.neighbor_sums(*asked)
        np.testing.assert_array_equal(found.total, right.total)

    assert unusable.notices() == ["numba cannot be used (its cache is damaged); numpy does the same, more slowly"]


def test_turns_that_cannot_be_had(monkeypatch):
    """A12: so it is where boids move one after the other."""
    monkeypatch.setattr(unusable, "_reasons", {})
    monkeypatch.setattr(compiled_turns, "njit", damaged)
    monkeypatch.setattr(compiled_turns, "_machine_code", compiled_turns._machine_code.__wrapped__)
    scenario = loaded('[time]\nframes = 3\n[flock]\ncount = 9\nupdate = "sequential"')
    for one, other in zip(simulate(scenario, "numba"), simulate(scenario, "numpy"), strict=True):
        np.testing.assert_array_equal(one.flocks[0].position, other.flocks[0].position)

    [notice] = unusable.notices()
    assert "numba cannot be used (its cache cannot be read or written: " in notice


def damaged(*_, **__):
    """What numba does with a damaged file."""
    raise UnpicklingError("pickle data was truncated")


def broken(_):
    """What loading damaged code does."""
    raise unusable.UnusableEngineError("its cache is damaged")


def test_no_more_threads(monkeypatch):
    """A18: where no thread can be started, all parts of the work are done without one."""

    def refuse(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    threads._pool.cache_clear()
    done = []
    threads.in_parallel(done.append, 3)
    threads._pool.cache_clear()

    assert sorted(done) == [0, 1, 2]


def test_more_columns_than_scenarios(boidsgen):
    """A10: columns that would stay empty are left out."""
    assert boidsgen("compare", "small.toml", "small.toml", "--columns", "3", "-o", "c.png").code == 0
    assert boidsgen("compare", "small.toml", "--ablate", "--columns", "9", "-o", "d.png").code == 0


def test_a_picture_of_a_comparison_is_a_frame_of_its_clip(here, boidsgen):
    """A23: charts and trails in a picture have their history."""
    look = ["--set", 'overlay.chart="polarization"', "--set", "style.trails=2", "--size", "320x240", "--frames", "6"]
    for output in ("c.png", "c.gif"):
        assert boidsgen("compare", "small.toml", "small.toml", *look, "-o", output).code == 0

    with Image.open(here / "c.gif") as clip, Image.open(here / "c.png") as picture:
        clip.seek(5)
        np.testing.assert_array_equal(np.asarray(clip.convert("RGB")), np.asarray(picture.convert("RGB")))


@pytest.mark.parametrize("title", ["@STUDY@", "@TITLE@", "</script>"])
def test_a_title_like_a_place_in_the_page(title, here, boidsgen):
    """A13: no title is taken for a place to be filled."""
    ran = boidsgen("sweep", "small.toml", "--seeds", "1", "--measures-only", "-o", "s", "--set", f"title={title}")

    assert ran.code == 0
    assert '"runs": [' in (here / "s" / "index.html").read_text(encoding="utf-8")


UNDECODABLE = [
    ("check", "small.toml", "--set", 'title="\udcff"'),
    ("compare", "small.toml", "small.toml", "--labels", "\udcff,b", "-o", "c.png"),
    ("compare", "small.toml", "--with", "title=\udcff", "-o", "c.png"),
    ("sweep", "small.toml", "--vary", "title=\udcff,a"),
]


@pytest.mark.parametrize("arguments", UNDECODABLE, ids=lambda arguments: arguments[-3])
def test_arguments_that_are_no_text(arguments, here, refused):
    """A14: an argument that is not UTF-8 is refused before anything is done."""
    before = content(here)

    assert "is not UTF-8" in refused(USAGE, *arguments)
    assert content(here) == before


def test_names_that_are_no_text(here, boidsgen):
    """A14: a file may be called what it likes."""
    name = "\udcff.toml"
    try:
        (here / "small.toml").rename(here / name)
    except (OSError, UnicodeError):
        pytest.skip("no such names here")

    assert boidsgen("sweep", name, "--seeds", "1", "--measures-only", "-o", "s").code == 0
    assert boidsgen("compare", name, name, "-o", "c.png").code == 0


@pytest.mark.parametrize("title", ["a $b$ c $d$", "$\\frac$ $", "}{ $ \\"])
def test_a_title_is_no_mathematics(title, here, boidsgen):
    """A16: what a title says stands over the figure as it is."""
    pytest.importorskip("matplotlib")
    (here / "t.toml").write_text(f"title = '{title}'\n[time]\nframes = 2\n[flock]\ncount = 3\n")

    assert boidsgen("measure", "t.toml", "--plot", "p.png").code == 0


HEADERS = {
    "brackets": b"(" * 100,
    "numbers as keys": b"{1:2, 'descr': '<f8', 'fortran_order': False, 'shape': (3,)}",
    "nested": b"{" * 3000,
    "indented": b"   \n  {'descr': '<f8', 'fortran_order': False, 'shape': (3,)}",
    "a large kind": b"{'descr': '<f999999999', 'fortran_order': False, 'shape': (), }",
    "a long text": b"{'descr': '<U999999999', 'fortran_order': False, 'shape': (), }",
    "digits": b"{'descr': '<f8', 'fortran_order': False, 'shape': (" + b"9" * 6000 + b",), }",
}


@pytest.mark.parametrize("name", HEADERS)
def test_headers_of_arrays(name, here, refused):
    """A17: the header of an array is read, not evaluated."""
    header = HEADERS[name] + b"\n"
    with ZipFile(here / "x.npz", "w") as archive:
        archive.writestr("scenario.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)

    assert "x.npz: is damaged" in refused(INVALID, "check", "x.npz")


@pytest.mark.parametrize("packed", [ZIP_LZMA, ZIP_BZIP2])
def test_archives_packed_strangely(packed, here, refused):
    """A17: numpy packs arrays in one way."""
    with ZipFile(here / "x.npz", "w", packed) as archive:
        archive.writestr("scenario.npy", b"\x93NUMPY\x01\x00" + bytes(1000))

    assert "x.npz: is damaged" in refused(INVALID, "check", "x.npz")


def chunk(kind, data):
    """A chunk of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


@pytest.mark.parametrize("bomb", ["size", "text"])
def test_a_picture_that_would_fill_the_memory(bomb, here, boidsgen):
    """A17: a picture of a size that nobody asked for is not the one that is replayed."""
    side = 60_000 if bomb == "size" else 64
    text = chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(80_000_000))) if bomb == "text" else b""
    origin = chunk(b"tEXt", b"Comment\0seed = 3\n[world]\nsize = [64, 48]\n[time]\nframes = 1\n[flock]\ncount = 5\n")
    pixels = chunk(b"IDAT", zlib.compress(bytes(1000)))
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0))
    (here / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n" + head + origin + text + pixels + chunk(b"IEND", b""))
    ran = boidsgen("replay", "b.png", "-o", "again.png")

    assert (ran.code, len(ran.lines)) == (DIFFERENT if bomb == "size" else 3, 1)


def cut(data):
    """Without the last two fifths."""
    return data[: len(data) * 3 // 5]


def zeroed(data):
    """With nothing in the media data."""
    place = data.index(b"mdat") + 4
    return data[:place] + bytes(len(data) - place)


@pytest.mark.parametrize("damage", [cut, zeroed])
def test_a_film_that_is_not_whole(damage, here, boidsgen):
    """The index of a film is not believed: every coded frame must be there."""
    assert boidsgen("render", "small.toml", "-o", "f.mp4", "--frames", "20").code == 0
    data = (here / "f.mp4").read_bytes()

    assert Mp4.count(here / "f.mp4") == 20
    (here / "f.mp4").write_bytes(damage(data))
    with pytest.raises(ValueError, match=r"."):
        Mp4.count(here / "f.mp4")


def test_warnings_are_no_lines(monkeypatch, capsys):
    """A32: what libraries warn their callers of is nothing for users."""
    monkeypatch.setattr(sys, "warnoptions", [])
    monkeypatch.setattr(sys, "argv", ["boidsgen"])
    monkeypatch.setattr("boidsgen.cli.main.run", lambda _: warnings.warn("old", stacklevel=1))
    monkeypatch.setattr("gc.set_threshold", lambda *_: None)
    monkeypatch.setattr("gc.freeze", lambda: None)
    with pytest.raises(SystemExit):
        start.main()

    assert capsys.readouterr().err == ""

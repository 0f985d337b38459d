"""Files that were written well and then altered: whatever is in them, they are read, or refused with a reason.

`pytest tests/faults/test_mutations.py` alters some hundred of each kind; with BOIDSGEN_FAULTS=full it is a hundred
thousand, and BOIDSGEN_MUTATIONS sets any other number.
"""

import os
import random
from pathlib import Path

import pytest
from PIL import ExifTags, Image

from boidsgen.cli.main import run
from boidsgen.studies.sweep.manifest import LINES, Manifest
from tests.faults.bounded import bounded
from tests.faults.processes import finish, start_python
from tests.faults.setting import SMALL, amount

pytestmark = pytest.mark.faults

NUMBER = int(os.environ.get("BOIDSGEN_MUTATIONS", amount(500, 100_000)))
FINE, INVALID, STORAGE, TOO_MUCH, DIFFERENT, USAGE = 0, 3, 5, 8, 9, 2
MEMORY = 4 << 30
"""Bytes of address space."""
PATIENCE = 30
"""Seconds that one file may take."""
MOST = 150_000_000
"""Bytes that the program may take for a file of a megabyte; sixty of them are its own."""
LOUD = [
    b"\xff\xff\xff\xff",
    b"\0\0\0\0",
    b"\x7f\xff\xff\xff",
    b"\x80",
    b"[[",
    b'"""',
    b"a.a.a.a.",
    b"{{",
    b"\n",
    b"1e999",
]

MADE = {
    "toml": ("small.toml", ["check"]),
    "gif": ("m.gif", ["check"]),
    "png": ("m.png", ["check"]),
    "mp4": ("m.mp4", ["check"]),
    "npz": ("m.npz", ["check"]),
    "replayed gif": ("m.gif", ["replay", "-o", "again.gif", "--quiet"]),
    "replayed png": ("m.png", ["replay", "-o", "again.png", "--quiet"]),
    "rendered npz": ("m.npz", ["render", "-o", "again.gif", "--quiet"]),
}
"""Kinds of files, and what is done with each."""


def altered(content, chance):
    """The content after one to four changes: bits, bytes, pieces that are gone, doubled, moved or put in."""
    content = bytearray(content)
    for _ in range(chance.randint(1, 4)):
        chance.choice((_flip, _overwrite, _cut, _double, _insert, _shorten))(content, chance)
    return bytes(content)


def _place(content, chance):
    return chance.randrange(len(content) + 1)


def _flip(content, chance):
    if content:
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)


def _overwrite(content, chance):
    place, loud = _place(content, chance), chance.choice(LOUD)
    content[place : place + len(loud)] = loud


def _cut(content, chance):
    place = _place(content, chance)
    del content[place : place + chance.choice((1, 4, 60))]


def _double(content, chance):
    place = _place(content, chance)
    content[place:place] = content[place : place + chance.choice((1, 8, 200))] * chance.choice((1, 1, 300))


def _insert(content, chance):
    place = _place(content, chance)
    content[place:place] = chance.choice(LOUD) * chance.choice((1, 1, 5000))


def _shorten(content, chance):
    del content[_place(content, chance) :]


@pytest.fixture
def made(boidsgen, here):
    """One well-made file of each kind, by name."""
    assert boidsgen("render", "small.toml", "-o", "m.gif", "-o", "m.mp4").code == FINE
    assert boidsgen("still", "small.toml", "-o", "m.png").code == FINE
    assert boidsgen("simulate", "small.toml", "-o", "m.npz").code == FINE
    return {name: (here / name).read_bytes() for name, _ in MADE.values()} | {"small.toml": SMALL.encode()}


@pytest.mark.parametrize("kind", MADE)
def test_altered_files(kind, made, here, capfd):
    """A17, A08: an altered file is read or refused, in lines of our own, in bounded time and memory."""
    name, (command, *options) = MADE[kind]

    def tried(progress):
        chance = random.Random(f"{kind} 1")  # noqa: S311  no secret
        for number in range(NUMBER if command == "check" else NUMBER // 10):
            progress()
            (here / f"x{Path(name).suffix}").write_bytes(altered(made[name], chance))
            code = run([command, f"x{Path(name).suffix}", *options])
            said = capfd.readouterr().err

            assert code in {FINE, INVALID, STORAGE, TOO_MUCH, DIFFERENT, USAGE, 7}, (number, code, said)
            assert (code == FINE) or said, number
            assert "Traceback" not in said

    bounded(tried, seconds=PATIENCE, memory=MEMORY)


def test_altered_manifests(tmp_path, boidsgen, here):
    """A15: an altered manifest is read, and rows that cannot be believed are none."""
    assert boidsgen("sweep", "small.toml", "--seeds", "3", "--measures-only", "-o", "s").code == FINE
    content = (here / "s" / LINES).read_bytes()
    whole = set(content.splitlines())

    def tried(progress):
        chance = random.Random(1)  # noqa: S311  no secret
        for _ in range(NUMBER):
            progress()
            (tmp_path / LINES).write_bytes(altered(content, chance))
            with Manifest(tmp_path) as manifest:
                kept = list(manifest._rows())

            assert len(kept) <= len(whole)
            assert all(row["status"] == "done" for row in kept)

    bounded(tried, seconds=PATIENCE, memory=MEMORY)


CIRCLE = "{kind='circle',center=[1,2],radius=3},"
WRONG = "{kind='circle',center=1,radius='',margin='',weight='',solid=1},"
POLYGON = "{kind='polygon',points=[%s]},"
WEIGHTY = {
    "wrong entries": f"obstacles = [{WRONG * 15_600}]",
    "wrong entries behind right ones": f"obstacles = [{CIRCLE * 10_000}{WRONG * 8_000}]",
    "wrong points": "obstacles = [" + POLYGON % ("''," * 45_000) * 6 + "]",
    "unknown keys": "".join(f"k{number} = 1\n" for number in range(90_000)),
    "points": "obstacles = [" + POLYGON % ("[1,2]," * 49_000) + "]",
    "obstacles": f"obstacles = [{CIRCLE * 25_000}]",
    "a long text": 'title = """' + "\\n" * 490_000 + '"""',
    "a long number": "seed = " + "9" * 990_000,
    "flocks": "flock = [" + "{}," * 1_000 + "]",
    "headers": "".join(f"[k{number}]\n" for number in range(100_000)),
}
PEAK = """
import re, sys
from boidsgen.cli.main import run
code = run(["check", "x.toml"])
print(code, re.search(r"VmHWM:\\s*([0-9]+) kB", open("/proc/self/status").read())[1])
"""


needs_status = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="asks Linux for the most memory of a process"
)


def checked(here):
    """Exit code and most memory in bytes of a check of x.toml."""
    ran = finish(start_python("-c", PEAK, cwd=here), 300)
    code, peak = map(int, ran[1].splitlines()[-1].split())
    return code, peak * 1024


@needs_status
@pytest.mark.parametrize("name", WEIGHTY)
def test_memory_of_a_check(name, here):
    """A08: a megabyte of anything is checked in little more memory than the program takes itself."""
    (here / "x.toml").write_text(WEIGHTY[name])
    code, peak = checked(here)

    assert code in {FINE, INVALID}
    assert peak < MOST


@needs_status
@pytest.mark.parametrize(("mode", "size"), [("RGB", (4000, 4000)), ("L", (65_535, 244)), ("P", (244, 65_535))])
def test_memory_of_a_check_of_an_image(mode, size, here):
    """A08: so is the largest image that is read, which may be a file of some kilobytes, and lie on its side."""
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6
    Image.new(mode, size).save(here / "x.png", exif=exif)
    (here / "x.toml").write_text('[flock]\nstart = { image = "x.png" }\ncount = 9\n')
    code, peak = checked(here)

    assert code == FINE
    assert peak < MOST

"""Provenance: what outputs carry, and files from strangers."""

import getpass
import re
import struct

import numpy as np
import pytest
from PIL import Image

from boidsgen import load_scenario, render, still
from boidsgen.errors import ScenarioError
from boidsgen.output.provenance import origin
from boidsgen.recording import record
from boidsgen.scenario.provenance import provenance
from boidsgen.scenario.scenario import Scenario

TITLE = 'Quotes "…", back\\slash, = ; # and\nlines'


def small(**document):
    table = {"world": {"size": (64.0, 48.0)}, "time": {"frames": 3}, "flock": {"count": 5}, "title": TITLE, **document}
    return Scenario.model_validate(table)


@pytest.fixture
def made(tmp_path):
    """One output of each kind."""

    def run(scenario):
        for ending in ("gif", "mp4", "webp", "webm"):
            render(scenario, tmp_path / f"flock.{ending}")
        still(scenario, tmp_path / "flock.png")
        record(scenario, tmp_path / "flock.npz")

    return run


@pytest.mark.parametrize("ending", ["gif", "mp4", "webp", "webm", "png", "npz"])
@pytest.mark.parametrize("seed", [0, 7])
def test_every_output_carries_its_scenario(ending, seed, made, tmp_path):
    """The text of a file says versions and seed, loads to its scenario, whatever the file is called."""
    scenario = small(seed=seed)
    made(scenario)
    (tmp_path / f"flock.{ending}").rename(tmp_path / "anything")

    text = origin(tmp_path / "anything", "anything")

    assert provenance(load_scenario(tmp_path / "anything")) == provenance(scenario)
    assert re.search(r"^# boidsgen \S+, numpy \S+, pillow \S+$", text, re.MULTILINE)
    assert f"\nseed = {seed}\n" in text


def test_a_text_of_any_length_comes_back(made, tmp_path):
    """Containers with short blocks, such as the gif's of 255 bytes, hold long texts, too."""
    made(small(title="long " * 3000))

    texts = {ending: origin(tmp_path / f"flock.{ending}", "") for ending in ("gif", "mp4", "npz")}

    assert len(set(texts.values())) == 1
    assert origin(tmp_path / "flock.png", "") == f"# frame 2\n{texts['gif']}"


def test_nothing_personal_is_in_an_output(made, tmp_path):
    """No path, no user name and no date stands in what others are sent."""
    made(small())

    for path in tmp_path.iterdir():
        content = path.read_bytes()
        assert str(tmp_path).encode() not in content
        assert not re.search(rb"20[2-9][0-9]-[01][0-9]-[0-3][0-9]", content)
        if (user := getpass.getuser()) != "root":
            assert user.encode() not in content


def box(kind, content):
    return struct.pack(">I4s", 8 + len(content), kind) + content


FILM = box(b"ftyp", b"isom")
HOSTILE = {
    "gif cut off": b"GIF89a\x10\x00",
    "gif without end": b"GIF89a" + bytes(7) + b"!\xfe" + b"\xff" * 100,
    "gif endless comment": b"GIF89a" + bytes(7) + b"!\xfe" + (b"\x01a" * 5000),
    "gif not text": b"GIF89a" + bytes(7) + b"!\xfe\x02\xff\xfe\x00;",
    "png cut off": b"\x89PNG\r\n\x1a\n\x00\x00",
    "png huge text": b"\x89PNG\r\n\x1a\n" + struct.pack(">I4s", 2**31, b"tEXt"),
    "png leaps away": b"\x89PNG\r\n\x1a\n" + struct.pack(">I4s", 2**32 - 1, b"IDAT"),
    "png short text": b"\x89PNG\r\n\x1a\n" + struct.pack(">I4s", 8, b"iTXt") + b"Comment\0",
    "mp4 cut off": FILM + b"\x00\x00",
    "mp4 over the end": FILM + struct.pack(">I4s", 2**31, b"moov"),
    "mp4 64 bit over the end": FILM + struct.pack(">I4sQ", 1, b"moov", 2**63),
    "mp4 not text": FILM
    + box(
        b"moov", box(b"udta", box(b"meta", bytes(4) + box(b"ilst", box(b"\xa9cmt", box(b"data", bytes(8) + b"\xff")))))
    ),
    "webp cut off": b"RIFF\x08\0\0\0WEBPVP8X",
    "webp over the end": b"RIFF\x0c\0\0\0WEBPVP8X\xff\xff\xff\xff",
    "webm cut off": b"\x1a\x45\xdf\xa3\x80\x18\x53",
    "webm over the end": b"\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\x84\x73\x73\xff\xff",
    "webm no number": b"\x1a\x45\xdf\xa3\x80\0\0\0",
    "webm huge text": b"\x1a\x45\xdf\xa3\x80\x45\xa3\x87COMMENT\x44\x87\x08\x7a\x12\0",
    "svg without end": b'<svg xmlns="http://www.w3.org/2000/svg"><metadata id="boidsgen">seed',
    "pdf cut off": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /EmbeddedFile /Length 99 >>\nstream\nseed",
    "npz no archive": b"PK\x03\x04" + bytes(50),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_give_one_clear_line(content, tmp_path):
    """A file that is cut off or made to harm is told to be damaged, at once."""
    path = tmp_path / "file"
    path.write_bytes(content)

    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)

    assert len(caught.value.mistakes) == 1
    assert "damaged" in str(caught.value)


@pytest.mark.parametrize("array", [np.array(["a", {}], object), np.arange(3), np.array(b"x"), np.array("")])
def test_only_a_text_is_a_text(array, tmp_path):
    """Whatever else stands in the place of the scenario, nothing is unpickled and one line tells."""
    np.savez(tmp_path / "run.npz", scenario=array)

    with pytest.raises(ScenarioError, match=r"damaged|carries no scenario"):
        load_scenario(tmp_path / "run.npz")


@pytest.mark.parametrize("ending", ["gif", "png"])
def test_other_peoples_pictures_tell_nothing(ending, tmp_path):
    """A picture that boidsgen has not made is told apart from a damaged one."""
    Image.new("P", (8, 8)).save(tmp_path / f"cat.{ending}")

    with pytest.raises(ScenarioError, match="boidsgen did not make it"):
        load_scenario(tmp_path / f"cat.{ending}")


@pytest.mark.parametrize("ending", ["gif", "mp4", "webp", "webm", "png", "npz"])
def test_no_cut_is_a_traceback(ending, made, tmp_path):
    """Wherever a file ends too early, the scenario comes back or a clear word does."""
    made(small())
    path = tmp_path / f"flock.{ending}"
    content = path.read_bytes()

    for end in range(16, len(content), max(1, len(content) // 200)):
        path.write_bytes(content[:end])
        try:
            found = load_scenario(path).model_dump()
        except ScenarioError as error:
            assert str(error).startswith(f"{path}: ")  # noqa: PT017  it need not be raised
        else:
            assert found == small().model_dump()

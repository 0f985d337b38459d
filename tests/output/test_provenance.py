"""The scenario that outputs and figures embed, and files from elsewhere."""

import getpass
import re
import struct
from io import BytesIO
from xml.etree import ElementTree as ET

import numpy as np
import pypdfium2
import pytest
from PIL import Image

from boidsgen import load_scenario, render, still
from boidsgen.errors import ScenarioError
from boidsgen.output.formats import origin
from boidsgen.pipeline import record
from boidsgen.scenario.scenario import Scenario, provenance

KINDS = ["gif", "mp4", "webp", "avif", "webm", "mov", "apng", "png", "svg", "pdf", "npz"]


def small(**document):
    title = 'Quotes "…", back\\slash, = ; # < & and\nlines'
    table = {"world": {"size": (64.0, 48.0)}, "time": {"frames": 3}, "flock": {"count": 5}, "title": title, **document}
    return Scenario.model_validate(table)


def make(scenario, path):
    """One output of the kind that the extension selects."""
    if path.suffix in {".png", ".svg", ".pdf"}:
        still(scenario, path)
    elif path.suffix == ".npz":
        record(scenario, path)
    else:
        render(scenario, path)
    return path


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("title", ['"ü" < & \\', "long " * 3000])
def test_every_output_embeds_its_scenario(kind, title, tmp_path):
    """The text has versions and seed, loads to its scenario whatever the file is called, and nothing personal."""
    scenario = small(seed=7, title=title, output={"size": (64, 48)})
    path = make(scenario, tmp_path / f"flock.{kind}").rename(tmp_path / "anything")

    text, content = origin(BytesIO(path.read_bytes()), "anything"), path.read_bytes()

    assert provenance(load_scenario(path)) == provenance(scenario)
    assert re.search(r"^# boidsgen \S+, numpy \S+, pillow \S+$", text, re.MULTILINE)
    assert "\nseed = 7\n" in text
    assert text.startswith("# frame 2\n") == (kind in {"png", "svg", "pdf"})
    assert str(tmp_path).encode() not in content
    assert not re.search(rb"20[2-9][0-9]-[01][0-9]-[0-3][0-9]", content)
    assert (user := getpass.getuser()) == "root" or user.encode() not in content


def box(kind, content):
    return struct.pack(">I4s", 8 + len(content), kind) + content


FILM = box(b"ftyp", b"isom")
HOSTILE = {
    "gif without end": b"GIF89a" + bytes(7) + b"!\xfe" + b"\xff" * 100,
    "gif endless comment": b"GIF89a" + bytes(7) + b"!\xfe" + (b"\x01a" * 5000),
    "gif not text": b"GIF89a" + bytes(7) + b"!\xfe\x02\xff\xfe\x00;",
    "png huge text": b"\x89PNG\r\n\x1a\n" + struct.pack(">I4s", 2**31, b"tEXt"),
    "png leaps away": b"\x89PNG\r\n\x1a\n" + struct.pack(">I4s", 2**32 - 1, b"IDAT"),
    "mp4 over the end": FILM + struct.pack(">I4s", 2**31, b"moov"),
    "mp4 not text": FILM + box(b"moov", box(b"\xa9cmt", box(b"data", bytes(8) + b"\xff"))),
    "avif over the end": box(b"ftyp", b"avis") + struct.pack(">I4s", 2**31, b"mdat"),
    "avif without size": box(b"ftyp", b"avis") + struct.pack(">I4s", 0, b"mdat"),
    "avif not text": box(b"ftyp", b"avis") + box(b"uuid", b"boidsgen.comment\xff"),
    "mov long box": box(b"ftyp", b"qt  ") + struct.pack(">I4sQ", 1, b"mdat", 2**63),
    "mov cut off": box(b"ftyp", b"qt  ") + b"\0\0",
    "webp over the end": b"RIFF\x0c\0\0\0WEBPVP8X\xff\xff\xff\xff",
    "webm huge text": b"\x1a\x45\xdf\xa3\x80\x45\xa3\x87COMMENT\x44\x87\x08\x7a\x12\0",
    "svg without end": b'<svg xmlns="http://www.w3.org/2000/svg"><metadata id="boidsgen">seed',
    "pdf cut off": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /EmbeddedFile /Length 99 >>\nstream\nseed",
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_give_one_line(content, tmp_path):
    """A file that is cut off or malicious is reported as damaged, at once."""
    (tmp_path / "file").write_bytes(content)

    with pytest.raises(ScenarioError, match="damaged") as caught:
        load_scenario(tmp_path / "file")

    assert len(caught.value.errors) == 1


@pytest.mark.parametrize("array", [np.array(["a", {}], object), np.arange(3), np.array(b"x"), np.array("")])
def test_only_a_text_is_a_text(array, tmp_path):
    """Whatever else an archive has in the place of the scenario, nothing is unpickled, and one line says so."""
    np.savez(tmp_path / "run.npz", scenario=array)

    with pytest.raises(ScenarioError, match=r"damaged|embeds no scenario"):
        load_scenario(tmp_path / "run.npz")


@pytest.mark.parametrize("kind", ["gif", "png", "svg", "pdf"])
def test_files_of_other_programs_embed_nothing(kind, tmp_path):
    """They are told apart from damaged ones."""
    path = tmp_path / f"cat.{kind}"
    if kind in {"svg", "pdf"}:
        path.write_text({"svg": '<svg xmlns="http://www.w3.org/2000/svg"/>', "pdf": "%PDF-1.4\nnothing"}[kind])
    else:
        Image.new("P", (8, 8)).save(path)

    with pytest.raises(ScenarioError, match="it was not made by boidsgen"):
        load_scenario(path)


def figure_scenario(**overrides):
    usual = {"time.frames": 6, "flock.count": 5, "title": 'Less < more & "ü" \\ ]]>'}
    return load_scenario("quickstart", overrides=usual | overrides)


def test_others_understand_the_files(tmp_path):
    """An SVG is XML, and a PDF has one page and the scenario attached."""
    for kind in ("svg", "pdf"):
        still(figure_scenario(), tmp_path / f"flock.{kind}", at=3)

    root = ET.parse(tmp_path / "flock.svg").getroot()  # noqa: S314  our own file
    document = pypdfium2.PdfDocument(tmp_path / "flock.pdf")
    attached = document.get_attachment(0)
    assert (root.get("width"), root.get("height")) == tuple(map(str, figure_scenario().picture_size))
    assert (len(document), attached.get_name()) == (1, "scenario.toml")
    assert bytes(attached.get_data()).decode() == origin(BytesIO((tmp_path / "flock.pdf").read_bytes()), "")
    document.close()

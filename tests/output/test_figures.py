"""Figures: complete, with their scenario embedded, and understood by others. Damage: see test_provenance."""

from xml.etree import ElementTree as ET

import pypdfium2
import pytest

from boidsgen import load_scenario, still
from boidsgen.errors import BoidsgenError, OutputExistsError, ReplayError, UsageError
from boidsgen.output.figures import FIGURES
from boidsgen.output.formats import origin
from boidsgen.studies.compare import strip
from boidsgen.studies.replay import original, replay


@pytest.fixture(params=FIGURES)
def kind(request):
    return request.param


def small(**overrides):
    usual = {"time.frames": 6, "flock.count": 5, "title": 'Less < more & "ü" \\ ]]>'}
    return load_scenario("quickstart", overrides=usual | overrides)


def test_a_replay_is_equal_to_the_byte(kind, tmp_path):
    """Of one frame and of a strip; an altered original is an error."""
    still(small(), tmp_path / f"flock.{kind}", at=3)
    strip(small(), tmp_path / f"strip.{kind}", at=(0, 2, 5))
    again = tmp_path / f"again.{kind}"
    for name in ("flock", "strip"):
        replay(original(tmp_path / f"{name}.{kind}"), str(again))
        assert again.read_bytes() == (tmp_path / f"{name}.{kind}").read_bytes()

    again.write_bytes(again.read_bytes() + b"\n")
    with pytest.raises(ReplayError, match="it has been altered since"):
        replay(original(again), str(tmp_path / f"third.{kind}"))


def test_old_or_new(kind, tmp_path, monkeypatch):
    """If writing fails the old figure stays, and an existing one on request; a missing directory is named."""
    path = tmp_path / f"flock.{kind}"
    path.write_bytes(b"old")
    with pytest.raises(OutputExistsError):
        still(small(), path, no_clobber=True)
    with pytest.raises(BoidsgenError, match="there is no directory"):
        still(small(), tmp_path / "absent" / f"flock.{kind}")
    monkeypatch.setattr(FIGURES[kind], "encoded", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        still(small(), path)

    assert (path.read_bytes(), len(list(tmp_path.iterdir()))) == (b"old", 1)


def test_others_understand_the_files(tmp_path):
    """An SVG is XML, and a PDF has one page and the scenario attached."""
    for kind in ("svg", "pdf"):
        still(small(), tmp_path / f"flock.{kind}", at=3)

    root = ET.parse(tmp_path / "flock.svg").getroot()  # noqa: S314  our own file
    document = pypdfium2.PdfDocument(tmp_path / "flock.pdf")
    attached = document.get_attachment(0)
    assert (root.get("width"), root.get("height")) == ("400", "400")
    assert (len(document), attached.get_name()) == (1, "scenario.toml")
    assert bytes(attached.get_data()).decode() == origin(tmp_path / "flock.pdf", "")
    document.close()


def test_without_background(kind, tmp_path):
    """A figure is smaller by the rectangle of its background, and by nothing else that is drawn."""
    given = {"style.transparent": True, "title": ""}
    still(small(**given), tmp_path / f"clear.{kind}")
    still(small(**given | {"style.transparent": False}), tmp_path / f"full.{kind}")

    clear, full = ((tmp_path / f"{name}.{kind}").read_bytes() for name in ("clear", "full"))
    assert clear != full
    if kind == "svg":
        assert (b"<rect" in clear, b"<rect" in full) == (False, True)
        assert clear.rpartition(b"</mask>")[2].count(b"<path") == full.count(b"<path")


def test_a_strip_has_a_background(tmp_path):
    """A film strip, which is a page, refuses to be transparent in one line."""
    with pytest.raises(UsageError, match="a film strip has a ground"):
        strip(small(**{"style.transparent": True}), tmp_path / "a.png", at=[0, 2])

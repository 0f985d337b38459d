"""Figures: complete, with their scenario embedded, and understood by others. Damage: see test_provenance."""

from xml.etree import ElementTree as ET

import pypdfium2
import pytest

from boidsgen import load_scenario, still
from boidsgen.errors import ReplayError, UsageError
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


def test_a_strip_has_a_background(tmp_path):
    """A film strip, which is a page, refuses to be transparent in one line."""
    with pytest.raises(UsageError, match="a film strip has a ground"):
        strip(small(**{"style.transparent": True}), tmp_path / "a.png", at=[0, 2])

import re
from xml.etree import ElementTree as ET

import pytest
from PIL import Image

from boidsgen.errors import UsageError
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.measures import USUAL_MEASURES
from boidsgen.studies.plot import require_matplotlib, write_plot
from boidsgen.studies.series import measured

EXTRA = "matplotlib is an extra: pip install 'boidsgen[plot]'"


@pytest.fixture
def scenario():
    return Scenario.model_validate(
        {
            "title": "Test",
            "world": {"size": (64.0, 48.0)},
            "time": {"frames": 5, "steps_per_frame": 2, "warmup": 3},
            "flock": {"count": 6},
            "events": ({"at": 2, "set": {"flock.alignment.weight": 0.0}},),
        }
    )


@pytest.fixture
def rows(scenario):
    return [[*row.values()] for row in measured(scenario, 3).series()]


def test_figures_can_be_read(scenario, rows, tmp_path):
    """A png opens, an svg is XML, a pdf begins and ends as one; all carry the scenario and none a date."""
    pytest.importorskip("matplotlib", reason=EXTRA)
    for ending in ("png", "svg", "pdf"):
        write_plot(rows, scenario, str(tmp_path / f"fig.{ending}"))

    with Image.open(tmp_path / "fig.png") as image:
        assert min(image.size) > 300
        assert "frames = 5" in image.text["Comment"]
    root = ET.fromstring((tmp_path / "fig.svg").read_text())  # noqa: S314  our own file
    assert root.tag.endswith("svg")
    assert "dc:date" not in (tmp_path / "fig.svg").read_text()
    content = (tmp_path / "fig.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    assert content.rstrip().endswith(b"%%EOF")
    assert not re.search(rb"CreationDate", content)


def test_figures_are_reproducible(scenario, rows, tmp_path):
    """Equal series give equal files."""
    pytest.importorskip("matplotlib", reason=EXTRA)
    for ending in ("png", "svg", "pdf"):
        for name in ("one", "two"):
            write_plot(rows, scenario, str(tmp_path / f"{name}.{ending}"))
        assert (tmp_path / f"one.{ending}").read_bytes() == (tmp_path / f"two.{ending}").read_bytes()


def test_a_figure_ends_as_one():
    """Other endings are refused."""
    with pytest.raises(UsageError, match="end it with"):
        require_matplotlib("fig.gif")


def test_characters_that_the_font_lacks_are_told(scenario, rows, tmp_path):
    """A title in characters that matplotlib's font does not have is drawn as boxes, and a notice names them."""
    pytest.importorskip("matplotlib", reason=EXTRA)
    title = scenario.model_copy(update={"title": "鳥 × é"})

    assert write_plot(rows, scenario, str(tmp_path / "a.png")) == ()
    assert write_plot(rows, title, str(tmp_path / "b.png")) == (
        f"{tmp_path / 'b.png'}: matplotlib's font has no 鳥; a box stands in its place",
    )


def test_only_what_is_defined_has_a_panel(scenario, rows, tmp_path, monkeypatch):
    """Without predators there is no distance from them; without any measure there is no figure, and no file."""
    pytest.importorskip("matplotlib", reason=EXTRA)
    drawn = []
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda figure, *_, **__: drawn.extend(figure.axes))
    write_plot(rows, scenario, str(tmp_path / "a.png"))
    names = {panel.get_title(loc="left").lower().replace(" ", "_") for panel in drawn}

    assert names == set(USUAL_MEASURES) - {"predator_distance"}
    for nothing in ([], [[*row[:3], *[None] * len(row[3:])] for row in rows]):
        with pytest.raises(UsageError, match=r"--plot .*p.png: none of the measures is defined in any frame"):
            write_plot(nothing, scenario, str(tmp_path / "p.png"))
    assert not (tmp_path / "p.png").exists()

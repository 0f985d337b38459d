"""Figures show what pictures show: each is drawn by a program that is not ours and compared with the picture."""

import io

import numpy as np
import pypdfium2
import pytest
import resvg_py
from PIL import Image

from boidsgen import load_scenario, still
from boidsgen.drawing.themes import THEMES
from boidsgen.output.figures import FIGURES
from boidsgen.output.pictures import POINTS_PER_PIXEL

SHOWN = {
    "trails and obstacles": {
        "style.trails": 6,
        "style.trail_width": 2,
        "obstacles": [{"kind": "circle", "center": [100, 80], "radius": 30}],
        "predators": [{"count": 3}],
    },
    "axes, chart and words": {
        "title": "Ä flock: ß → β",
        "overlay.axes": True,
        "overlay.chart": "polarization",
        "overlay.caption": "They fly",
        "overlay.legend": True,
        "overlay.hud": ["boids", "polarization"],
    },
    "perception and forces": {"overlay.focus": 0, "overlay.perception": True, "overlay.forces": "boid"},
    "three dimensions": {"world.size": [200, 150, 100], "style.color_by": "speed", "style.trails": 4},
    "a light theme": {"style.theme": "paper", "style.shape": "fish", "style.predator_shape": "shark"},
    "large animals": {"style.shape": "rabbit", "style.predator_shape": "hawk", "style.size": 28, "flock.count": 9},
}
"""Scenarios that show all that the flat look draws."""


def of_svg(path):
    drawn = resvg_py.svg_to_bytes(svg_string=path.read_text("utf-8"))
    return Image.open(io.BytesIO(bytes(drawn)))


def of_pdf(path, ground=(255, 255, 255, 255)):
    document = pypdfium2.PdfDocument(path)
    drawn = document[0].render(scale=1 / POINTS_PER_PIXEL, fill_color=ground).to_pil()
    document.close()
    return drawn


PINK = (255, 192, 203, 255)
DRAWN = {"svg": of_svg, "pdf": of_pdf}


def pixels(image):
    return np.asarray(image.convert("RGB")).astype(int)


def scenario(shown):
    usual = {"world.size": [240, 160], "output.size": [480, 320], "time.frames": 12, "flock.count": 30, "seed": 4}
    return load_scenario("quickstart", overrides=usual | shown)


@pytest.mark.parametrize("kind", FIGURES)
@pytest.mark.parametrize("shown", SHOWN.values(), ids=SHOWN)
def test_shows_what_the_picture_shows(shown, kind, tmp_path):
    """Drawn at the size of the picture, a figure differs from it in the rims of things alone."""
    for ending in ("png", kind):
        still(scenario(shown), tmp_path / f"flock.{ending}")
    picture = pixels(Image.open(tmp_path / "flock.png"))
    figure = pixels(DRAWN[kind](tmp_path / f"flock.{kind}"))

    assert figure.shape == picture.shape
    inked = (np.abs(picture - picture[-1, -1]).max(axis=-1) > 0).mean()
    difference = np.abs(figure - picture).max(axis=-1)
    assert inked > 0.01
    # One pixel aside would be 0.2 and more of the ink.
    assert (difference > 96).mean() < 0.04 * inked
    assert (np.abs(np.roll(figure, 1, axis=1) - picture).max(axis=-1) > 96).mean() > 0.04 * inked


@pytest.mark.turns(2)
@pytest.mark.parametrize("theme", [name for name, theme in THEMES.items() if theme.light])
@pytest.mark.parametrize("kind", FIGURES)
def test_light_is_an_image_below_shapes(theme, kind, tmp_path):
    """A lit scene is embedded to the last bit where no mark is; words and marks look as in the picture, and scale."""
    shown = scenario({"style.theme": theme, "world.size": [240, 160, 90], "predators.count": 2})
    marks = {"title": "Ä flock", "overlay.hud": ["boids"], "overlay.legend": True, "overlay.perception": True}
    bare = {"title": "", "overlay.hud": False, "overlay.legend": False}
    files = {}
    for name, own in {"bare": bare, "marked": marks}.items():
        for ending in ("png", kind):
            path = tmp_path / f"{name}.{ending}"
            still(load_scenario(shown, own), path)
            files[name, ending] = pixels(Image.open(path) if ending == "png" else DRAWN[kind](path))
    inked = (files["bare", "png"] != files["marked", "png"]).any(axis=-1)
    difference = np.abs(files["marked", "png"] - files["marked", kind]).max(axis=-1)

    assert (files["bare", "png"] == files["bare", kind]).all()
    assert 0.003 < inked.mean() < 0.5
    assert (difference > 96).mean() < 0.15 * inked.mean()
    assert (difference[~inked] == 0).mean() > 0.97


@pytest.mark.parametrize("kind", FIGURES)
def test_what_is_partly_transparent(kind, tmp_path):
    """On any background, trails fade into it in a figure as they do in a picture without ground."""
    given = {
        "style.transparent": True,
        "style.trails": 20,
        "time.frames": 30,
        "flock.count": 12,
        "style.trail_width": 3,
    }
    scenario = load_scenario("quickstart", {"title": "", "output.size": [320, 240], **given})
    still(scenario, tmp_path / "a.png")
    still(scenario, tmp_path / f"a.{kind}")
    pink = Image.new("RGBA", (320, 240), PINK)

    wanted = pixels(Image.alpha_composite(pink, Image.open(tmp_path / "a.png").convert("RGBA")))
    path = tmp_path / f"a.{kind}"
    figure = pixels(of_pdf(path, PINK) if kind == "pdf" else Image.alpha_composite(pink, of_svg(path).convert("RGBA")))

    difference = np.abs(figure - wanted).max(axis=-1)
    inked = (np.abs(wanted - PINK[:3]).max(axis=-1) > 0).mean()
    assert inked > 0.01
    assert (difference > 64).mean() < 0.04 * inked

"""Arrangement: texts have room of their own beside the world, whatever the picture."""

from itertools import combinations

import numpy as np
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

from boidsgen import load_scenario
from boidsgen.drawing import text as fonts
from boidsgen.drawing.arrangement import natural_world
from boidsgen.drawing.camera import Viewport
from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.renderer import Renderer
from boidsgen.drawing.text import ascent, lettering, lines, text_outlines, width
from boidsgen.scenario.sources import presets
from boidsgen.simulation.run import simulate

PRESETS = [one.name for one in presets()]
SIZES = ["natural", (400, 400), (640, 360), (1080, 1920)]
SLOW = pytest.mark.slow
CASES = [
    pytest.param(name, size, marks=() if (number + at) % 3 == 0 or at == 0 else SLOW, id=f"{name}-{size}")
    for number, name in enumerate(PRESETS)
    for at, size in enumerate(SIZES)
]  # In CI every preset in its own size and in one or two of the others
TITLE = "Separation, alignment, cohesion: three rules"
CAPTION = "Each boid steers away from those that are close to it, and turns as others do."
EVERYTHING = {
    "title": TITLE,
    "overlay.caption": CAPTION,
    "overlay.legend": True,
    "overlay.hud": True,
    "overlay.chart": "polarization",
}
LEAST = 0.4  # Part of the scale of a world alone in the picture that everything at once leaves it


def still(monkeypatch, scenario):
    """A renderer after the first frame, and the texts beside the world: each with its left, top, right and bottom."""
    boxes = []
    plain = Canvas.write

    def write(self, text, xy, tone, size, anchor=(0, 0)):
        # A line of capitals and digits from its ascent to its baseline; what hangs below may touch the next line.
        wide, high = width(text, size), 0.8 * ascent(size)
        left, top = xy[0] - anchor[0] * wide, xy[1] - anchor[1] * 1.3 * ascent(size) + 0.2 * ascent(size)
        if text:
            boxes.append((text, (left, top, left + wide, top + high)))
        plain(self, text, xy, tone, size, anchor)

    renderer = Renderer(scenario, scenario.picture_size)
    beside = [layer for layer in renderer._layers if layer.slot]
    begun = scenario.time.model_copy(update={"warmup": 0})
    state = next(simulate(scenario.model_copy(update={"time": begun}), "numpy"))
    renderer(state)
    with monkeypatch.context() as patch, fonts.typeface(scenario.style.font):
        patch.setattr(Canvas, "write", write)
        scene = renderer._scene(state)  # which writes the numbers of axes, where the camera moves
        for layer in beside:
            layer.draw(renderer.painter.canvas, scene, state)
    return renderer, boxes


def apart(one, other):
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def check(renderer, boxes, size, *, lit):
    """Every text lies in the picture, and apart from every other and from a flat world that is not lit."""
    window = tuple(renderer._view[2].ravel().tolist())
    for text, box in boxes:
        assert min(box[:2]) >= 0, text
        assert (np.array(box[2:]) <= size).all(), text
        assert lit or renderer._scenario.world.dimension == 3 or apart(box, window), text
    for (one, first), (other, second) in combinations(boxes, 2):
        assert apart(first, second), (one, other)


@pytest.mark.parametrize(("name", "size"), CASES)
def test_texts_of_presets_stand_beside_the_world(monkeypatch, name, size):
    """Texts of a preset lie in a picture of any size, over nothing else, and none of their words is cut."""
    scenario = load_scenario(name, {} if size == "natural" else {"output.size": size})
    renderer, boxes = still(monkeypatch, scenario)
    words = {word for text, _ in boxes for word in text.split()}

    check(renderer, boxes, scenario.picture_size, lit=scenario.style.colors.light)
    assert {*scenario.title.split()} <= words


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("name", ["hunt", "food-chain", "species", "couzin-torus", "murmuration", "trefoil"])
def test_everything_at_once_leaves_room_for_the_world(monkeypatch, name, size):
    """All texts together stand apart, with all of their words, and leave room for the world."""
    scenario = load_scenario(name, EVERYTHING | ({} if size == "natural" else {"output.size": size}))
    renderer, boxes = still(monkeypatch, scenario)
    alone = scenario.camera.aim(scenario.world, Viewport(0, 0, *scenario.picture_size))
    words = {word for text, _ in boxes for word in text.split()}

    check(renderer, boxes, scenario.picture_size, lit=scenario.style.colors.light)
    assert {*TITLE.split(), *CAPTION.split()} <= words
    assert renderer._viewpoint.scale >= LEAST * alone.scale


@pytest.mark.parametrize("name", PRESETS)
def test_texts_take_nothing_from_the_world_of_a_preset(name):
    """Where a preset leaves its picture's size open, a flat world has a pixel for each unit, times the zoom."""
    scenario = load_scenario(name)
    renderer = Renderer(scenario, scenario.picture_size)
    if scenario.output.size is None and natural_world(scenario):
        assert renderer._viewpoint.scale == pytest.approx(scenario.camera.zoom, abs=1e-9)


@pytest.mark.parametrize("place", [(1.0, 100.0), (100.0, 1.0), (1.0, 1.0)])
def test_who_crosses_an_edge_below_a_title_is_seen_on_both_sides(place):
    """On a torus a boid at an edge is drawn there and at the opposite one, and nothing of it in the title's room."""
    start = {"layout": "points", "points": [place]}
    scenario = load_scenario("quickstart", {"flock.count": 1, "flock.start": start})
    size, top = scenario.picture_size, scenario.picture_size[1] - 400
    state = next(simulate(scenario, "numpy"))
    empty = load_scenario("quickstart", {"flock.count": 0})
    drawn, bare = Renderer(scenario, size)(state).index, Renderer(empty, size)(next(simulate(empty, "numpy"))).index
    rows, columns = np.nonzero(drawn != bare)

    assert rows.min() >= top
    assert (np.ptp(columns) > 300) == (place[0] == 1)
    assert (np.ptp(rows) > 300) == (place[1] == 1)


@pytest.mark.parametrize("size", [(1080, 1920), (640, 360), (400, 400)])
def test_a_camera_that_covers_leaves_no_bars(size):
    """With camera.fit = "cover" the world fills all that texts leave."""
    scenario = load_scenario("hunt", {"camera.fit": "cover", "output.size": size})
    renderer = Renderer(scenario, size)
    renderer(next(simulate(scenario, "numpy")))
    left, top, across, down = renderer._layout.viewport

    np.testing.assert_allclose(renderer._view[2], [(left, top), (left + across, top + down)])


BIRD = "鳥"


@pytest.fixture
def square(tmp_path):
    """A font file of the family Square, in which A and a bird are full squares of an em."""
    pens = [TTGlyphPen(None) for _ in range(2)]
    for pen in pens:
        pen.moveTo((0, 0))
        for corner in ((0, 700), (700, 700), (700, 0)):
            pen.lineTo(corner)
        pen.closePath()
    font = FontBuilder(1000)
    font.setupGlyphOrder([".notdef", "space", "A"])
    font.setupCharacterMap({32: "space", 65: "A", ord(BIRD): "A"})
    empty = TTGlyphPen(None).glyph()
    font.setupGlyf({".notdef": empty, "space": empty, "A": pens[0].glyph()})
    font.setupHorizontalMetrics(dict.fromkeys((".notdef", "space", "A"), (800, 0)))
    font.setupHorizontalHeader(ascent=900, descent=-200)
    font.setupNameTable({"familyName": "Square", "styleName": "Regular"})
    font.setupOS2()
    font.setupPost()
    path = tmp_path / "square.ttf"
    font.save(path)
    return str(path)


def test_a_character_that_ours_lacks_is_in_a_font_of_the_system(monkeypatch, square):
    """A text is in our font if that has all of it, else in one of the system; what none has is missing."""
    monkeypatch.setattr(fonts, "system_fonts", lambda: (square,))
    fonts._font_of.cache_clear()

    assert fonts.font_of("A") == fonts.OURS
    assert fonts.font_of(f"A {BIRD}") == square
    assert fonts.missing(BIRD) == ""
    assert fonts.missing("群") == "群"
    fonts._font_of.cache_clear()


def test_a_named_font_draws_pictures_and_figures_alike(square):
    """In a font file the coverage of a text and its outlines fill the same box; other texts are in our font."""
    with fonts.typeface(square):
        coverage, _ = lettering("AA", 40)
        points = np.array([point for command in text_outlines("AA", 40) for point in command.points])
        rows, columns = np.nonzero(coverage > 127)

        assert fonts.font_of("Boids") == fonts.OURS
        assert (coverage[rows.min() : rows.max() + 1, columns] > 0).all()
        np.testing.assert_allclose(np.ptp(points, axis=0), (np.ptp(columns) + 1, np.ptp(rows) + 1), atol=1)


def test_lines_break_between_signs_of_chinese():
    """A text without spaces has lines that fit, and nothing of it is lost."""
    text = "鳥群每隻鳥都避開鄰居並與鄰居同行飛向群體的中心"
    broken = lines(text, 20, 150)

    assert len(broken) > 2
    assert "".join(broken) == text
    assert max(width(line, 20) for line in broken) <= 150


def test_numbers_and_legend_speak_the_language_of_the_scenario(monkeypatch):
    """Words of numbers, chart and legend are those that the scenario has for them."""
    own = {"time": "Zeit", "polarization": "Ordnung", "speed": "Tempo"}
    changes = {"overlay.words": own, "overlay.hud": True, "overlay.chart": "polarization", "overlay.legend": True}
    _, boxes = still(monkeypatch, load_scenario("quickstart", changes | {"style.color_by": "speed"}))
    texts = [text for text, _ in boxes]

    assert texts.count("Zeit") == 1
    assert texts.count("Ordnung") == 2
    assert texts.count("Tempo") == 2
    assert not {*own} & {*texts}

"""Arrangement: texts have room of their own beside the world, whatever the picture, and can be read."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

from boidsgen import load_scenario
from boidsgen.drawing import text as fonts
from boidsgen.drawing.camera import Viewport
from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.renderer import Renderer, natural_world
from boidsgen.drawing.text import lettering, lines, text_outlines, width
from boidsgen.drawing.themes import THEMES
from boidsgen.scenario.sources import presets
from boidsgen.simulation.run import simulate
from tests.drawing.drawables import luminance

PRESETS = [one.name for one in presets()]
SIZES = ["natural", (400, 400), (640, 360), (1080, 1920)]
SLOW = pytest.mark.slow
CASES = [
    pytest.param(name, size, marks=() if (number + at) % 4 == 0 else SLOW, id=f"{name}-{size}")
    for number, name in enumerate(PRESETS)
    for at, size in enumerate(SIZES)
]  # In CI every preset in one size
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


def still(written, scenario):
    """A renderer after the first frame, and the words beside the world; all texts lie in the picture, each by itself.

    Those of a flat world that is not lit lie outside of it.
    """
    renderer = Renderer(scenario, scenario.picture_size)
    begun = scenario.time.model_copy(update={"warmup": 0})
    state = next(simulate(scenario.model_copy(update={"time": begun}), "numpy"))
    renderer(state)
    written.clear()
    with fonts.typeface(scenario.style.font):
        scene = renderer._scene(state)  # which writes the numbers of axes, where the camera moves
        for layer in renderer._layers:
            if layer.slot:
                layer.draw(renderer.painter.canvas, scene, state)
    window = tuple(renderer._view[2].ravel().tolist())
    check(written, scenario.picture_size)
    for text, _, box, _ in written:
        assert scenario.style.colors.light or scenario.world.dimension == 3 or apart(box, window), text
    return renderer, {word for text, *_ in written for word in text.split()}


def apart(one, other):
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def check(texts, size):
    """Every text lies in the picture, and apart from every other."""
    for text, _, box, _ in texts:
        assert min(box[:2]) >= 0, text
        assert (np.array(box[2:]) <= size).all(), text
    for one, other in combinations(texts, 2):
        assert apart(one.box, other.box), (one.text, other.text)


@pytest.mark.turns(3)
@pytest.mark.parametrize(("name", "size"), CASES)
def test_texts_of_presets_stand_beside_the_world(written, name, size):
    """Texts of a preset lie in a picture of any size, over nothing else, and none of their words is cut."""
    scenario = load_scenario(name, {} if size == "natural" else {"output.size": size})

    assert {*scenario.title.split()} <= still(written, scenario)[1]


@pytest.mark.parametrize(
    ("name", "size"),
    [
        pytest.param(name, size, marks=() if (number + at) % 4 == 0 else SLOW)
        for number, name in enumerate(["hunt", "food-chain", "species", "couzin-torus", "murmuration", "trefoil"])
        for at, size in enumerate(SIZES)
    ],
)
def test_everything_at_once_leaves_room_for_the_world(written, name, size):
    """All texts together stand apart, with all of their words, and leave room for the world."""
    scenario = load_scenario(name, EVERYTHING | ({} if size == "natural" else {"output.size": size}))
    renderer, words = still(written, scenario)
    alone = scenario.camera.aim(scenario.world, Viewport(0, 0, *scenario.picture_size))

    assert {*TITLE.split(), *CAPTION.split()} <= words
    assert renderer._viewpoint.scale >= LEAST * alone.scale


EVERYDAY = sorted(Path(__file__).with_name("everyday").glob("*.toml"))
FRAME = 12
READABLE = 4.5  # Contrast of text and what is behind it (WCAG 2.2, 1.4.3)
ARROWS = {"v", "s", "a", "c"}  # Letters at the tips of arrows, which may meet


@pytest.mark.parametrize(
    ("path", "theme", "rows"),
    [
        # In CI every scenario in every third theme
        pytest.param(
            path,
            theme,
            rows,
            marks=() if rows == 360 and (number + at) % 3 == 0 else SLOW,
            id=f"{path.stem}-{theme}-{rows}",
        )
        for number, path in enumerate(EVERYDAY)
        for at, theme in enumerate(THEMES)
        for rows in (360, 720, 2160)
    ],
)
def test_every_text_is_whole_and_stands_out(written, monkeypatch, path, theme, rows):
    """What teachers write first lies apart in the picture and stands out from the pixels behind, in every theme."""
    scenario = load_scenario(path, {"style.theme": theme, "output.size": [rows * 16 // 9 // 2 * 2, rows]})
    renderer = Renderer(scenario, scenario.picture_size)
    for state in simulate(scenario, "numpy"):
        if state.frame == FRAME:
            break
        renderer.note(state)

    def colors(frame):
        return frame.full() if frame.full else frame.palette[frame.index]

    drawn, plain = colors(renderer(state)), Canvas.write
    words = [one for one in written if one.text not in ARROWS]

    def bare(self, text, xy, _, size, anchor=(0, 0)):
        plain(self, text, xy, self.inks.tone(0, 0.0), size, anchor)

    renderer._ground = None
    monkeypatch.setattr(Canvas, "write", bare)
    ground = colors(renderer(state))

    check(words, np.add(scenario.picture_size, (1, 0)))
    for text, _, box, ink in words:
        left, top, right, bottom = (round(side) for side in box)
        region = np.s_[max(top, 0) : bottom, max(left, 0) : right]
        if (inked := (drawn[region] != ground[region]).any(axis=2)).any():
            light, behind = luminance(renderer.painter.inks._roles[ink]), np.median(luminance(ground[region][inked]))
            assert (max(light, behind) + 0.05) / (min(light, behind) + 0.05) >= READABLE, text


@pytest.mark.turns(3)
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


BIRD = "雀"  # which no other test draws: the font of a text is remembered


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

    assert fonts.font_of("A") == fonts.OUR_FONT
    assert fonts.font_of(f"A {BIRD}") == square
    assert fonts.missing_letters(BIRD) == ""
    assert fonts.missing_letters("群") == "群"


def test_a_named_font_draws_pictures_and_figures_alike(square):
    """In a font file the coverage of a text and its outlines fill the same box; other texts are in our font."""
    with fonts.typeface(square):
        coverage, _ = lettering("AA", 40)
        points = np.array([point for command in text_outlines("AA", 40) for point in command.points])
        rows, columns = np.nonzero(coverage > 127)

        assert fonts.font_of("Boids") == fonts.OUR_FONT
        assert (coverage[rows.min() : rows.max() + 1, columns] > 0).all()
        np.testing.assert_allclose(np.ptp(points, axis=0), (np.ptp(columns) + 1, np.ptp(rows) + 1), atol=1)


def test_lines_break_between_signs_of_chinese():
    """A text without spaces has lines that fit, and nothing of it is lost."""
    text = "鳥群每隻鳥都避開鄰居並與鄰居同行飛向群體的中心"
    broken = lines(text, 20, 150)

    assert len(broken) > 2
    assert "".join(broken) == text
    assert max(width(line, 20) for line in broken) <= 150


def test_numbers_and_legend_speak_the_language_of_the_scenario(written):
    """Words of numbers, chart and legend are those that the scenario has for them."""
    own = {"time": "Zeit", "polarization": "Ordnung", "speed": "Tempo"}
    changes = {"overlay.words": own, "overlay.hud": True, "overlay.chart": "polarization", "overlay.legend": True}
    still(written, load_scenario("quickstart", changes | {"style.color_by": "speed"}))
    texts = [text for text, *_ in written]

    assert texts.count("Zeit") == 1
    assert texts.count("Ordnung") == 2
    assert texts.count("Tempo") == 2
    assert not {*own} & {*texts}


WIDE = {"world.size": [640, 360], "overlay.legend": True, "overlay.hud": True, "style.color_by": "heading"}
SHOWN, BESIDE_AXES = 0.72, 0.64
"""Part of the width of a wide picture that a world of its shape keeps beside its legend, in any theme."""


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", [(1280, 720), (3840, 2160)])
def test_a_legend_stands_beside_a_wide_world_rather_than_above(written, theme, size):
    """A wheel of directions beside a world as wide as the picture costs it little, and stands apart from all else."""
    words = {"title": TITLE, "overlay.caption": CAPTION, "style.theme": theme}
    renderer, _ = still(written, load_scenario("quickstart", WIDE | words | {"output.size": size}))
    (left, _), (right, bottom) = renderer._view[2]
    legend = renderer._layout.places["Legend"]

    assert right - left >= (BESIDE_AXES if theme == "plot" else SHOWN) * size[0]
    assert right <= legend.left
    assert legend.top < bottom


@pytest.mark.parametrize("name", ["netlogo", "vicsek", "ben-eater", "trap-separation"])
def test_no_thin_bar_is_left_below_a_world(name):
    """A world ends at the foot of the picture or at least a letter above it, whatever the height of the picture."""
    for rows in range(360, 760, 7):
        scenario = load_scenario(name, {"output.size": (640, 2 * (rows // 2))})
        layout = Renderer(scenario, scenario.picture_size)._layout
        foot = scenario.camera.aim(scenario.world, layout.viewport).window(layout.viewport)[1, 1]

        assert not 0.01 < layout.stage[1] - foot < layout.text, rows


def test_a_world_beside_a_column_touches_no_side_of_the_picture():
    """Where bars stand above and below it, there is a margin at its right, too."""
    every = EVERYTHING | {"world.size": [640, 480], "title": f"{TITLE}: {CAPTION}", "overlay.chart": "groups"}
    for columns in range(800, 1100, 20):
        scenario = load_scenario("quickstart", every | {"output.size": (columns, 480)})
        renderer = Renderer(scenario, scenario.picture_size)
        renderer(next(simulate(scenario, "numpy")))
        (left, top), (right, bottom) = renderer._view[2]
        room = renderer._layout.viewport.left

        assert left != room or right < columns or (top, bottom) == (0, 480), columns

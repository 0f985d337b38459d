"""Depth: who flies before a body is seen, who is in it or behind it is not, in every theme and kind of picture."""

import io

import numpy as np
import pytest
import resvg_py
from PIL import Image

from boidsgen import still
from boidsgen.drawing.renderer import Renderer
from boidsgen.drawing.themes import THEMES
from boidsgen.drawing.vector import FigureRenderer
from boidsgen.output.figures import Svg
from boidsgen.simulation.obstacles import OBSTACLES
from tests.drawing.drawables import drawable
from tests.obstacles import DEEP_EXAMPLES

SIZE = 240, 180
AWAY = np.array([[-900.0, 30.0, 40.0]])
BEYOND = (50.0, -900.0, 50.0)
SIDE, ABOVE = {}, {"azimuth": 200.0, "elevation": 50.0, "projection": "orthographic"}
CAMERAS = {"box": SIDE, "circle": ABOVE, "ellipse": SIDE, "segment": ABOVE}


def middle(kind):
    keys = DEEP_EXAMPLES[kind]
    return np.array(keys["center"] if "center" in keys else np.mean((keys["start"], keys["end"]), axis=0))


def body(kind):
    return OBSTACLES[kind].model_validate({"kind": kind, **DEEP_EXAMPLES[kind]})


def hidden(body, place, views, world):
    """A walk from a place to the viewer: it meets the inside of the body."""
    steps = place + np.linspace(1e-6, 1.0, 4001)[:, None] * views * 0.5
    return bool((body.surface(steps, world)[0] < -1e-6).any())


def shown(drawn):
    """The colors of a frame, or of a figure."""
    if hasattr(drawn, "index"):
        return drawn.palette[drawn.index].astype(int)
    image = Image.open(io.BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=Svg.encoded(drawn, "").decode()))))
    return np.asarray(image.convert("RGB")).astype(int)


@pytest.mark.parametrize(
    ("animal", "theme", "kind"),
    [
        # In CI every kind of body, every animal and every theme, in turn
        pytest.param(animal, theme, kind, marks=() if (first + second - third) % 8 == 0 else pytest.mark.slow)
        for first, animal in enumerate(("boid", "predator", "trail"))
        for second, theme in enumerate(THEMES)
        for third, kind in enumerate(DEEP_EXAMPLES)
    ],
)
def test_a_body_hides_what_its_viewer_cannot_see(setup, state, animal, theme, kind):
    """An animal or its trail is in the picture exactly where the way from there to the viewer is free."""
    tables = setup(
        world={"size": (100.0, 60.0, 80.0)}, obstacles=({"kind": kind, **DEEP_EXAMPLES[kind]},), predators=({},)
    )
    trails = {"trails": 1, "trail_width": 6} if animal == "trail" else {}
    style = {"theme": theme, "shape": "dot", "size": 8 if animal == "trail" else 14, "predator_shape": "dot", **trails}
    look = drawable(tables, {"style": style, "camera": CAMERAS[kind]})
    draw = (Renderer if THEMES[theme].light else FigureRenderer)(look, SIZE), Renderer(look, SIZE)
    view = look.camera.aim(look.world, draw[1]._layout.viewport).projection(0)
    away = view.axes[2] * (400.0 if np.isinf(view.distance) else view.distance)
    away += 0.0 if np.isinf(view.distance) else view.center - middle(kind)
    ahead, obstacle = away / np.sqrt((away**2).sum()), body(kind)
    line = middle(kind) + np.arange(40.0, 0.0, -0.05)[:, None] * ahead
    places = {"before": line[320], "inside": middle(kind), "behind": middle(kind) - 24.0 * ahead}
    if animal != "trail":
        places["on the front"] = line[np.argmax(obstacle.surface(line, look.world)[0] < 0.3)]
    aside = 6.0 * view.axes[0] if animal == "trail" else np.zeros(3)

    def seen(place):
        """Pictures of an animal that came to a place, and went on a little."""
        pictures = []
        for renderer in draw:
            for way in (-aside, aside):
                where = (AWAY, place[None]) if animal == "predator" else (place[None] + way, AWAY)
                drawn = renderer(state(tables, where[0], predators=where[1]))
            pictures.append(shown(drawn))
        return pictures

    without = seen(AWAY[0])
    for name, place in places.items():
        x, y = np.rint(view(place[None]).xy[0]).astype(int)
        patch = np.s_[y - 1 : y + 1, x - 1 : x + 1]
        for number, (one, none) in enumerate(zip(seen(place), without, strict=True)):
            change = np.abs(one[patch] - none[patch]).max()
            if hidden(obstacle, place, away, look.world):
                assert change == 0, (name, number)
            else:
                assert change > 10, (name, number)


@pytest.mark.parametrize("theme", [name for name, one in THEMES.items() if one.light])
def test_full_color_is_the_picture_without_its_tones(setup, state, theme):
    """In full color a lit picture has many more colors, and shows the same: bodies, animals and words."""
    tables = setup(
        world={"size": (100.0, 60.0, 80.0)}, obstacles=({"kind": "circle", **DEEP_EXAMPLES["circle"]},), predators=({},)
    )
    position = np.random.default_rng(5).random((60, 3)) * (100, 60, 80)
    frame = Renderer(drawable(tables, {"title": "Light", "style": {"theme": theme}}), SIZE)(
        state(tables, position, predators=position[:1])
    )
    full, few = frame.full(), frame.palette[frame.index]
    colors, tones = (len(np.unique(each.reshape(-1, 3), axis=0)) for each in (full, few))
    difference = full.astype(int) - few
    apart = np.abs(difference.reshape(SIZE[1] // 6, 6, SIZE[0] // 6, 6, 3).mean(axis=(1, 3)))

    assert colors > 1.5 * tones
    assert np.abs(difference).mean() < 1
    assert apart.max() <= 4  # of squares of six by six pixels, whose grain is gone


@pytest.mark.parametrize("theme", THEMES)
def test_who_is_nearer_hides_a_predator(setup, state, theme):
    """A boid before a predator is seen on it, one behind it is not, in every theme, raster and vector."""
    tables = setup(world={"size": (100.0, 100.0, 100.0)}, predators=({},))
    style = {"theme": theme, "shape": "dot", "size": 20, "predator_shape": "dot", "predator_size": 4.0}
    camera = {"azimuth": 0.0, "elevation": 0.0, "projection": "orthographic"}
    look = drawable(tables, {"style": style, "camera": camera})
    hunter = [(50.0, 50.0, 50.0)]
    for renders in (Renderer,) if THEMES[theme].light else (Renderer, FigureRenderer):
        colors = {}
        for name, boid in (("before", (80.0, 50.0, 50.0)), ("behind", (20.0, 50.0, 50.0)), ("away", BEYOND)):
            colors[name] = shown(renders(look, SIZE)(state(tables, boid, predators=hunter)))
        row, column = np.argwhere(np.abs(colors["before"] - colors["away"]).sum(axis=2) > 60).mean(axis=0).astype(int)

        assert np.abs(colors["behind"] - colors["away"])[row, column].max() <= 8
        assert np.abs(colors["before"] - colors["away"])[row, column].max() > 24


def test_a_ball_at_the_corner_of_a_world_is_shaded(tmp_path):
    """A body whose middle has coordinates of zero is drawn like any other."""
    ball = {"kind": "circle", "center": [0.0, 0.0, 0.4], "radius": 18.0}
    keys = {"world.size": [60.0, 60.0, 30.0], "obstacles": [ball], "flock.count": 2, "time.frames": 1}
    still("quickstart", tmp_path / "ball.png", overrides=keys, size=(64, 48))

    with Image.open(tmp_path / "ball.png") as picture:
        assert picture.size == (64, 48)

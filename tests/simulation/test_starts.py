"""Starts: layouts, groups of one flock, points, words and images."""

import numpy as np
import pytest

from boidsgen import load_scenario
from boidsgen.simulation import simulate
from boidsgen.simulation.layouts import from_rows, lettered, letters, rows_of, spread
from boidsgen.simulation.starts import STARTS
from tests.simulation import letters as drawing
from tests.simulation.stages import SIZE, world


def begun(tmp_path, start, count=100, size="[400, 400]"):
    """The flock before the first step."""
    path = tmp_path / "start.toml"
    path.write_text(f"[world]\nsize = {size}\n[flock]\ncount = {count}\n{start}\n", "utf-8")
    return next(iter(simulate(load_scenario(str(path), overrides={"time.frames": 1})))).flocks[0]


def test_velocities_fill_a_box(tmp_path):
    """Each component is evenly spread between the two numbers, so that the corners are faster than the sides."""
    velocity = begun(tmp_path, 'start = { layout = "uniform", velocity = [-2, 2] }', count=4000).velocity

    assert -2 <= velocity.min() < -1.99
    assert 1.99 < velocity.max() <= 2
    np.testing.assert_allclose(velocity.std(axis=0), 4 / np.sqrt(12), rtol=0.03)
    assert np.hypot(*velocity.T).max() > 2.5


def test_box_is_where_it_is_said_to_be(tmp_path):
    """Places fill a box about its center."""
    start = 'start = { layout = "box", center = [50, 50, 50], size = [10, 20, 30] }'
    position = begun(tmp_path, start, count=4000, size="[100, 100, 100]").position

    np.testing.assert_allclose(position.min(axis=0), [45, 40, 35], atol=0.1)
    np.testing.assert_allclose(position.max(axis=0), [55, 60, 65], atol=0.1)


TWO = """
[flock.start]
layout = "groups"
speed = [1.0, 1.0]
COUNTS
[[flock.start.groups]]
layout = "disc"
center = [100, 100]
radius = 10
heading = 90
[[flock.start.groups]]
layout = "box"
center = [300, 300]
size = [10, 10]
velocity = [2.0, 2.0]
"""


def test_groups_of_one_flock(tmp_path):
    """The first boids are in the first group; the first group has its own heading and the speed of all."""
    flock = begun(tmp_path, TWO.replace("COUNTS", "counts = [3, 2]"), count=5)

    assert (np.hypot(*(flock.position[:3] - 100).T) <= 10).all()
    assert (np.abs(flock.position[3:] - 300) <= 5).all()
    np.testing.assert_allclose(flock.velocity[:3], [[0, 1]] * 3, atol=1e-12)
    np.testing.assert_array_equal(flock.velocity[3:], 2.0)


def test_groups_share_evenly(tmp_path):
    """Without counts groups are as equal as can be, the first one larger."""
    flock = begun(tmp_path, TWO.replace("COUNTS", ""), count=7)

    assert (flock.position[:, 0] < 200).sum() == 4


def example(layout, dimension):
    """The example of a layout, its points with as many components as the world has."""
    keys = dict(STARTS[layout].example)
    if "points" in keys:
        keys["points"] = tuple((*point, 50.0)[:dimension] for point in keys["points"])
    return keys


@pytest.mark.parametrize("layout", STARTS)
@pytest.mark.parametrize("size", [SIZE, (100.0, 60.0, 80.0)])
@pytest.mark.parametrize("count", [0, 1, 7, 500])
def test_starts_lie_inside(layout, size, count):
    """Every layout places all boids inside the world, with speeds within the given ones."""
    start = STARTS[layout].model_validate({**example(layout, len(size)), "speed": (2.0, 3.0)})

    position, velocity = start.place(count, world("open", size), (0.0, 1.0), np.random.default_rng(0))

    assert position.shape == velocity.shape == (count, len(size))
    assert (position >= 0).all()
    assert (position <= size).all()
    speed = np.linalg.norm(velocity, axis=1)
    assert ((speed >= 2 - 1e-9) & (speed <= 3 + 1e-9)).all()


@pytest.mark.parametrize("layout", STARTS)
def test_starts_take_a_heading(layout):
    """With a heading everyone flies that way."""
    start = STARTS[layout].model_validate({**STARTS[layout].example, "heading": 90.0})

    _, velocity = start.place(9, world("open"), (2.0, 2.0), np.random.default_rng(0))

    np.testing.assert_allclose(velocity, np.tile([0.0, 2.0], (9, 1)), atol=1e-12)


def test_ring_turns_together():
    """The ring turns counterclockwise: everyone flies at a right angle to the way from the center."""
    position, velocity = STARTS["ring"]().place(50, world("open"), (1.0, 1.0), np.random.default_rng(0))
    across = position - np.array(SIZE) / 2

    np.testing.assert_allclose((across * velocity).sum(axis=1), 0, atol=1e-9)
    assert (across[:, 0] * velocity[:, 1] - across[:, 1] * velocity[:, 0] > 0).all()


BAR = ("....####....", "....####....")
CORNER = ("#...", "#...", "####")


def placed(layout, count, seed=0, size=(120.0, 40.0), **keys):
    """Where a start puts boids."""
    start = STARTS[layout].model_validate(keys)
    return start.place(count, world("open", size), (1.0, 1.0), np.random.default_rng(seed))[0]


def loaded(tmp_path, text):
    """A scenario of this text."""
    path = tmp_path / "scenario.toml"
    path.write_text(text, "utf-8")
    return load_scenario(str(path))


def nearest_distance(position):
    """Distance of each boid from the nearest other one."""
    distance = np.linalg.norm(position[:, None] - position, axis=2)
    np.fill_diagonal(distance, np.inf)
    return distance.min(axis=1)


def test_shape_stands_upright_and_in_the_middle():
    """Rows are read from the top, columns from the left; cells are squares of width over columns."""
    position = placed("image", 300, rows=CORNER, width=40.0)

    assert position[:, 0].min() == pytest.approx(40, abs=1)
    assert position[:, 0].max() == pytest.approx(80, abs=1)
    assert (position[position[:, 0] > 51][:, 1] < 15.1).all()
    assert position[:, 1].max() == pytest.approx(35, abs=1)


def test_shape_fills_most_of_the_world():
    """Without a width four fifths of the side that is first filled."""
    position = placed("image", 400, rows=("#" * 30,) * 2)

    assert np.ptp(position[:, 0]) == pytest.approx(96, abs=2)


@pytest.mark.parametrize("count", [10, 300])
def test_points_are_spread_evenly(count):
    """Nobody is much nearer to its neighbor than places laid out evenly would be, and no part is left empty."""
    shape = from_rows(("#" * 40,) * 40)
    position = spread(shape, count)
    spacing = np.sqrt(shape.sum() / count)
    everywhere = np.argwhere(shape) + 0.5

    assert nearest_distance(position).min() > 0.55 * spacing
    assert np.linalg.norm(everywhere[:, None] - position, axis=2).min(axis=1).max() < 1.2 * spacing


def test_points_lie_inside_each_in_a_place_of_its_own():
    """Many more points than cells still have a place each, none of them outside."""
    shape = from_rows(BAR)
    position = spread(shape, 500)

    assert len({tuple(place) for place in position}) == 500
    assert shape[tuple(np.floor(position).astype(int).T)].all()


def test_image_depends_on_the_seed_and_a_word_does_not():
    """Equal seeds give equal places; a word is spelt alike by every seed."""
    np.testing.assert_array_equal(placed("image", 50, 1, rows=CORNER), placed("image", 50, 1, rows=CORNER))
    assert (placed("image", 50, 1, rows=CORNER) != placed("image", 50, 2, rows=CORNER)).any()
    np.testing.assert_array_equal(placed("word", 50, 1, word="AB"), placed("word", 50, 2, word="AB"))


def test_word_is_set_letter_by_letter():
    """An I is a bar; letters stand one after the other, a space leaves room, and what reaches lower hangs lower."""
    stem = lettered("I")
    assert stem.all()

    both, apart = lettered("II"), lettered("I I")
    assert (both[:, : stem.shape[1]]).all()
    assert both.shape[0] == stem.shape[0]
    assert apart.shape[1] == both.shape[1] + letters()[" "].advance
    assert lettered("Ip").shape[0] > lettered("I").shape[0]


def test_letters_are_those_of_the_font():
    """Every stored letter is the shipped font's, but for what versions of a library draw differently at its edges."""
    assert set(letters()) == set(drawing.known())
    for letter, stored in letters().items():
        advance, left, top, cells = drawing.drawn(letter)
        assert abs(stored.advance - advance) <= 1
        if (stored.left, stored.top, stored.cells.shape) == (left, top, cells.shape):
            assert (stored.cells != cells).sum() <= 0.03 * cells.size
        else:
            assert np.abs(np.subtract(stored.cells.shape, cells.shape)).max() <= 1


def test_rows_are_written_as_they_are_read():
    """Lines of text and shape are the same thing."""
    assert rows_of(from_rows(CORNER)) == CORNER


@pytest.mark.parametrize(
    ("start", "layout"),
    [
        ('{ word = "BOIDS" }', "word"),
        ('{ rows = ["#"] }', "image"),
        ("{ points = [[1, 2]] }", "points"),
        ('{ groups = ["ring"] }', "groups"),
        ('["ring", { word = "A" }]', "groups"),
        ('"ring"', "ring"),
    ],
)
def test_layout_need_not_be_named(tmp_path, start, layout):
    """A key that only one layout has tells which it is, and a list stands for groups."""
    text = f"[flock]\nstart = {start}\n" + ("" if layout == "points" else "count = 9\n")

    assert loaded(tmp_path, text).flock[0].start.layout == layout


def test_points_say_how_many_boids_there_are(tmp_path):
    """Without a count there are as many boids as points; they have the velocities that are given."""
    text = "[flock]\nstart = { points = [[1, 2], [3, 4]], velocities = [[0, 1], [2, 0]] }\n[time]\nframes = 1\n"
    first = next(iter(simulate(loaded(tmp_path, text)))).flocks[0]

    np.testing.assert_array_equal(first.position, [[1, 2], [3, 4]])
    np.testing.assert_array_equal(first.velocity, [[0, 1], [2, 0]])


def test_groups_of_points_take_their_share(tmp_path):
    """A group of points has as many boids as points, the others what is left."""
    start = 'start = ["ring", { points = [[1, 2], [3, 4]] }, "disc"]'
    flock = loaded(tmp_path, f"[flock]\ncount = 11\n{start}\n").flock[0]

    assert flock.start.shares(11) == (5, 2, 4)
    assert loaded(tmp_path, "[flock]\nstart = [{ points = [[1, 2]] }, { points = [[3, 4]] }]").flock[0].count == 2

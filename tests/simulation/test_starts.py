"""Starts: layouts, groups of one flock, points, words and images."""

import numpy as np
import pytest

from boidsgen import load_scenario
from boidsgen.simulation.run import simulate
from boidsgen.simulation.starts import STARTS, from_rows, letters, rows_of, spread
from tests.simulation import letters as drawing
from tests.simulation.stages import SIZE, world


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


BAR = ("....####....", "....####....")
CORNER = ("#...", "#...", "####")


def placed(layout, count, seed=0, size=(120.0, 40.0), **keys):
    """Positions of a start."""
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

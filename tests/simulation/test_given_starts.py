"""Starts from outside: points, words and images, spread evenly over what is dark."""

import numpy as np
import pytest

from boidsgen import Scenario, ScenarioError, load_scenario
from boidsgen.simulation import simulate
from boidsgen.simulation.bitmaps import from_rows, lettered, letters, rows_of, spread
from boidsgen.simulation.starts import STARTS
from tests.simulation import letters as drawing
from tests.simulation.stages import world

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


def nearest(position):
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

    assert nearest(position).min() > 0.55 * spacing
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


@pytest.mark.parametrize(
    ("flock", "said"),
    [
        ("count = 3\nstart = { points = [[1, 2]] }", "flock.start: has 1 point, but count is 3"),
        (
            "start = { points = [[1, 2]], velocities = [[1, 2], [1, 2]] }",
            "must have a velocity for each point: 1, not 2",
        ),
        ("start = { points = [[1, 2, 3]] }", "start.points.0: must have 2 entries"),
        ("start = { velocities = [[1, 2]] }", "must be given points, or csv"),
        ("start = { layout = 'image' }", "must be given image, the name of a file, or rows"),
        ("start = { rows = ['#', '##'] }", "start.rows: must be equally long"),
        ("start = { rows = ['#x'] }", "start.rows: must consist of # and ., not 'x'"),
        ("start = { rows = ['..'] }", "start.rows: must be dark somewhere"),
        ("start = { word = ' ' }", "start.word: must have a letter that shows"),
        ("start = { word = 'A漢' }", "start.word: there are no letters to spell '漢'"),
        ("start = ['ring', { word = 'A', radius = 3 }]", r"start\.1\.radius: unknown key"),
        ("start = ['ring', { word = 'A', center = [1, 2, 3] }]", r"start\.1\.center: must have 2 entries"),
        ("start = []", "must have at least 1 entry, not 0"),
        ("count = 4\n[flock.start]\ngroups = [{ points = [[1, 2]] }, 'ring']\ncounts = [2, 2]", "entry 0 must be 1"),
    ],
)
def test_mistakes_are_told(tmp_path, flock, said):
    """What cannot be a start is refused, with the key as it was written."""
    with pytest.raises(ScenarioError, match=said):
        loaded(tmp_path, f"[flock]\n{flock}\n")


def test_swarm_comes_in_the_shape_of_a_word():
    """An event that adds boids may spell a word with them."""
    event = {"at": 2, "set": {"flock.count": 40, "flock.start": {"word": "I", "center": (20.0, 20.0), "width": 2.0}}}
    document = {"flock": {"count": 10, "start": "center"}, "time": {"frames": 3}, "events": (event,)}
    *_, last = simulate(Scenario.model_validate(document))

    assert len(last.flocks[0].position) == 40
    assert (np.abs(last.flocks[0].position[10:, 0] - 20) < 10).all()

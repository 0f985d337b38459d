"""Fields against plain definitions: wind, vortices, curl noise and maps, as forces and as drifts."""

from io import BytesIO
from math import floor, hypot, pi, sin

import numpy as np
import pytest
from PIL import Image

from boidsgen import ScenarioError, load_scenario
from boidsgen.drawing.renderer import Renderer
from boidsgen.kernel import library
from boidsgen.output.pictures import encoded
from boidsgen.scenario.loading import draft, source_of
from boidsgen.scenario.scenario import provenance
from boidsgen.simulation.fields import FIELDS
from boidsgen.simulation.measures import contributions
from boidsgen.simulation.run import simulate
from boidsgen.simulation.setup import Setup
from tests.simulation.stages import OFF, places, world

FLAT, DEEP = (96.0, 64.0), (96.0, 64.0, 32.0)  # sums with multiples of 1/64 are exact
ROWS = {
    "heights": ((0.0, 0.5, 1.0, 0.25), (2.0, -1.0, 0.0, 0.0), (0.5, 0.5, 0.5, 3.0)),
    "flow": (((1.0, 0.0), (0.0, 2.0), (-1.0, 1.0)), ((0.5, 0.5), (3.0, -1.0), (0.0, 0.25))),
}
EXAMPLES = {
    "curl_noise": {"scale": 40.0, "period": 30.0, "pattern": 5},
    "flow_map": {"flow": ROWS["flow"]},
    "height_map": {"heights": ROWS["heights"]},
    "vortex": {"center": (20.0, 50.0), "radius": 12.0},
    "wind": {"vector": (0.25, -0.5), "period": 40.0},
}
"""Keys of every kind; a new one is tested by its row."""
DEEP_EXAMPLES = {
    "curl_noise": EXAMPLES["curl_noise"],
    "vortex": {"center": (20.0, 50.0, 3.0)},
    "wind": {"vector": (0.25, -0.5, 1.0)},
}
CASES = [*((kind, FLAT) for kind in EXAMPLES), *((kind, DEEP) for kind in DEEP_EXAMPLES)]


def field(kind, size=FLAT, **keys):
    return FIELDS[kind].model_validate({**(DEEP_EXAMPLES if len(size) == 3 else EXAMPLES)[kind], **keys})


def scenario(*fields, **tables):
    """A scenario of a few boids at rest that nothing moves but these fields."""
    boids = {"count": 7, **OFF, "min_speed": 0.0, "start": {"layout": "uniform", "speed": (0.0, 0.0)}}
    return Setup.model_validate(
        {"world": {"size": FLAT}, "time": {"frames": 4}, "flock": boids, "fields": fields, **tables}
    )


def test_every_kind_has_an_example():
    """The rows above are all kinds."""
    assert EXAMPLES.keys() == FIELDS.keys()


@pytest.mark.parametrize(("kind", "size"), CASES)
def test_fields_repeat_with_a_torus(kind, size):
    """Places that are one or several sizes of the world apart have the same vectors, to the last bit."""
    torus, one = world("torus", size), field(kind, size)
    place = np.floor(places(50, size) * 64) / 64
    here = one.value(place, 7.0, torus)

    assert here.shape == place.shape
    assert np.isfinite(here).all()
    assert np.ptp(here, axis=0).max() > 0 or kind == "wind"
    for turns in np.vstack((np.eye(len(size)), -2 * np.eye(len(size)))):
        np.testing.assert_array_equal(one.value(place + turns * size, 7.0, torus), here)


@pytest.mark.parametrize("size", [FLAT, DEEP])
@pytest.mark.parametrize("seed", range(4))
def test_curl_noise_has_neither_sources_nor_sinks(size, seed):
    """Finite differences: its divergence is zero, as its curl is not, and the mean square of its length is 1."""
    noise, torus = field("curl_noise", size, pattern=seed, scale=16.0), world("torus", size)
    place, step = places(2000, size), 1e-4
    slope = np.stack(
        [
            (noise.value(place + way, 3.0, torus) - noise.value(place - way, 3.0, torus)) / (2 * step)
            for way in step * np.eye(len(size))
        ]
    )
    turning = slope[0, :, 1] - slope[1, :, 0]

    assert np.abs(np.trace(slope, axis1=0, axis2=2)).max() < 1e-6
    assert np.sqrt((turning**2).mean()) > 0.1
    assert np.mean(np.sum(noise.value(place, 3.0, torus) ** 2, axis=1)) == pytest.approx(1, abs=0.25)


def test_curl_noise_has_a_pattern_a_scale_and_a_period():
    """Another pattern gives other eddies; a larger scale smoother ones; after the period they are as they were."""
    torus, place = world("torus"), places(200)
    still, other, wide = (
        field("curl_noise", period=None, **keys).value(place, 9.0, torus)
        for keys in ({}, {"pattern": 6}, {"scale": 9e3})
    )
    moving = field("curl_noise")

    assert np.abs(still - other).max() > 0.5
    np.testing.assert_array_equal(still, moving.value(place, 0.0, torus))
    np.testing.assert_allclose(moving.value(place, 30.0, torus), still, atol=1e-12)
    assert np.abs(moving.value(place, 15.0, torus) - still).max() > 0.5
    # No wave is longer than the world: the longest ones go once across it.
    shifted = field("curl_noise", period=None, scale=9e3).value(place + np.array((50.0, 30.0)), 0.0, torus)
    assert np.abs(shifted - wide).max() > 0.5


@pytest.mark.parametrize("size", [FLAT, DEEP])
def test_a_vortex_turns_round_its_center(size):
    """Perpendicular to the way from the center, 2 R r/(R² + r²) long, counterclockwise, strongest at the radius."""
    vortex, place = field("vortex", size, radius=12.0), places(100, size)
    for vector, (x, y, *_) in zip(vortex.value(place, 0.0, world("open", size)), place.tolist(), strict=True):
        across, up = x - 20.0, y - 50.0
        distance = hypot(across, up)

        assert vector[0] * across + vector[1] * up == pytest.approx(0, abs=1e-12)
        assert across * vector[1] - up * vector[0] > 0
        assert hypot(*vector) == pytest.approx(24 * distance / (144 + distance**2))
        assert not vector[2:].any()


def test_gusts_come_and_go_round_the_wind():
    """The mean over a period is the vector; the strongest gust adds its fraction; without a period there is none."""
    here, torus = np.zeros((1, 2)), world("torus")
    wind = field("wind", gusts=0.5)
    found = np.array([wind.value(here, 40.0 * part / 64, torus)[0] for part in range(64)])

    np.testing.assert_allclose(found.mean(axis=0), (0.25, -0.5), atol=1e-15)
    np.testing.assert_allclose(found.max(axis=0)[0], 0.375)
    np.testing.assert_allclose(found[5], np.array((0.25, -0.5)) * (1 + 0.5 * sin(2 * pi * 5 / 64)))
    assert {(*field("wind", period=None).value(here, time, torus)[0],) for time in range(9)} == {(0.25, -0.5)}


def bilinear(rows, place, size, repeats):
    """The plain definition: rows with the lowest first, values of which stand at the centers of cells."""
    many = len(rows[0]), len(rows)
    at = [part / side * count - 0.5 for part, side, count in zip(place, size, many, strict=True)]

    def cell(column, row):
        if repeats:
            return rows[row % many[1]][column % many[0]]
        return rows[min(max(row, 0), many[1] - 1)][min(max(column, 0), many[0] - 1)]

    (left, bottom), (x, y) = map(floor, at), (part - floor(part) for part in at)
    corners = ((left, bottom, (1 - x) * (1 - y)), (left + 1, bottom, x * (1 - y)))
    corners += ((left, bottom + 1, (1 - x) * y), (left + 1, bottom + 1, x * y))
    return [sum(share * cell(column, row)[axis] for column, row, share in corners) for axis in (0, 1)]


def slopes(heights, size, repeats):
    """Minus 50 times the gradient at the center of each cell."""
    rows, columns = len(heights), len(heights[0])

    def height(row, column):
        if repeats:
            return heights[row % rows][column % columns]
        return heights[min(max(row, 0), rows - 1)][min(max(column, 0), columns - 1)]

    return [
        [
            (
                -50 * (height(row, column + 1) - height(row, column - 1)) / (2 * size[0] / columns),
                -50 * (height(row + 1, column) - height(row - 1, column)) / (2 * size[1] / rows),
            )
            for column in range(columns)
        ]
        for row in range(rows)
    ]


@pytest.mark.parametrize("boundary", ["torus", "open"])
@pytest.mark.parametrize("kind", ["flow_map", "height_map"])
def test_maps_are_bilinear(kind, boundary):
    """Between the centers of cells, across the edges of a torus, and beyond those of an open world: as a plain loop."""
    around, repeats = world(boundary, FLAT), boundary == "torus"
    cells = ROWS["flow"][::-1] if kind == "flow_map" else slopes(ROWS["heights"][::-1], FLAT, repeats)
    place = (places(300, FLAT) - 48) * 3 + 48
    expected = [bilinear(cells, one, FLAT, repeats) for one in place.tolist()]

    np.testing.assert_allclose(field(kind).value(place, 0.0, around), expected, atol=1e-12)


def test_a_steep_hill_is_left_downhill():
    """A boid beside the top of a hill in the middle is pushed away from it."""
    hill = ((0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0))
    place = np.array([(38.0, 32.0), (58.0, 32.0), (48.0, 25.0), (48.0, 39.0)])
    push = field("height_map", heights=hill).value(place, 0.0, world("open", FLAT))

    assert (np.sign(push) == [(-1, 0), (1, 0), (0, -1), (0, 1)]).all()


@pytest.mark.parametrize("update", ["synchronous", "sequential", "shuffled"])
def test_a_drift_moves_and_a_force_steers(update):
    """In each step a drift adds its vectors to positions alone, whatever dt is, and a force to velocities."""
    wind = {"kind": "wind", "vector": (0.5, 0.25), "weight": 2.0}
    flock = {"count": 7, **OFF, "min_speed": 0.0, "start": {"layout": "uniform", "speed": (0.0, 0.0)}, "update": update}
    drifting = [*simulate(scenario({**wind, "acts": "drift"}, flock=flock, time={"frames": 4, "dt": 0.5}))]
    pushed = [*simulate(scenario(wind, flock=flock, time={"frames": 4, "dt": 0.5}))]
    space = drifting[0].setup.world

    for number, (drift, push) in enumerate(zip(drifting, pushed, strict=True)):
        moved = space.shortest(drift.flocks[0].position - drifting[0].flocks[0].position)
        np.testing.assert_allclose(moved, np.tile((1.0, 0.5), (7, 1)) * number, atol=1e-12)
        assert not drift.flocks[0].velocity.any()
        np.testing.assert_allclose(push.flocks[0].velocity, np.tile((1.0, 0.5), (7, 1)) * number, atol=1e-12)
        moved = space.shortest(push.flocks[0].position - pushed[0].flocks[0].position)
        np.testing.assert_allclose(moved, 0.5 * np.tile((1.0, 0.5), (7, 1)) * (number * (number + 1) / 2), atol=1e-12)


@pytest.mark.parametrize("on", ["all", "flock", "predators"])
def test_fields_move_whom_they_are_for(on):
    """Everybody, boids alone or predators alone, and what moves a boid is among what contributes to its velocity."""
    at_rest = {
        "count": 3,
        **OFF,
        "min_speed": 0.0,
        "start": {"layout": "uniform", "speed": (0.0, 0.0)},
        "hunt": {"weight": 0.0},
    }
    states = [*simulate(scenario({"kind": "wind", "vector": (1.0, 0.0), "on": on}, predators=at_rest))]
    moved = {
        name: bool(group.velocity.any())
        for name, (group,) in (("flock", states[-1].flocks), ("predators", states[-1].predators))
    }

    assert moved == {"flock": on != "predators", "predators": on != "flock"}
    found = contributions(states[0], 0, 0).get("fields", np.zeros(2))
    np.testing.assert_array_equal(found, (0.0 if on == "predators" else 1.0, 0.0))


def test_fields_come_and_go_and_are_changed_by_events():
    """A wind from frame 1 until 3, stronger by an event: it adds to the velocity in the steps after frames 1 and 2."""
    wind = {"kind": "wind", "vector": (0.25, 0.0), "from": 1, "until": 3}
    events = ({"at": 2, "set": {"fields.0.weight": 3.0}},)
    states = simulate(scenario(wind, events=events, time={"frames": 6}))

    assert [state.flocks[0].velocity[0, 0] for state in states] == [0.0, 0.0, 0.25, 1.0, 1.0, 1.0]


@pytest.mark.skipif(bool(library.missing()), reason="no kernel here")
@pytest.mark.parametrize(("kind", "size"), CASES)
@pytest.mark.parametrize("acts", ["force", "drift"])
def test_engines_agree_about_fields(kind, size, acts):
    """Equal bits of a flock, of one whose boids take turns, and of predators, before, under and after a field."""
    one = {**(DEEP_EXAMPLES if len(size) == 3 else EXAMPLES)[kind], "kind": kind, "weight": 0.3, "acts": acts}
    flocks = ({"count": 30}, {"count": 9, "name": "others", "update": "sequential"})
    setup = Setup.model_validate(
        {
            "world": {"size": size},
            "time": {"frames": 9},
            "flock": flocks,
            "predators": ({"count": 2},),
            "fields": ({**one, "from": 2, "until": 7},),
        }
    )
    without = setup.model_copy(update={"fields": ()})
    numpy, native = ([*simulate(setup, engine)] for engine in ("numpy", "native"))

    for expected, found in zip(numpy, native, strict=True):
        for a, b in zip((*expected.flocks, *expected.predators), (*found.flocks, *found.predators), strict=True):
            np.testing.assert_array_equal(a.position, b.position)
            np.testing.assert_array_equal(a.velocity, b.velocity)
    plain = [*simulate(without, "numpy")]
    assert [np.array_equal(a.flocks[0].position, b.flocks[0].position) for a, b in zip(numpy, plain, strict=True)] == [
        number < 3 for number in range(9)
    ]


def saved(folder, kind, name, more=""):
    """The path of a scenario with a map from a file."""
    path = folder / "scenario.toml"
    key = "csv" if name.endswith(".csv") else "image"
    text = f'time.frames = 3\nworld.size = [60, 40]\n[[fields]]\nkind = "{kind}"\n{key} = "{name}"\n{more}'
    path.write_text(text, "utf-8")
    return path


def test_maps_are_read_from_files(tmp_path):
    """Lines of vectors in any order, and brightness of pixels; what embeds a scenario embeds their content."""
    lines = [f"{10 + 2 * x},{y / 3},{x - y},{x * y}" for y in (0, 1) for x in (2, 0, 1)]
    (tmp_path / "flow.csv").write_text("\n".join(["x,y,vx,vy", *lines]), "utf-8")
    Image.fromarray(np.array([[0, 51, 255], [102, 204, 0]], np.uint8)).save(tmp_path / "map.png")
    lines = [f"{x},{30 - y},{x * y / 100}" for y in (20, 10) for x in (0, 7, 14)]
    (tmp_path / "heights.csv").write_text("\n".join(lines), "utf-8")
    pixels = [
        [(128, 255, 0, 255), (1, 128, 9, 255), (128, 128, 0, 255)],
        [(9, 9, 9, 0), (255, 64, 0, 255), (0, 0, 0, 0)],
    ]
    Image.fromarray(np.array(pixels, np.uint8)).save(tmp_path / "flow.png")
    flow = load_scenario(saved(tmp_path, "flow_map", "flow.csv"))
    height = load_scenario(saved(tmp_path, "height_map", "map.png"))
    current = load_scenario(saved(tmp_path, "flow_map", "flow.png"))
    hills = load_scenario(saved(tmp_path, "height_map", "heights.csv"))

    assert flow.fields[0].flow == (((-1, 0), (0, 1), (1, 2)), ((0, 0), (1, 0), (2, 0)))
    assert height.fields[0].heights == ((0.0, 0.2, 1.0), (0.4, 0.8, 0.0))
    assert current.fields[0].flow == (((0, 1), (-1, 0), (0, 0)), ((0, 0), (1, -0.5039), (0, 0)))
    assert hills.fields[0].heights == ((0.0, 0.7, 1.4), (0.0, 1.4, 2.8))
    for one in (flow, height, current, hills):
        assert load_scenario(provenance(one)) == one


def test_large_images_become_cells_of_their_means(tmp_path):
    """An image of 640 × 320 has 160 × 80 cells, each the mean of four pixels by four."""
    pixels = np.random.default_rng(1).integers(0, 256, (320, 640), np.uint8)
    Image.fromarray(pixels).save(tmp_path / "map.png")
    found = load_scenario(saved(tmp_path, "height_map", "map.png")).fields[0].heights

    np.testing.assert_allclose(found, pixels.reshape(80, 4, 160, 4).mean(axis=(1, 3)) / 255, atol=5.1e-5)


HEIGHTS = "must be a lattice: x, y, z, evenly spaced, each x with each y once"
LATTICE = "must be a lattice: x, y, vx, vy, evenly spaced, each x with each y once"
UNFIT = {
    "flow_map, 1,2\n3,4\n": f"has 2 lines with 0 different x and 0 different y; {LATTICE}",
    "flow_map, 0,0,1,1\n1,0,1,1\n0,1,1,1\n": f"has 3 lines with 2 different x and 2 different y; {LATTICE}",
    "flow_map, 0,0,1,1\n1,0,1,1\n3,0,1,1\n": f"has 3 lines with 3 different x and 1 different y; {LATTICE}",
    "flow_map, 0,0,1,1\n0,0,1,1\n": f"has 2 lines with 1 different x and 1 different y; {LATTICE}",
    "height_map, 0,0,1\n1,0,1\n3,0,1\n": f"has 3 lines with 3 different x and 1 different y; {HEIGHTS}",
    "height_map, 0,0,1,1,1,1\n1,0,1,1,1,1\n": f"has 2 lines with 0 different x and 0 different y; {HEIGHTS}",
    "height_map, color": "is in color (100% of its pixels); a height map is gray: save it in grayscale",
    "flow_map, gray": "is gray; red of a flow map is x and green is y, and blue is left out",
}


@pytest.mark.parametrize("case", UNFIT)
def test_files_that_are_no_maps(tmp_path, case):
    """Places that are no lattice, and photographs: one line with the file, the key and what would be right."""
    kind, text = case.split(", ", 1)
    colors = {"color": [200, 120, 40], "gray": [90, 90, 90]}
    name = "photo.png" if text in colors else "map.csv"
    if text in colors:
        Image.fromarray(np.tile(np.array(colors[text], np.uint8), (4, 6, 1))).save(tmp_path / name)
    else:
        (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(ScenarioError) as error:
        load_scenario(saved(tmp_path, kind, name))
    (line,) = error.value.errors
    key = "image" if text in colors else "csv"

    assert line == f"{tmp_path / 'scenario.toml'}:5: fields.{key}: {tmp_path / name}: {UNFIT[case]}"


def test_gray_images_of_a_lossy_format_are_maps(tmp_path):
    """What a JPEG in color leaves of gray is no color."""
    gray = np.indices((64, 64)).sum(axis=0).astype(np.uint8)
    Image.fromarray(np.repeat(gray[..., None], 3, axis=2)).save(tmp_path / "map.jpg", quality=60)

    assert len(load_scenario(saved(tmp_path, "height_map", "map.jpg")).fields[0].heights) == 64


@pytest.mark.parametrize(
    ("keys", "error"),
    [
        ('kind = "flow_map"', "needs csv or image with the name of a file, or flow"),
        ('kind = "height_map"\nheights = [[1.0, 2.0], [1.0]]', "heights must be equally long rows of 1 to 160 cells"),
        ('kind = "wind"\nvector = [1.0, 0.0, 0.0]', "must have 2 entries, as many as world.size, not 3"),
        ('kind = "curl_noise"\nscale = 0.0', "must be above 0, not 0"),
    ],
)
def test_fields_that_cannot_be(keys, error):
    """One line with the key."""
    with pytest.raises(ScenarioError) as raised:
        load_scenario(f"time.frames = 3\n[[fields]]\n{keys}\n")
    (line,) = raised.value.errors

    assert "fields" in line
    assert error in line


def test_a_map_is_one_of_its_keys(tmp_path):
    """A file of each kind, or a file that nobody has read, is one line."""
    (tmp_path / "map.csv").write_text("0,0,1\n1,0,2\n", "utf-8")
    Image.fromarray(np.array([[0, 51]], np.uint8)).save(tmp_path / "map.png")
    with pytest.raises(ScenarioError, match="must have one of csv, image and heights, not several"):
        load_scenario(saved(tmp_path, "height_map", "map.png", 'csv = "map.csv"'))
    with pytest.raises(ValueError, match="the file has not been read; load_scenario does that"):
        FIELDS["height_map"].model_validate({"image": "map.png"})


@pytest.mark.parametrize("name", ["map.csv", "map.png"])
@pytest.mark.parametrize("kind", ["flow_map", "height_map"])
def test_what_comes_from_inside_a_file_names_no_map(kind, name):
    """A scenario that a stranger's clip carries may name none of the files that a field takes."""
    key = "csv" if name.endswith(".csv") else "image"
    text = f'time.frames = 3\n[[fields]]\nkind = "{kind}"\n{key} = "{name}"\n'
    with pytest.raises(ScenarioError, match=rf"names files .* \(fields.0.{key}\)"):
        draft(source_of(text)._replace(carried=True))


def test_maps_are_flat():
    """In a world with depth there are none."""
    with pytest.raises(ScenarioError, match="works in 2D only"):
        load_scenario('world.size = [9, 9, 9]\n[[fields]]\nkind = "height_map"\nheights = [[1.0]]\n')


WIND = {"kind": "wind", "vector": [1.0, 0.0]}
ROUTE = {"path": {"kind": "circle", "mode": "position"}}
HUNTED = {"predators": [{}]}


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"fields": [{**WIND, "weight": 0.0}]}, "fields.weight: is 0: the field moves nobody"),
        ({"fields": [{**WIND, "weight": 0.0}], "events": [{"at": 1, "set": {"fields.0.weight": 1.0}}]}, ""),
        ({"fields": [{**WIND, "on": "predators"}]}, "fields.on: is predators, and there are none"),
        (
            {"fields": [{**WIND, "on": "predators"}], "predators": [ROUTE]},
            "fields.on: is predators, and a path carries them all",
        ),
        ({"fields": [{**WIND, "on": "predators"}], **HUNTED}, ""),
        (
            {"fields": [{"kind": "height_map", "heights": [[0.0, 1.0]]}]},
            "fields: its 2×1 cells are stretched to 200×400 world units",
        ),
        ({"fields": [{"kind": "height_map", "heights": [[0.0, 1.0]]}], "world": {"size": [400.0, 200.0]}}, ""),
    ],
)
def test_fields_without_effect_and_stretched_maps_are_warnings(keys, told):
    """What moves nobody, and a map of another shape than the world, are named once; an event may switch a field on."""
    made = draft(source_of(keys))
    found = made.warnings(made.scenario())

    assert len(found) == bool(told)
    assert all(told in line for line in found)


@pytest.mark.parametrize("theme", ["night", "paper", "ocean"])
@pytest.mark.parametrize("kind", EXAMPLES)
def test_fields_are_drawn_faintly_below(kind, theme):
    """Arrows over the whole world, in few pixels and little contrast; overlay.fields switches them off."""
    document = {
        "world": {"size": [400.0, 300.0]},
        "time": {"frames": 1},
        "flock": {"count": 0},
        "style": {"theme": theme},
    }
    document["fields"] = [{"kind": kind, **EXAMPLES[kind]}]
    on, off = (
        np.asarray(picture(load_scenario({**document, "overlay": {"fields": shown}})), dtype=int)
        for shown in (True, False)
    )
    changed = np.abs(on - off).max(axis=2)

    assert 0.005 < (changed > 8).mean() < 0.2
    assert 25 < changed.max() < 140


def picture(scenario):
    """The first frame, in full color."""
    frame = Renderer(scenario, scenario.picture_size)(next(simulate(scenario, "numpy")))
    return Image.open(BytesIO(encoded(frame))).convert("RGB")


@pytest.mark.parametrize(
    ("moving", "keys"),
    [(True, {"kind": "curl_noise", "period": 9.0}), (True, {**WIND, "period": 9.0}), (False, WIND)],
)
def test_arrows_move_with_the_field(moving, keys):
    """With a period each frame has other arrows; without one the picture does not change."""
    tables = {"world": {"size": [96.0, 64.0]}, "time": {"frames": 4}, "flock": {"count": 0}, "fields": [keys]}
    made = load_scenario(tables)
    renderer = Renderer(made, made.picture_size)
    frames = [renderer(state).index.copy() for state in simulate(made)]

    assert [np.array_equal(frames[0], one) for one in frames] == [True, *[not moving] * 3]


def test_arrows_point_along_the_field():
    """A wind to the right: the heads are in the right halves of the arrows."""
    made = load_scenario(
        {
            "world": {"size": [96.0, 64.0]},
            "output": {"size": [960, 640]},
            "time": {"frames": 1},
            "flock": {"count": 0},
            "fields": [WIND],
        }
    )
    drawn = Renderer(made, made.picture_size)(next(simulate(made))).index > 0
    heads = drawn[:, :60].sum(axis=0)

    assert heads[40:56].max() > 2 * heads[8:30].max()

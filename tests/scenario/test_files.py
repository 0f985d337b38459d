"""Files that a scenario names: their content is in the scenario; errors in points are in the golden file."""

import zlib

import numpy as np
import pytest
from PIL import ExifTags, Image, ImageOps

from boidsgen import ScenarioError, load_scenario, render
from boidsgen.pipeline import RunOptions
from boidsgen.replays import original, replay_file
from boidsgen.scenario import sources
from boidsgen.scenario.scenario import provenance
from boidsgen.scenario.sources import Source, find
from boidsgen.studies.plan import SweepOptions, parse_axis, plan_sweep
from boidsgen.studies.sweep import RunJob

RANDOM = np.random.default_rng(4).integers(0, 255, (333, 421), np.uint8)
"""An image whose sides are no multiples of those of a cell, so that a cell with fewer pixels is where it belongs."""


def scenario(folder, start, more="", *, world=""):
    """The path of a scenario with this start."""
    path = folder / "scenario.toml"
    path.write_text(f"time.frames = 3\noutput.size = [64, 64]\n{world}[flock]\nstart = {start}\n{more}", "utf-8")
    return path


def flock(folder, start, **more):
    """The flock with this start."""
    return load_scenario(scenario(folder, start, **more)).flock[0]


def points(folder, text):
    """A file of points."""
    (folder / "points.csv").write_text(text, "utf-8")
    return '{ csv = "points.csv" }'


def image(folder, pixels, name="image.png"):
    """An image of these pixels; of an image as it is."""
    (pixels if isinstance(pixels, Image.Image) else Image.fromarray(np.array(pixels, np.uint8))).save(folder / name)
    return f'{{ image = "{name}" }}'


@pytest.mark.parametrize(
    ("text", "position", "velocity"),
    [
        ("1,2\n3,4\n", [(1, 2), (3, 4)], None),
        ("\ufeffx,y\r\n 1 , 2e1 \r\n\r\n", [(1, 20)], None),
        ("vx,y,vy,x\n5,2,6,1\n", [(1, 2)], [(5, 6)]),
        ('"1","2",3,4\n', [(1, 2)], [(3, 4)]),
        ("1,2,3,4,5,6\n", [(1, 2, 3)], [(4, 5, 6)]),
    ],
)
def test_points_are_read(tmp_path, text, position, velocity):
    """Columns may be named, and then stand in any order; their number is that of the boids; depth is a coordinate."""
    world = "world.size = [9, 9, 9]\n" if len(position[0]) == 3 else ""
    found = flock(tmp_path, points(tmp_path, text), world=world)

    assert found.count == len(position)
    assert found.start.points == tuple(position)
    assert found.start.velocities == (velocity and tuple(velocity))


def test_other_mistakes_are_told_as_well(tmp_path):
    """A file that is missing hides no error elsewhere; an override is named, and a name that no file can have."""
    path = scenario(tmp_path, '[{ csv = "none.csv" }, "ring"]', "max_sped = 2\n")
    with pytest.raises(ScenarioError, match=r"(?s)start\.0\.csv: .*none\.csv: No such file or directory.*max_sped"):
        load_scenario(path)
    with pytest.raises(ScenarioError, match=r"overrides: flock\.start: .*nowhere\.png: No such file or directory"):
        load_scenario(scenario(tmp_path, '"ring"'), overrides={"flock.start": {"image": "nowhere.png"}})
    with pytest.raises(ScenarioError, match=r":4: flock\.start\.csv: "):
        load_scenario(scenario(tmp_path, f'{{ csv = "{"a" * 5000}" }}'))


def test_dark_parts_of_an_image(tmp_path):
    """Dark is less than half as bright as white on average; transparent is white; a large image is kept coarsely."""
    assert flock(tmp_path, image(tmp_path, [[0, 255, 127, 128]])).start.rows == ("#.#.",)
    assert flock(tmp_path, image(tmp_path, [[[0, 0, 0, 0], [0, 0, 0, 255]]])).start.rows == (".#",)

    side = 3
    means = [[RANDOM[y : y + side, x : x + side].mean() for x in range(0, 421, side)] for y in range(0, 333, side)]
    expected = tuple("".join("#" if mean < 127.5 else "." for mean in row) for row in means)
    assert max(len(expected), len(expected[0])) <= sources.MAX_MAP_CELLS
    assert flock(tmp_path, image(tmp_path, RANDOM)).start.rows == expected


@pytest.mark.parametrize("orientation", range(10))
def test_photographs_are_turned_upright(tmp_path, orientation):
    """However a photograph lies in its file, it stands as Pillow would turn it; an unknown number turns none."""
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = orientation
    Image.fromarray(RANDOM).save(tmp_path / "lying.png", exif=exif)
    with Image.open(tmp_path / "lying.png") as photograph:
        start = image(tmp_path, ImageOps.exif_transpose(photograph))

    assert flock(tmp_path, '{ image = "lying.png" }').start.rows == flock(tmp_path, start).start.rows


def test_images_that_cannot_stand_there(tmp_path, monkeypatch):
    """Too many pixels are refused before any is decoded; so are damaged images, 16 bits, and white paper."""

    def refusal(start='{ image = "image.png" }'):
        with pytest.raises(ScenarioError) as raised:
            load_scenario(scenario(tmp_path, start))
        return str(raised.value)

    path = tmp_path / "image.png"
    assert "image.png: has no dark pixels" in refusal(image(tmp_path, [[255]]))
    image(tmp_path, Image.fromarray(np.zeros((3, 3), np.uint16)))
    assert "image.png: has more than 8 bits a color" in refusal()
    image(tmp_path, RANDOM)
    path.write_bytes(path.read_bytes()[:1000])
    assert "image.png: is a damaged image" in refusal()
    image(tmp_path, np.zeros((70_000, 1)))
    assert "image.png: has a side of more than 65,535 pixels" in refusal()
    image(tmp_path, [[0]])
    bomb = bytearray(path.read_bytes())
    bomb[16:24] = (60_000).to_bytes(4, "big") * 2  # more than Pillow itself allows
    bomb[29:33] = zlib.crc32(bytes(bomb[12:29])).to_bytes(4, "big")
    path.write_bytes(bytes(bomb))
    assert "image.png: has more than 16,000,000 pixels" in refusal()
    image(tmp_path, np.zeros((50, 50)))
    monkeypatch.setattr(sources, "MAX_IMAGE_PIXELS", 2499)
    monkeypatch.setattr(Image.Image, "convert", lambda *_: pytest.fail("decoded"))
    assert "image.png: has more than 2,499 pixels" in refusal()


@pytest.mark.parametrize(
    "make", [lambda folder: points(folder, "1,2,0.1,-0.3\n30,40,1,0\n"), lambda folder: image(folder, [[0, 255]])]
)
def test_what_was_made_can_be_made_again_without_the_files(tmp_path, make):
    """The provenance holds what the files held, so that a replay needs none of them and shows the same."""
    path = scenario(tmp_path, make(tmp_path))
    clip = tmp_path / "clip.gif"
    render(load_scenario(path), clip)
    text = provenance(load_scenario(path))
    for name in ("points.csv", "image.png"):
        (tmp_path / name).unlink(missing_ok=True)

    assert not [ending for ending in (".csv", ".png") if ending in text]
    replay_file(original(clip), str(tmp_path / "again.gif"))
    assert (tmp_path / "again.gif").read_bytes() == clip.read_bytes()


def test_events_may_name_files(tmp_path):
    """New boids come where a file says, and the scenario holds that too."""
    image(tmp_path, [[0]])
    event = '[[events]]\nat = 1\nset = { "flock.count" = 9, "flock.start" = { image = "image.png" } }\n'
    loaded = load_scenario(scenario(tmp_path, '"ring"', f"count = 4\n{event}"))

    assert loaded.events[0].set["flock.start"] == {"rows": ("#",)}
    assert "image.png" not in provenance(loaded)


def test_runs_of_a_sweep_carry_what_files_hold(tmp_path):
    """A worker needs none of the files, not even the folder; the sweep may vary their names."""
    image(tmp_path, [[0]], "one.png")
    image(tmp_path, [[0, 255, 0]], "two.png")
    source = find(scenario(tmp_path, '{ image = "one.png" }', "count = 3\n"))
    plan = plan_sweep(source, (), SweepOptions((parse_axis("flock.start.image=one.png,two.png"),), drawn=False))
    settings = [[*plan.settings(run).items(), *plan.embedded(run).items()] for run in plan.runs]
    for name in ("one.png", "two.png"):
        (tmp_path / name).unlink()

    assert len({run.digest for run in plan.runs}) == 2
    for chosen in settings:
        assert (
            RunJob("", Source("", "", source.text), tuple(chosen), "", "", options=RunOptions("numpy")).do()["status"]
            == "done"
        )

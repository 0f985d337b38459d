"""Files that a scenario names: what they hold is in the scenario, and mistakes in them are told."""

import zlib

import numpy as np
import pytest
from PIL import ExifTags, Image, ImageOps

from boidsgen import ScenarioError, UsageError, load_scenario, render
from boidsgen.cli.jobs import plan_jobs, plan_still
from boidsgen.output.publish import guard_inputs
from boidsgen.scenario import files
from boidsgen.scenario.overrides import Override
from boidsgen.scenario.provenance import provenance
from boidsgen.scenario.sources import find
from boidsgen.studies.axes import parse_axis
from boidsgen.studies.plan import SweepOptions, plan_sweep
from boidsgen.studies.replay import original, replay
from boidsgen.studies.tasks import RunJob, measure_run

SHORT = "[time]\nframes = 3\n[output]\nsize = [64, 64]\n"


def scenario(tmp_path, start, more="", *, world=""):
    """The path of a scenario with this start."""
    path = tmp_path / "scenario.toml"
    path.write_text(f"{SHORT}{world}[flock]\nstart = {start}\n{more}", "utf-8")
    return path


def points(tmp_path, text):
    """A file of points."""
    (tmp_path / "points.csv").write_text(text, "utf-8")
    return '{ csv = "points.csv" }'


def image(tmp_path, pixels, mode="L", name="image.png"):
    """An image of these pixels."""
    Image.fromarray(np.array(pixels, np.uint8)).convert(mode).save(tmp_path / name)
    return f'{{ image = "{name}" }}'


@pytest.mark.parametrize(
    ("text", "position", "velocity"),
    [
        ("1,2\n3,4\n", [(1, 2), (3, 4)], None),
        ("x,y\n1,2\n", [(1, 2)], None),
        ("\ufeffx,y\r\n 1 , 2e1 \r\n\r\n", [(1, 20)], None),
        ("vx,y,vy,x\n5,2,6,1\n", [(1, 2)], [(5, 6)]),
        ('"1","2",3,4\n', [(1, 2)], [(3, 4)]),
    ],
)
def test_points_are_read(tmp_path, text, position, velocity):
    """Columns may be named, and then stand in any order; their number is that of the boids."""
    flock = load_scenario(scenario(tmp_path, points(tmp_path, text))).flock[0]

    assert flock.count == len(position)
    assert flock.start.points == tuple(position)
    assert flock.start.velocities == (velocity and tuple(velocity))


def test_points_in_space(tmp_path):
    """A world with depth takes points with depth."""
    start = points(tmp_path, "1,2,3,4,5,6\n")
    flock = load_scenario(scenario(tmp_path, start, world="[world]\nsize = [9, 9, 9]\n")).flock[0]

    assert (flock.start.points, flock.start.velocities) == (((1, 2, 3),), ((4, 5, 6),))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,2\n3,x\n", 'points.csv:2: column 2 (y): must be a finite number, not "x"'),
        ("x,y\n1,1e-300\n", "points.csv:2: column 2 (y): must be 0 or at least 1e-50 in size"),
        ("x,y\n1\n", "points.csv:2: must have 2 columns, not 1"),
        ("1,2,3\n", "points.csv:1: has 3 columns; must be x, y or x, y, vx, vy"),
        ("x,q\n1,2\n", 'points.csv:1: column 2: must be x, y, z, vx, vy or vz, not "q"'),
        ("x,y\n", "points.csv: has 0 points; must have 1 to 10,000"),
        ('1,"2\n', "points.csv:1: is not CSV"),
    ],
)
def test_mistakes_in_points_are_told(tmp_path, text, said):
    """File, line and column of the mistake, and the line of the scenario that names the file; nothing else."""
    path = scenario(tmp_path, points(tmp_path, text))
    with pytest.raises(ScenarioError) as raised:
        load_scenario(path)

    (line,) = raised.value.mistakes
    assert line.startswith(f"{path}:6: flock.start.csv: {tmp_path}/" if "/" in str(path) else str(path))
    assert said in line


def test_a_name_that_no_file_can_have_is_a_mistake_of_its_key(tmp_path):
    """However long it is."""
    with pytest.raises(ScenarioError, match=r":6: flock\.start\.csv: "):
        load_scenario(scenario(tmp_path, f'{{ csv = "{"a" * 5000}" }}'))


def test_other_mistakes_are_told_as_well(tmp_path):
    """A file that is missing hides no mistake elsewhere, and an override is named."""
    path = scenario(tmp_path, '[{ csv = "none.csv" }, "ring"]', "max_sped = 2\n")
    with pytest.raises(ScenarioError, match=r"(?s)start\.0\.csv: .*none\.csv: there is no such file.*max_sped"):
        load_scenario(path)
    with pytest.raises(ScenarioError, match=r"overrides: flock\.start: .*nowhere\.png: there is no such file"):
        load_scenario(scenario(tmp_path, '"ring"'), overrides={"flock.start": {"image": "nowhere.png"}})


def test_paths_lead_from_the_scenario(tmp_path, monkeypatch):
    """Wherever the command is given."""
    (tmp_path / "inner").mkdir()
    start = points(tmp_path, "1,2\n").replace("points", "../points")
    path = scenario(tmp_path / "inner", start)
    monkeypatch.chdir(tmp_path.parent)

    assert load_scenario(path).flock[0].count == 1


def test_dark_parts_of_an_image(tmp_path):
    """Less than half as bright as white is dark, and what is transparent is white."""
    start = image(tmp_path, [[0, 255, 127, 128]])
    assert load_scenario(scenario(tmp_path, start)).flock[0].start.rows == ("#.#.",)

    Image.fromarray(np.array([[[0, 0, 0, 0], [0, 0, 0, 255]]], np.uint8)).save(tmp_path / "image.png")
    assert load_scenario(scenario(tmp_path, start)).flock[0].start.rows == (".#",)


def test_large_images_are_kept_coarsely(tmp_path):
    """A cell is dark when the pixels in it are on average."""
    pixels = np.full((400, 200), 255)
    pixels[:200, :100] = 0
    rows = load_scenario(scenario(tmp_path, image(tmp_path, pixels))).flock[0].start.rows

    assert max(len(rows), len(rows[0])) <= files.MAX_CELLS
    assert rows[0] == "#" * (len(rows[0]) // 2) + "." * (len(rows[0]) - len(rows[0]) // 2)
    assert sum(row.count("#") for row in rows) == len(rows) // 2 * (len(rows[0]) // 2)


def test_pieces_of_an_image_do_not_show(tmp_path, monkeypatch):
    """However many pixels are looked at together, the same cells are dark; each is the mean of its own square."""
    pixels = np.random.default_rng(4).integers(0, 255, (333, 421), np.uint8)
    start = image(tmp_path, pixels)
    side = 3
    means = [[pixels[y : y + side, x : x + side].mean() for x in range(0, 421, side)] for y in range(0, 333, side)]
    expected = tuple("".join("#" if mean < 127.5 else "." for mean in row) for row in means)
    for number in (1, 100, 1 << 30):
        monkeypatch.setattr(files, "PIXELS_AT_ONCE", number)
        assert load_scenario(scenario(tmp_path, start)).flock[0].start.rows == expected


@pytest.mark.parametrize("orientation", range(10))
def test_photographs_are_turned_upright(tmp_path, orientation):
    """However a photograph lies in its file, it stands as Pillow would turn it; a number that nobody knows turns none.

    Its sides are no multiples of those of a cell, so that a cell with fewer pixels is where it belongs.
    """
    lying = Image.fromarray(np.random.default_rng(4).integers(0, 255, (333, 421), np.uint8))
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = orientation
    lying.save(tmp_path / "lying.png", exif=exif)
    with Image.open(tmp_path / "lying.png") as photograph:
        start = image(tmp_path, ImageOps.exif_transpose(photograph))

    upright = load_scenario(scenario(tmp_path, start)).flock[0].start.rows
    assert load_scenario(scenario(tmp_path, '{ image = "lying.png" }')).flock[0].start.rows == upright


def test_images_that_cannot_stand_there(tmp_path, monkeypatch):
    """Too many pixels are refused before any is decoded; so are other files, damaged ones, and white paper."""

    def refusal(start):
        with pytest.raises(ScenarioError) as raised:
            load_scenario(scenario(tmp_path, start))
        return str(raised.value)

    assert "image.png: is dark nowhere" in refusal(image(tmp_path, [[255]]))
    Image.fromarray(np.zeros((3, 3), np.uint16)).save(tmp_path / "deep.png")
    assert "deep.png: has more than 8 bits a color" in refusal('{ image = "deep.png" }')
    image(tmp_path, np.random.default_rng(0).integers(0, 255, (40, 40)))
    content = (tmp_path / "image.png").read_bytes()
    (tmp_path / "cut.png").write_bytes(content[: len(content) // 2])
    assert "cut.png: is a damaged image" in refusal('{ image = "cut.png" }')
    points(tmp_path, "1,2\n")
    assert "points.csv: is no image that can be read" in refusal('{ image = "points.csv" }')

    image(tmp_path, np.zeros((70_000, 1)))
    assert "image.png: has a side of more than 65,535 pixels" in refusal('{ image = "image.png" }')

    image(tmp_path, np.zeros((50, 50)))
    monkeypatch.setattr(files, "MAX_PIXELS", 2499)
    monkeypatch.setattr(Image.Image, "convert", lambda *_: pytest.fail("decoded"))
    assert "image.png: has more than 2,499 pixels" in refusal('{ image = "image.png" }')


def test_bombs_are_refused(tmp_path):
    """An image whose header promises more than Pillow itself allows is refused like any other that is too large."""
    image(tmp_path, [[0]])
    content = bytearray((tmp_path / "image.png").read_bytes())
    content[16:24] = (60_000).to_bytes(4, "big") * 2
    content[29:33] = zlib.crc32(bytes(content[12:29])).to_bytes(4, "big")
    (tmp_path / "image.png").write_bytes(bytes(content))

    with pytest.raises(ScenarioError, match="has more than 16,000,000 pixels"):
        load_scenario(scenario(tmp_path, '{ image = "image.png" }'))


@pytest.mark.parametrize(
    "make", [lambda tmp: points(tmp, "1,2,0.1,-0.3\n30,40,1,0\n"), lambda tmp: image(tmp, [[0, 255]])]
)
def test_what_was_made_can_be_made_again_without_the_files(tmp_path, make):
    """The provenance holds what the files held, so that a replay needs none of them and shows the same."""
    path = scenario(tmp_path, make(tmp_path))
    clip = tmp_path / "clip.gif"
    render(load_scenario(path), clip)
    text = provenance(load_scenario(path))
    for name in ("points.csv", "image.png"):
        (tmp_path / name).unlink(missing_ok=True)

    assert ".csv" not in text
    assert ".png" not in text
    replay(original(clip), str(tmp_path / "again.gif"))
    assert (tmp_path / "again.gif").read_bytes() == clip.read_bytes()


def test_events_may_name_files(tmp_path):
    """New boids come where a file says, and the scenario holds that too."""
    image(tmp_path, [[0]])
    event = '[[events]]\nat = 1\nset = { "flock.count" = 9, "flock.start" = { image = "image.png" } }\n'
    loaded = load_scenario(scenario(tmp_path, '"ring"', f"count = 4\n{event}"))

    assert loaded.events[0].set["flock.start"] == {"rows": ("#",)}
    assert "image.png" not in provenance(loaded)


def test_outputs_never_replace_what_a_scenario_names(tmp_path):
    """Neither a still nor a clip may be written over an image or over points."""
    path = str(scenario(tmp_path, image(tmp_path, [[0]])))
    with guard_inputs(), pytest.raises(UsageError, match=r"image\.png: is already what is read"):
        plan_still(path, (), str(tmp_path / "image.png"))
    (tmp_path / "image.png").rename(tmp_path / "image.gif")
    with pytest.raises(UsageError, match=r"image\.gif: is already a file that a scenario names"):
        plan_jobs([path], [Override("flock.start.image", "image.gif", "")], [str(tmp_path / "image.gif")])


def test_runs_of_a_sweep_carry_what_files_hold(tmp_path):
    """A worker needs none of the files, not even the folder; the sweep may vary their names."""
    image(tmp_path, [[0]], name="one.png")
    image(tmp_path, [[0, 255, 0]], name="two.png")
    source = find(scenario(tmp_path, '{ image = "one.png" }', "count = 3\n"))
    plan = plan_sweep(source, (), SweepOptions((parse_axis("flock.start.image=one.png,two.png"),), drawn=False))
    settings = [[*plan.settings(run).items(), *plan.embedded(run).items()] for run in plan.runs]
    for name in ("one.png", "two.png"):
        (tmp_path / name).unlink()

    assert len({run.digest for run in plan.runs}) == 2
    for chosen in settings:
        assert measure_run(RunJob("", "", source.text, tuple(chosen), "", "", "numpy"))["status"] == "done"

"""Material for a lecture, and what students hand in: `course`, `collect` and `replay`."""

import json
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from boidsgen import load_scenario
from boidsgen.cli import course as cli
from boidsgen.cli.course import CLIP_THEMES, units_of
from boidsgen.cli.main import run
from boidsgen.output.formats import is_own, origin

ROOT = Path(__file__).parents[2]
SMALL = ["--frames", "3", "--size", "80x80", "--quiet"]


def test_every_unit_has_something_to_show():
    """Nine units in order, each with a clip or still of its own, and no two of a unit with one name."""
    units = units_of(None)

    assert [one.number for one in units] == list(range(1, 10))
    for one in units:
        names = [Path(name).stem for _, name in one.commands()]
        assert names
        assert len({*names}) == len(names)
    assert [one.name for one in units_of(["8", "seeds"])] == ["seeds", "traps"]
    assert run(["course", "--unit", "10", "-o", "."]) == 2


def test_course_makes_what_the_manifest_lists(tmp_path, monkeypatch, capfd):
    """Every listed file is there, embeds its theme, and comes again from the command that is listed."""
    monkeypatch.chdir(tmp_path)

    seeds = units_of(["seeds"])[0]
    monkeypatch.setattr(
        cli, "units_of", lambda _: [seeds._replace(text=seeds.text.replace("--frames 60", "--frames 2"))]
    )

    assert run(["course", "-o", "slides", "--json"]) == 0
    manifest = json.loads(Path("slides/manifest.json").read_text("utf-8"))
    listed = {one["path"]: one for one in manifest["clips"]}

    assert json.loads(capfd.readouterr().out) == {
        "path": str(Path("slides/manifest.json")),
        "clips": len(listed),
        "sheets": 2,
    }
    assert manifest["sheets"] == ["seeds/worksheet.pdf", "seeds/solutions.pdf"]
    assert manifest["articles"] == []
    assert all(Path("slides", one).stat().st_size > 10_000 for one in manifest["sheets"])
    assert {*listed} == {path.relative_to("slides").as_posix() for path in Path("slides").rglob("*.png")}
    assert [one["background"] for one in listed.values()] == [*CLIP_THEMES]
    for path, one in listed.items():
        assert ("paper" in origin(BytesIO(Path("slides", path).read_bytes()), path)) == (one["background"] == "light")
    assert (one["unit"], one["title"], one["frames"]) == (3, "Seeds", 1)
    assert run(["course", "-o", "slides"]) == 0  # everything in the folder is known as ours, and may be replaced


def test_a_unit_with_an_article_gets_its_page(tmp_path, monkeypatch):
    """It lists it, knows it as ours, and makes it again."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli, "units_of", lambda _: [units_of(["rules"])[0]._replace(text="")])

    assert [run(["course", "-o", "slides"]) for _ in range(2)] == [0, 0]
    assert json.loads(Path("slides/manifest.json").read_text("utf-8"))["articles"] == ["rules/article.html"]
    assert "<title>Three rules</title>" in Path("slides/rules/article.html").read_text("utf-8")


def test_every_article_belongs_to_a_unit():
    articles = {one.stem for one in (ROOT / "docs" / "course" / "articles").iterdir()}

    assert {"rules", "groups"} <= articles <= {one.name for one in units_of(None)}


def test_every_sheet_is_known_as_ours():
    """A sheet that ships may replace an older one of its folder."""
    sheets = [*(ROOT / "docs" / "course" / "sheets").rglob("*.pdf")]

    assert sheets
    assert all(map(is_own, sheets))


@pytest.fixture
def handed_in(tmp_path, monkeypatch):
    """Clips of four students: as it is, with changed keys, altered afterwards, and made by something else."""
    monkeypatch.chdir(tmp_path)
    run(["render", "quickstart", "-o", "anna.gif", *SMALL])
    run(["render", "hunt", "-o", "ben.mp4", *SMALL, "--set", "flock.alignment.weight=1", "--set", "flock.min_speed=1"])
    run(["still", "numpy-separation", "--at", "2", "-o", "cid.png", "--set", "flock.alignment.weight=1", *SMALL])
    with Image.open("cid.png") as picture:
        picture.save("eva.gif")
    altered = bytearray(Path("anna.gif").read_bytes())
    altered[len(altered) * 9 // 10] ^= 1  # in a picture, behind what the clip embeds
    Path("dan.gif").write_bytes(altered)


@pytest.mark.usefixtures("handed_in")
def test_collect_lists_preset_changes_and_verdict(capfd):
    """For each file the preset it extends, the keys that differ with their values, and if it replays to the bit."""
    capfd.readouterr()
    names = ["anna.gif", "ben.mp4", "cid.png", "dan.gif", "eva.gif", "none.gif"]

    assert run(["collect", *names, "--json"]) == 0
    printed = capfd.readouterr()
    found = {one["path"]: one for one in map(json.loads, printed.out.splitlines())}
    assert run(["collect", "anna.gif", "eva.gif", "cid.png", "--quiet"]) == 0
    table = [line.split() for line in capfd.readouterr().out.splitlines()]

    assert [found[name]["preset"] for name in names] == [
        "quickstart",
        "hunt",
        "numpy-separation",
        "quickstart",
        None,
        None,
    ]
    shortened = {"time.frames": 3, "output.size": [80, 80]}
    assert found["anna.gif"]["changed"] == shortened
    assert found["ben.mp4"]["changed"] == {**shortened, "flock.min_speed": 1.0}
    assert load_scenario("hunt").flock[0].alignment.weight == 1
    assert found["cid.png"]["changed"] == {**shortened, "flock.alignment.weight": 1.0}
    assert [found[name]["verified"] for name in names] == [True, True, True, False, False, False]
    assert [found[name]["frames"] for name in names] == [3, 3, 1, None, None, None]
    assert "altered" in found["dan.gif"]["reason"]
    assert found["eva.gif"]["reason"] in printed.err
    assert [line[:3] for line in table[1:]] == [
        ["anna.gif", "quickstart", "yes"],
        ["eva.gif", "-", "no"],
        ["cid.png", "numpy-separation", "yes"],
    ]

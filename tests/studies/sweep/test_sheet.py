import pytest
from PIL import Image

from boidsgen.errors import UsageError
from boidsgen.scenario.scenario import Scenario
from boidsgen.studies.compare.layout import Headings
from boidsgen.studies.sweep.sheet import MAX_RUNS, write_sheet


def small(**document):
    table = {"world": {"size": (64.0, 48.0)}, "time": {"frames": 4}, "flock": {"count": 5}, **document}
    return Scenario.model_validate(table)


@pytest.mark.parametrize("name", ["sheet.png", "sheet.gif"])
def test_a_sheet_fits_a_screen(name, tmp_path):
    """However large its scenarios, a sheet is one picture that can be looked at."""
    scenarios = [small(seed=seed, output={"size": (640, 480)}, time={"frames": 2}) for seed in range(12)]
    headings = Headings("A sheet", columns=("1", "2", "3", "4"), rows=("x", "y", "z"))

    write_sheet([*scenarios[:-1], None], tmp_path / name, headings)

    with Image.open(tmp_path / name) as image:
        assert 1200 < image.size[0] < 2000
        assert image.size[1] < 1600


def test_a_sheet_has_room_for_so_many(tmp_path):
    """More runs than can be seen are refused, and so is none."""
    with pytest.raises(UsageError, match="1 to 64 runs"):
        write_sheet([small()] * (MAX_RUNS + 1), tmp_path / "sheet.png", Headings())
    with pytest.raises(UsageError, match="1 to 64 runs"):
        write_sheet([None], tmp_path / "sheet.png", Headings())

"""What a table cannot mean is one line: a notice that names frames, or an error, and never a number that looks sure."""

from itertools import combinations, pairwise
from math import dist
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from boidsgen.errors import BoidsgenError
from boidsgen.observations.tracks import record_tracks
from boidsgen.studies.requests import TrackFormat

FRAMES, ANIMALS = 40, 5
LONG = TrackFormat(25.0, ("frame", "id", "x", "y"))


def place(seed: int = 1) -> np.ndarray:
    """Animals that wander, far from each other, (frames, n, 2)."""
    generator = np.random.default_rng(seed)
    walk = np.cumsum(generator.normal(0, 1, (FRAMES, ANIMALS, 2)), axis=0)
    return walk + 200 * np.arange(ANIMALS)[:, None] + [0, 50]


def table(where: np.ndarray, first: int = 0, every: int = 1) -> pd.DataFrame:
    rows = [(first + every * t, f"a{one}", *where[t, one]) for t in range(len(where)) for one in range(ANIMALS)]
    return pd.DataFrame(rows, columns=["frame", "id", "x", "y"])


def read(tmp_path: Path, rows: pd.DataFrame, form: TrackFormat = LONG) -> tuple[str, ...]:
    rows.to_csv(tmp_path / "t.csv", index=False)
    return record_tracks([str(tmp_path / "t.csv")], str(tmp_path / "out.npz"), form)[1]


def swapped(where: np.ndarray) -> list[tuple[int, str, str]]:
    """Frames and animals whose steps are shorter with changed names, one pair after the other."""
    found = []
    for t, (here, there) in enumerate(pairwise(where)):
        for a, b in combinations(range(ANIMALS), 2):
            if max(dist(here[a], there[b]), dist(here[b], there[a])) < 30 < min(dist(here[a], there[a]), 999):
                found.append((t, f"a{a}", f"a{b}"))
    return found


@pytest.mark.parametrize(("first", "every"), [(0, 1), (7, 1), (7, 3)])
def test_two_animals_that_change_names_are_told(first: int, every: int, tmp_path: Path) -> None:
    """The notice has the animals and the frames of the file, as the loop finds them."""
    where = place()
    assert not any("swapped" in told for told in read(tmp_path, table(where)))
    where[12:20, [1, 3]] = where[12:20, [3, 1]]
    (at, one, other), again = swapped(where)
    told = read(tmp_path, table(where, first, every), LONG._replace(every=every))
    start = first + every * at
    assert again[0] == 19
    assert any(
        f"animals {one} and {other} seem to be swapped from frame {start} to {start + every}" in line for line in told
    )
    assert any(", and 1 more; mend that in the table" in line for line in told)


def test_one_jump_and_two_that_fit_nobody_are_no_swap(tmp_path: Path) -> None:
    """An error of one animal, and of two at the same time to other places, are jumps only."""
    for some in ([2], [1, 3]):
        where = place()
        where[15, some] += 900
        told = read(tmp_path, table(where))
        assert any("animal a" in line and "moves" in line for line in told)
        assert not any("swapped" in line for line in told)


def test_time_that_runs_backward_is_told(tmp_path: Path) -> None:
    """Some rows out of order are told with the first one; a table in no order of time is not."""
    rows = table(place())
    late = rows[(rows["id"] == "a2") & rows["frame"].between(9, 11)]
    assert not read(tmp_path, rows.sample(frac=1, random_state=1))
    told = read(tmp_path, pd.concat([rows.drop(late.index), late]))
    assert told == ("time runs backward 1 times, first of animal a2 to frame 9; rows are taken in the order of time",)


@pytest.mark.parametrize("name", ["camera", "cam_id", "Video", "trial", "[run number]"])
def test_two_cameras_in_a_table_are_told(name: str, tmp_path: Path) -> None:
    """A column of places or runs with several values is named, with the option that reads one of them."""
    both = pd.concat([table(place()).assign(**{name: "left"}), table(place(2)).assign(**{name: "right 2"})])
    both["id"] += both[name]
    told = read(tmp_path, both)
    assert f"{name} has 2 values; --only " in told[0]
    assert "=left" in told[0]
    assert not read(tmp_path, both, LONG._replace(only=(f"{name}=right 2",)))
    assert not read(tmp_path, both, LONG._replace(columns=("frame=frame", "id=id", "x=x", "y=y", f"species={name}")))


def test_mixed_units_are_refused(tmp_path: Path) -> None:
    """Columns of two units are no place."""
    rows = table(place())
    for x, y, wrong in (
        ("x (cm)", "y (px)", True),
        ("x/m", "y/cm", True),
        ("x [mm]", "y [mm]", False),
        ("x", "y", False),
    ):
        named = rows.rename(columns={"x": x, "y": y})
        form = LONG._replace(columns=("frame=frame", "id=id", f"x={x}", f"y={y}"))
        if wrong:
            with pytest.raises(BoidsgenError, match=r"t\.csv: mixes units: x in \w+, y in \w+"):
                read(tmp_path, named, form)
        else:
            assert not read(tmp_path, named, form)


@pytest.mark.parametrize(
    ("name", "content", "source", "told"),
    [
        ("t.csv", b"", "", "t.csv: is empty"),
        ("t.csv", b"\n\n", "", "t.csv: is empty"),
        ("t.csv", b"frame,id,x,y\n", "", "t.csv: has no positions"),
        ("t.xlsx", b"PK\x03\x04rest", "", "t.xlsx: is a workbook; save it as .csv"),
        ("t.csv", b"x1,y1\n1,2\n2,3\n", "trackmate", "--source idtracker.ai would read it"),
        ("t.csv", b"Step,AgentID,x,y\n0,1,2,3\n1,1,2,4\n", "mot", "t.csv: has no column 'left'"),
        ("t.txt", b"1 0 2.5 3.5\n1 1 2.6 3.5\n", "mot", "t.txt: has no column 'left'"),
        ("t.csv", b"frame,x,y\n0,1,2\n", "netlogo", "has no column"),
    ],
)
def test_empty_tables_and_those_of_other_programs_are_one_line(
    name: str, content: bytes, source: str, told: str, tmp_path: Path
) -> None:
    """No table is read as what it is not."""
    (tmp_path / name).write_bytes(content)
    form = TrackFormat(25.0, source=source) if source else LONG
    with pytest.raises(BoidsgenError, match=told.replace(".", r"\.")) as caught:
        record_tracks([str(tmp_path / name)], str(tmp_path / "out.npz"), form)
    assert "\n" not in str(caught.value)

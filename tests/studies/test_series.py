"""Measures over time: values, seeds, formats, figures."""

import csv
import json
from importlib.util import find_spec

import numpy as np
import pytest

from boidsgen.errors import OutputExistsError, UsageError
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.measures import measure
from boidsgen.simulation.run import simulate
from boidsgen.studies.plot import require_matplotlib
from boidsgen.studies.series import USUAL_COLUMNS, measured, write_series


@pytest.fixture
def scenario():
    return Scenario.model_validate(
        {
            "title": "Test",
            "world": {"size": (64.0, 48.0)},
            "time": {"frames": 5, "steps_per_frame": 2, "warmup": 3},
            "flock": {"count": 6},
            "events": ({"at": 2, "set": {"flock.alignment.weight": 0.0}},),
        }
    )


def read(path):
    if path.suffix == ".csv":
        with path.open(newline="") as file:
            return [
                {name: float(value) if value else None for name, value in row.items()} for row in csv.DictReader(file)
            ]
    if path.suffix == ".parquet":
        from pyarrow.parquet import read_table

        return read_table(path).to_pylist()
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            found = {name: arrays[name].tolist() for name in arrays}
        rows = [dict(zip(found, values, strict=True)) for values in zip(*found.values(), strict=True)]
        return [{name: None if value != value else value for name, value in row.items()} for row in rows]  # noqa: PLR0124  nan
    return [json.loads(line) for line in path.read_text().splitlines()]


FORMATS = [
    "csv",
    "jsonl",
    "npz",
    pytest.param("parquet", marks=pytest.mark.skipif(find_spec("pyarrow") is None, reason="pyarrow is not installed")),
]


@pytest.mark.parametrize("ending", FORMATS)
def test_values_are_those_of_measure(ending, scenario, tmp_path):
    """Every format gives back, bit by bit, what `measure` says of every state; what is not defined is missing."""
    path = tmp_path / f"series.{ending}"

    write_series(measured(scenario, None).series(), [str(path)])

    rows = read(path)
    assert list(rows[0]) == list(USUAL_COLUMNS)
    for row, state in zip(rows, simulate(scenario), strict=True):
        expected = {"seed": scenario.seed, "frame": state.frame, "time": state.time, **measure(state)}
        assert {name: value for name, value in row.items() if value is not None} == expected
    assert rows[0]["predator_distance"] is None


def test_seeds_are_independent_and_stable(scenario):
    """More seeds leave the first ones as they are, and no two runs are the same."""
    two, three = (list(measured(scenario, number).series()) for number in (2, 3))

    assert three[: len(two)] == two
    assert len({row["seed"] for row in three}) == 3
    assert len({row["polarization"] for row in three if row["frame"] == 4}) == 3


def test_a_series_is_written_whole_or_not_at_all(scenario, tmp_path):
    """When the run fails in the middle, the old file stays."""
    path = tmp_path / "series.csv"
    path.write_text("old")

    def failing():
        yield from list(measured(scenario, None).series())[:2]
        raise MemoryError

    with pytest.raises(MemoryError):
        write_series(failing(), [str(path)])
    with pytest.raises(OutputExistsError):
        write_series(measured(scenario, None).series(), [str(path)], no_clobber=True)

    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["series.csv"]


@pytest.mark.parametrize("name", ["series", "series.txt", "-"])
def test_the_name_tells_the_format(name, scenario, tmp_path, monkeypatch):
    """A name that tells no format is a mistake."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="format"):
        write_series(measured(scenario, None).series(), [name])


def test_what_is_missing_is_named(tmp_path, monkeypatch):
    """Without pyarrow or matplotlib the message says what to install, before any work."""
    monkeypatch.setattr("boidsgen.output.tables.find_spec", lambda _: None)
    monkeypatch.setattr("boidsgen.studies.plot.find_spec", lambda _: None)

    with pytest.raises(UsageError, match="pip install pyarrow"):
        write_series(iter(()), [str(tmp_path / "series.parquet")])
    with pytest.raises(UsageError, match=r"pip install 'boidsgen\[plot\]'"):
        require_matplotlib("fig.png")
    assert list(tmp_path.iterdir()) == []

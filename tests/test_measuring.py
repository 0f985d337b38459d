"""Measures over time: values, seeds, formats, figures."""

import csv
import json
import re
import sys
from importlib.util import find_spec
from itertools import product
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PIL import Image

import boidsgen
from boidsgen import load_scenario, measuring
from boidsgen.errors import OutputExistsError, UsageError
from boidsgen.measuring import Measured, measured, row_columns, spawn_seeds, summary, write_parts, write_series
from boidsgen.scenario.scenario import Scenario, provenance
from boidsgen.simulation.individuals import ANIMAL_MEASURES
from boidsgen.simulation.measures import USUAL_MEASURES, Measurement, measure
from boidsgen.simulation.run import simulate
from boidsgen.simulation.spans import span_kinds
from boidsgen.studies.results import require_matplotlib, write_plot

pytest.importorskip("matplotlib", reason="matplotlib is an extra: pip install 'boidsgen[plot]'")


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
                {
                    name: (str if name in {"flock", "kind", "unit"} else float)(value) if value else None
                    for name, value in row.items()
                }
                for row in csv.DictReader(file)
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

    write_series(measured(scenario, None).series(), [str(path)], names=row_columns(scenario))

    rows = read(path)
    assert list(rows[0]) == [*row_columns(scenario)]
    for row, state in zip(rows, simulate(scenario), strict=True):
        expected = {"seed": scenario.seed, "frame": state.frame, "time": state.time, **measure(state)}
        expected["flock.alignment.weight"] = state.setup.flock[0].alignment.weight  # which an event sets
        assert {name: value for name, value in row.items() if value is not None} == expected
    assert rows[0]["predator_distance"] is None


@pytest.mark.parametrize("ending", FORMATS)
def test_each_animal_has_a_row_in_each_frame(ending, scenario, tmp_path):
    """Every format gives back, bit by bit, what each animal is measured at; what is not defined is missing."""
    path = tmp_path / f"animals.{ending}"
    runs = measured(scenario, 2)

    write_parts(runs.animals(), [str(path)], runs.animals_like)

    rows = read(path)
    assert rows == [*boidsgen.measure(scenario, by="animal", seeds=2)]
    assert list(rows[0]) == ["seed", "frame", "time", "flock", "animal", *ANIMAL_MEASURES]
    seeds = spawn_seeds(scenario.seed, 2)
    assert [(row["seed"], row["frame"], row["animal"]) for row in rows] == [*product(seeds, range(5), range(6))]
    assert {row["frame"] for row in rows if row["turning_rate"] is None} == {0}


@pytest.mark.parametrize("ending", FORMATS)
def test_each_animal_has_a_row_in_each_event(ending, tmp_path, monkeypatch):
    """Every format gives back each event, bit by bit, in whatever parts rows are written."""
    flock = {"count": 8, "perception": {"radius": 12.0}}
    scenario = Scenario.model_validate({"world": {"size": (64.0, 48.0)}, "time": {"frames": 20}, "flock": flock})
    path = tmp_path / f"events.{ending}"
    records = [*boidsgen.measure(scenario, events="all,turn=5", seeds=2)]
    monkeypatch.setattr(measuring, "EVENTS_TOGETHER", 1)
    runs = measured(scenario, 2)

    write_parts(runs.events(span_kinds("all,turn=5")), [str(path)], runs.events_like)

    assert read(path) == records
    assert {row["seed"] for row in records} == {*spawn_seeds(scenario.seed, 2)}
    assert {"merge", "turn"} <= {row["kind"] for row in records}


def test_an_animal_that_is_absent_has_no_row(tmp_path):
    """Gaps of a recording stay gaps, and no animal turns across one."""
    seen = [one for one in product(range(6), range(3)) if one != (3, 1)]
    (tmp_path / "fish.csv").write_text(
        "frame,id,x,y\n" + "".join(f"{f},{i},{f + 3 * i},{f * f * i}\n" for f, i in seen)
    )
    boidsgen.tracks(tmp_path / "fish.csv", tmp_path / "fish.npz", columns="frame,id,x,y", fps=10)

    table = boidsgen.measure(tmp_path / "fish.npz", by="animal")

    assert [(row["frame"], row["animal"]) for row in table] == seen
    undefined = {(row["frame"], row["animal"]) for row in table if row["turning_rate"] is None}
    assert undefined == {(0, 0), (0, 1), (0, 2), (4, 1)}


@pytest.mark.parametrize("entry", [{"measure": None}.get, None], ids=["numpy", "kernel"])
@pytest.mark.parametrize("size", [(60.0, 48.0), (60.0, 48.0, 40.0)], ids=["2D", "3D"])
def test_a_recording_may_be_whole_periods_away(entry, size, tmp_path, monkeypatch):
    """In a world that repeats, positions of a recording outside of it count where they are inside."""
    flock = {"count": 40, "perception": {"radius": 8.0}, "separation": {"radius": 5.0}}
    document = {"world": {"size": size}, "time": {"frames": 4}, "flock": flock}
    boidsgen.record(document, tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as arrays:
        found = dict(arrays)
    near = found["flock.0.position"]
    near[:, 0] = 0.0  # a period away it is at the edge
    far = near + np.random.default_rng(1).integers(-2, 3, near.shape) * np.array(size)
    if entry:
        monkeypatch.setattr("boidsgen.simulation.profiles.entry", entry)

    for by in ("frame", "animal"):
        tables = []
        for position in (near, far):
            np.savez(tmp_path / "run.npz", **found | {"flock.0.position": position})
            tables.append(boidsgen.measure(tmp_path / "run.npz", by=by))
        for name in {*tables[0].columns} - {"flock"}:
            one, other = (table[name].astype(float) for table in tables)
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


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
        write_series(failing(), [str(path)], names=row_columns(scenario))
    with pytest.raises(OutputExistsError):
        write_series(measured(scenario, None).series(), [str(path)], names=row_columns(scenario), no_clobber=True)

    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["series.csv"]


def test_what_is_missing_is_named(tmp_path, monkeypatch):
    """Without pyarrow or matplotlib the message says what to install, before any work."""
    for name in ("pyarrow", "matplotlib"):
        monkeypatch.setitem(sys.modules, name, None)

    with pytest.raises(UsageError, match=r"pip install 'boidsgen\[table\]'"):
        write_series(iter(()), [str(tmp_path / "series.parquet")], names=[])
    with pytest.raises(UsageError, match=r"pip install 'boidsgen\[plot\]'"):
        require_matplotlib("fig.png")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def rows(scenario):
    return [[*row.values()] for row in measured(scenario, 3).series()]


def test_figures_can_be_read(scenario, rows, tmp_path):
    """A png opens, an svg is XML, a pdf is whole; none carries a date, and equal series give equal files."""
    for ending in ("png", "svg", "pdf"):
        for name in ("fig", "again"):
            write_plot(rows, scenario, str(tmp_path / f"{name}.{ending}"), about=provenance(scenario))
        assert (tmp_path / f"fig.{ending}").read_bytes() == (tmp_path / f"again.{ending}").read_bytes()

    with Image.open(tmp_path / "fig.png") as image:
        assert min(image.size) > 300
        assert "frames = 5" in image.text["Comment"]
    root = ET.fromstring((tmp_path / "fig.svg").read_text())  # noqa: S314  our own file
    assert root.tag.endswith("svg")
    assert "dc:date" not in (tmp_path / "fig.svg").read_text()
    content = (tmp_path / "fig.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    assert content.rstrip().endswith(b"%%EOF")
    assert not re.search(rb"CreationDate", content)


def test_characters_that_the_font_lacks_are_told(scenario, rows, tmp_path):
    """A title in characters that matplotlib's font does not have is drawn as boxes, and a notice names them."""
    title = scenario.model_copy(update={"title": "鳥 × é"})

    assert write_plot(rows, scenario, str(tmp_path / "a.png"), about=provenance(scenario)) == ()
    assert write_plot(rows, title, str(tmp_path / "b.png"), about=provenance(title)) == (
        f"{tmp_path / 'b.png'}: matplotlib's font has no 鳥; shown as a box",
    )


def test_only_what_is_defined_has_a_panel(scenario, rows, tmp_path, monkeypatch):
    """Without predators there is no distance from them; the others have one each."""
    drawn = []
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda figure, *_, **__: drawn.extend(figure.axes))
    write_plot(rows, scenario, str(tmp_path / "a.png"), about=provenance(scenario))
    names = {panel.get_title(loc="left").lower().replace(" ", "_") for panel in drawn}

    assert names == set(USUAL_MEASURES) - {"predator_distance"}


def test_numbers_that_events_move_are_columns():
    """A ramped key stands beside the measures with the value of each frame, so that hysteresis can be drawn."""
    scenario = load_scenario(
        "quickstart",
        {"time.frames": 12, "events": [{"at": 2, "over": 8, "set": {"flock.cohesion.weight": 5.0}}]},
    )
    start = scenario.flock[0].cohesion.weight
    rows = list(measured(scenario, None).series())
    moved = [row["flock.cohesion.weight"] for row in rows]
    ramp = [start + (5.0 - start) * min(1.0, max(0.0, (frame - 2) / 8)) for frame in range(12)]
    assert np.allclose(moved, ramp, rtol=0, atol=1e-12)
    assert row_columns(scenario)[-1] == "flock.cohesion.weight"


@pytest.mark.parametrize("manner", [{"x": "flock.cohesion.weight"}, {"histogram": True}, {"x": "groups"}])
def test_plots_against_other_columns_and_histograms(manner, tmp_path):
    """A figure is drawn against a moved key, against a measure, or as a histogram."""
    events = [{"at": 2, "over": 8, "set": {"flock.cohesion.weight": 5.0}}]
    keys = {"time.frames": 12, "events": events, "measure.names": ["polarization", "groups"]}
    scenario = load_scenario("quickstart", keys)
    rows = [[*row.values()] for row in measured(scenario, 2).series()]
    write_plot(rows, scenario, str(tmp_path / "one.svg"), about=provenance(scenario), **manner)
    assert (tmp_path / "one.svg").read_text().startswith("<?xml")


def test_rows_are_summarized_by_run(scenario):
    """Values that are not defined are left out, and a measure that never is."""
    runs = measured(scenario, 2)
    rows = [*runs.series()]

    for found in runs.summaries():
        own = [row for row in rows if row["seed"] == found["seed"]]
        values = {name: [row[name] for row in own if row[name] is not None] for name in scenario.measure.names}
        assert not values["predator_distance"]
        assert found == {"seed": found["seed"], **summary({name: some for name, some in values.items() if some})}


def test_states_measured_together_are_measured_as_one_by_one():
    """Whatever changes from frame to frame; and before an error all that have come."""
    tables = {"time": {"frames": 40}, "measure": {"names": ("groups", "mean_turning", "dispersion")}}
    event = {"at": 9, "set": {"flock.perception.radius": 20.0}}
    scenario = Scenario.model_validate({"title": "Test", "flock": {"count": 60}, "events": (event,), **tables})
    states, measurement = [*simulate(scenario)], Measurement(scenario.measure, scenario.time, own={})
    expected = [measurement.of(state) for state in states]

    def failing():
        yield from states
        raise UsageError("no more")

    rows = Measured(scenario, {1: failing()}).series()
    found = [next(rows) for _ in states]

    assert [{name: row[name] for name in scenario.measure.names if row[name] is not None} for row in found] == expected
    with pytest.raises(UsageError, match="no more"):
        next(rows)

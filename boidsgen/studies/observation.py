"""Observations: what a fit compares its runs with, measured in the same way.

They are compared by mean, standard deviation and autocorrelation time of measures that no radius of a scenario decides
about, since a film shows none.
"""

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from io import TextIOWrapper
from typing import Any, NamedTuple

import numpy as np

from boidsgen.errors import ScenarioError, StorageError, UsageError
from boidsgen.inputs import open_input, parsing
from boidsgen.output.recording import SavedRun
from boidsgen.pipeline import preflight
from boidsgen.scenario.estimate import MAX_SECONDS, refuse_long, stepping_seconds
from boidsgen.scenario.loading import draft, saved_states, supplied
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import find
from boidsgen.simulation.measures import INSTANT, USUAL_MEASURES
from boidsgen.simulation.measuring import RUN_MEASURES
from boidsgen.simulation.run import simulate
from boidsgen.simulation.setup import State
from boidsgen.studies.series import MAX_MEASURED, RunMeasures
from boidsgen.studies.statistics import summary

OF_RADIUS = {"groups", "largest_group", "close_encounters", "collisions_avoided"}
USUAL = (
    "polarization",
    "rotation",
    "dispersion",
    "nearest_neighbor_distance",
    "mean_speed",
    "speed_spread",
    "mean_squared_displacement",
    "velocity_autocorrelation",
)
"""Measures that are compared where the scenario does not name others."""
SUMMARIES = {
    "mean": "mean {}",
    "deviation": "standard deviation of {}",
    "time": "logarithm of the autocorrelation time of {}",
}
"""Summaries of a measure, by their names in tables, in words."""
MAX_NUMBER = 1e60  # Of which the fourth power is a number, too
MIN_FRAMES = 8  # Fewer measured frames tell no autocorrelation


class Observation(NamedTuple):
    """An observed group, measured."""

    name: str
    entries: Mapping[str, Any]  # as in the manifest of a sweep: "mean", "moments", "tau" and "n_eff", by measure
    frames: int
    interval: float  # simulated time between two frames
    animals: int | None = None  # None for a table of measures
    scenario: Scenario | None = None  # likewise
    states: SavedRun | None = None  # None where the scenario is simulated


def compared_measures(scenario: Scenario) -> tuple[str, ...]:
    """The measures by which a scenario is compared with an observation."""
    named = scenario.measure.names
    return USUAL if named == USUAL_MEASURES else tuple(name for name in named if name not in OF_RADIUS)


def summaries_of(entries: Mapping[str, Any], names: Sequence[str]) -> list[float]:
    """The summaries of each measure; nan where they are not defined."""
    found = []
    for name in names:
        mean, squared = entries["mean"].get(name, math.nan), entries["moments"].get(name, [math.nan])[0]
        found += [mean, math.sqrt(max(0.0, squared - mean**2)), math.log(entries["tau"].get(name) or math.nan)]
    return found


def entries_of(scenario: Scenario, states: Iterable[State]) -> Mapping[str, Any]:
    """The entries of a manifest for these states."""
    measures = RunMeasures(scenario, {}, keep_rows=False)
    for state in states:
        measures.add(state)
    entries = measures.entries()
    for name in RUN_MEASURES:  # which end where an animal is not seen, and then are those of a shorter time
        if name not in entries["final"]:
            entries["mean"].pop(name, None)
    return entries


def observe(name: str, like: Scenario) -> Observation:
    """Measure a recording or a clip as a scenario is measured, or read a table of measures.

    Raises:
        UsageError: there is too little to compare.
        BoidsgenError: another of its kinds, when it cannot be read.
    """
    if not compared_measures(like):
        raise UsageError(
            "measure.names: all of them depend on a radius, which no film shows; name polarization or others"
        )
    found = _of_table(name, like) if name.lower().endswith(".csv") else _of_states(name, like)
    if found.animals is not None and found.animals < 2:
        raise UsageError(f"{name}: has one animal; at least two are needed")
    if (measured := len(_measured(like, found.frames))) < MIN_FRAMES:
        raise UsageError(
            f"{name}: {measured} of its frames are measured; at least {MIN_FRAMES} are needed, record longer"
        )
    if not found.entries["mean"]:
        raise UsageError(f"{name}: no measure is defined in any frame; look at it with boidsgen measure {name}")
    if all(number is None or number < 2 for number in found.entries["n_eff"].values()):
        raise UsageError(f"{name}: is shorter than the correlation times of all its measures; record longer")
    return found


def _measured(like: Scenario, frames: int) -> range:
    """The frames that are measured, the last one first."""
    return like.measure.frames(like.time.model_copy(update={"frames": frames}), MAX_MEASURED)


def _of_states(name: str, like: Scenario) -> Observation:
    try:
        source = supplied(find(name))
        scenario = draft(source).scenario()
    except (ScenarioError, StorageError) as error:
        reason = str(error).partition("\n")[0]
        raise UsageError(f"{reason}; of a film, fit its tracks: boidsgen tracks TABLE -o fish.npz") from None
    states, clock = saved_states(source, scenario, []), scenario.time
    measuring = like.measure.model_copy(update={"names": compared_measures(like), "profiles": ()})
    measured = scenario.model_copy(update={"measure": measuring})
    if states is None:
        preflight(measured, drawn=False)
        refuse_long(name, stepping_seconds(measured), MAX_SECONDS, "fit")
    entries = entries_of(measured, simulate(measured) if states is None else states)
    animals = sum(flock.count for flock in scenario.flock)
    return Observation(name, entries, clock.frames, clock.dt * clock.steps_per_frame, animals, scenario, states)


def _of_table(name: str, like: Scenario) -> Observation:
    """A table as `boidsgen measure` writes it, of one run."""
    with parsing(name), TextIOWrapper(open_input(name), "utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = rows[0].keys() if rows else ()
    names = [one for one in compared_measures(like) if one in columns]
    if not {*INSTANT} <= {*columns} or not names:
        what = f"{', '.join(INSTANT)} and {compared_measures(like)[0]}"
        raise UsageError(f"{name}: has no columns {what}; make a table by boidsgen measure, or a recording by tracks")
    table = {
        column: [_number(row[column], f"{name}: row {at}: {column}") for at, row in enumerate(rows, 1)]
        for column in ("frame", "time", *names)
    }
    if len({row["seed"] for row in rows}) > 1 or table["frame"] != [*range(len(rows))]:
        raise UsageError(f"{name}: must have each frame from 0 on once, of one seed")
    kept = _measured(like, len(rows))[::-1]
    series = {one: [value for at in kept if (value := table[one][at]) is not None] for one in names}
    series = {one: values for one, values in series.items() if values}
    moments = {one: [float(np.mean(np.power(values, power))) for power in (2, 4)] for one, values in series.items()}
    times = [time or 0.0 for time in table["time"]]
    interval = times[1] - times[0] if len(rows) > 1 else 0.0
    return Observation(name, {**summary(series), "moments": moments}, len(rows), interval)


def _number(text: str | None, place: str) -> float | None:
    """A number of a table; None for an empty cell."""
    try:
        value = float(text) if text else None
    except ValueError:
        value = math.nan
    if value is not None and not abs(value) < MAX_NUMBER:
        raise UsageError(f"{place} must be a number below {MAX_NUMBER:g}, or empty where it is not defined, not {text}")
    return value

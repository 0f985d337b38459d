"""Statistics of the presets over twenty seeds, stored in statistics.json with a digest of what they were made from."""

import hashlib
import json
import warnings
from functools import cache
from pathlib import Path

import numpy as np

from boidsgen import load_scenario, simulate
from boidsgen.scenario.layers import layers_of, merged
from boidsgen.scenario.sources import find
from boidsgen.simulation.setup import Setup
from tests.sources.claims import MEASURED
from tests.sources.measures import Run, measured

SEEDS = range(20)
FILE = Path(__file__).with_name("statistics.json")


def run_of(claim):
    """The name of the measured run: claims with equal names share it."""
    flock = [f"flock {claim.flock}"] if claim.flock else []
    return ", ".join([claim.preset, *(f"{key}={value}" for key, value in claim.set.items()), *flock])


RUNS = {run_of(claim): claim for claim in MEASURED}
"""Every measured run, with one of its claims."""


def measures_of(name):
    """The measures that claims take of a run."""
    return list(dict.fromkeys(claim.measure for claim in MEASURED if run_of(claim) == name))


@cache
def settings_of(name):
    """Overrides of the preset: a frame for every step, until the flock in question leaves."""
    claim = RUNS[name]
    plain = load_scenario(claim.preset, claim.set)
    until = plain.flock[claim.flock].until
    frames = claim.set.get("time.frames", plain.time.frames * plain.time.steps_per_frame)
    return claim.set | {"time.steps_per_frame": 1, "time.frames": frames if until is None else until}


def digest(name):
    """A digest of the tables of the preset that decide what happens, and of the overrides."""
    document = merged(layers_of(find(RUNS[name].preset)))
    tables = {key: table for key, table in document.items() if key in Setup.model_fields and key != "seed"}
    return hashlib.sha256(json.dumps([tables, settings_of(name)], sort_keys=True).encode()).hexdigest()[:16]


def recorded(name, seed):
    """One run, from the frame in which its flock appears."""
    flock = RUNS[name].flock
    states = list(simulate(load_scenario(RUNS[name].preset, settings_of(name) | {"seed": seed})))
    table, world = states[0].setup.flock[flock], states[0].setup.world
    states = states[table.from_ :]
    hunters = [[place for group in state.predators for place in group.position] for state in states]
    near = table.perception.radius
    return Run(
        np.array([state.flocks[flock].position for state in states]),
        np.array([state.flocks[flock].velocity for state in states]),
        np.array(hunters, float),
        np.asarray(world.periods),
        near if np.isfinite(near) else 50.0,
    )


def statistics(name, seeds=SEEDS):
    """Median and quartiles of each measure of a run over these seeds."""
    runs = [recorded(name, seed) for seed in seeds]
    found = {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # a run without a group has no shape of groups
        for measure in measures_of(name):
            low, middle, high = np.nanquantile([measured(run, measure) for run in runs], (0.25, 0.5, 0.75))
            found[measure] = dict(
                zip(("median", "low", "high"), (round(float(x), 4) for x in (middle, low, high)), strict=True)
            )
    return found


def stored():
    """Everything in the file: for each run its digest, and median and quartiles of its measures."""
    return json.loads(FILE.read_text("utf-8"))


def is_stale(name):
    """True for a run without statistics, or with those of another state of its preset."""
    return stored().get(name, {}).get("digest") != digest(name)


def store(name):
    """Measure a run over all seeds and put it into the file."""
    table = stored() | {name: {"digest": digest(name), **statistics(name)}}
    blocks = []
    for known in RUNS:
        if known in table:
            rows = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in table[known].items()]
            blocks.append(f" {json.dumps(known)}: {{\n" + ",\n".join(rows) + "\n }")
    FILE.write_text("{\n" + ",\n".join(blocks) + "\n}\n", "utf-8")

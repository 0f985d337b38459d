"""The presets, run over twenty seeds and measured by the code that measures the documents' own loops.

Each measured claim names a preset and a case. The preset is simulated as the case needs it: a frame for every step, as
many as the document has or, if they are fewer, as the preset has.

  measured(pair, seeds)    every measure of the case, one value for each seed
  digest(pair)             changes when the preset, or what is set in it here, does
  store(pair)              into statistics.json, of which `stale` pairs need it
"""

import hashlib
import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np

from boidsgen import load_scenario, presets, simulate
from boidsgen.scenario.inheritance import layers_of, merged
from boidsgen.scenario.sources import find
from boidsgen.simulation.setup import Setup
from tests.sources.cases import CASES, DRAWN_STEPS, Plain, extents, flight_measures
from tests.sources.claims import MEASURED, SEEDS
from tests.sources.staged_002 import about_the_disc, about_the_edges, about_the_hunt, outcome, pulls
from tests.sources.summary import spread

CASE = {case.name: case for case in CASES}


@dataclass(frozen=True)
class Pair:
    """A preset and the case that it is measured as."""

    preset: str
    case: str

    def __str__(self):
        return f"{self.preset} as {self.case}"


@dataclass(frozen=True)
class Run:
    """Boids and predators of one seed, shape (frames, 1, n, d) each."""

    positions: np.ndarray
    velocities: np.ndarray
    hunters: np.ndarray


@dataclass(frozen=True)
class Part:
    """What is set in a preset besides, and how the run is then measured."""

    settings: dict
    measure: Callable
    beyond: int = 0
    """Frames beyond those of the case: where the document draws a frame after its step, ours has one more before."""


def flown(run):
    """The measures of document 001: its step k is our frame k."""
    steps = (step for step in DRAWN_STEPS if step < len(run.positions))
    rows = (flight_measures(step, run.positions[step], run.velocities[step], run.hunters[step]) for step in steps)
    return {name: value for row in rows for name, value in row.items()}


def disc(name, run):
    """The measures of 002's obstacle."""
    return about_the_disc(run.positions, name)


SPECIAL = {
    "002 obstacle": (Part({}, partial(disc, "with")), Part({"obstacles": []}, partial(disc, "without"))),
    "002 predator": (Part({}, lambda run: about_the_hunt(run.positions, run.hunters), 1),),
    "002 soft edges": (Part({}, lambda run: about_the_edges(run.positions[1:]), 1),),
    "002 edge and interior": (Part({}, lambda run: pulls(run.positions)),),
    **{
        f"002 meeting {way}": (Part({}, lambda run: outcome(run.positions, run.velocities)),)
        for way in ("alike", "across", "head-on")
    },
    **{
        f"001 {name}": (Part({}, flown, 1),)
        for name in ("published", "as listed", "fear within 22", "hunt, fear within 22")
    },
    **{
        f"001 knot of {steps}": (
            Part({"flock.count": 1, "predators.0.path.period": steps / 2}, lambda run: extents(run.hunters)),
        )
        for steps in (960, 240, 10)
    },
}
"""Cases that are measured in a way of their own; all others by their `Plain.measured`."""

STAGES = ("drift", "alignment", "cohesion", "both", "separation")
"""The stages of 004's build-up that are measured: one flock after the other in its preset, each there for a while."""


def stage(case):
    """Which flock of the preset a case is about: the first, but in the build-up that of its stage."""
    name = case.removeprefix("004 ")
    return STAGES.index(name) if case.startswith("004 ") and name in STAGES else 0


def parts(case):
    """How a case is simulated and measured."""
    run = CASE[case].run
    if isinstance(run, Plain):
        return (Part({}, lambda ours: run.measured(ours.positions, ours.velocities)),)
    return SPECIAL[case]


@cache
def preset_documents():
    """What every preset says with what it extends, by its name."""
    return {preset.name: merged(layers_of(find(preset.name))) for preset in presets()}


def measured(pair, seeds):
    """Every measure of the case, one value for each seed."""
    rows = []
    for seed in seeds:
        row = {}
        for part in parts(pair.case):
            row |= part.measure(recorded(pair, part, seed))
        rows.append(row)
    return {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}


def recorded(pair, part, seed):
    """One run of the preset, from the frame in which the flock in question appears."""
    flock = stage(pair.case)
    states = list(simulate(load_scenario(pair.preset, changes(pair, part) | {"seed": seed})))
    states = states[states[0].setup.flock[flock].from_ :]
    hunters = [[place for group in state.predators for place in group.position] for state in states]
    return Run(
        np.array([[state.flocks[flock].position] for state in states]),
        np.array([[state.flocks[flock].velocity] for state in states]),
        np.array(hunters, float)[:, None],
    )


def changes(pair, part):
    """What is set in the preset: the part's own settings, a frame for every step, and how many."""
    plain = load_scenario(pair.preset, part.settings)
    there = plain.flock[stage(pair.case)]
    most = plain.time.frames * plain.time.steps_per_frame if there.until is None else there.until
    frames = min(CASE[pair.case].frames + there.from_, most) + part.beyond
    return part.settings | {"time.steps_per_frame": 1, "time.frames": frames}


def digest(pair):
    """A digest of the tables of the preset that decide what happens, and of what is set here."""
    document = preset_documents()[pair.preset]
    told = {name: table for name, table in document.items() if name in Setup.model_fields and name != "seed"}
    given = [changes(pair, part) for part in parts(pair.case)]
    return hashlib.sha256(json.dumps([told, given], sort_keys=True).encode()).hexdigest()[:16]


STATISTICS = Path(__file__).with_name("statistics.json")


def pairs():
    """Every preset that exists with every case that a claim measures it as, in the order of the claims."""
    asked = (Pair(claim.preset, claim.case) for claim in MEASURED if claim.preset in preset_documents())
    return list(dict.fromkeys(asked))


def stored():
    """Everything in the file: for each pair its digest, and median and quartiles of its measures."""
    return json.loads(STATISTICS.read_text("utf-8")) if STATISTICS.exists() else {}


def stale(pair):
    """Whether a pair has no statistics, or those of another state of its preset."""
    return stored().get(str(pair), {}).get("digest") != digest(pair)


def summarized(pair, seeds=SEEDS):
    """Median and quartiles of each measure of a pair."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # a run without a group has no shape of groups
        values = measured(pair, seeds)
        return {name: spread(per_run) for name, per_run in values.items() if not np.isnan(per_run).all()}


def store(pair):
    """Measure a pair over all seeds and put it into the file; whatever no claim asks for any more goes."""
    table = stored() | {str(pair): {"digest": digest(pair), "measures": summarized(pair)}}
    kept = {str(known): table[str(known)] for known in pairs() if str(known) in table}
    part = STATISTICS.with_suffix(".part")
    part.write_text(laid_out(kept), "utf-8")
    part.replace(STATISTICS)


def laid_out(table):
    """JSON with one line for each measure."""
    blocks = []
    for name, row in table.items():
        lines = [f"   {json.dumps(measure)}: {json.dumps(values)}" for measure, values in row["measures"].items()]
        head = f' {json.dumps(name)}: {{\n  "digest": {json.dumps(row["digest"])},\n  "measures": {{\n'
        blocks.append(head + ",\n".join(lines) + "\n  }\n }")
    return "{\n" + ",\n".join(blocks) + "\n}\n"

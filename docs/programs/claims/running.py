"""Measures of the presets over twenty seeds, stored in statistics.json with a digest of what they were made from.

Where a text's own loop (tests/simulation/published) can be run from the same starts, its first three seeds are.
"""

import json
import warnings
from functools import cache
from pathlib import Path
from types import MappingProxyType

import numpy as np

from boidsgen import load_scenario, simulate
from docs.programs.claims.claims import MEASURED
from docs.programs.claims.measures import Run, measured
from docs.programs.digest import digest_of
from tests.simulation.test_published import CASES, begun

SEEDS = range(20)
TEXT_SEEDS = range(3)
MOST_PAIRS = 10_000_000  # Pairs of boids over all steps above which plain Python takes too long for a text's own loop
CHAOTIC = ("numpy-predator", "pygame-without-separation", "numpy-without-separation")
"""Presets that amplify rounding so much that no two programs agree to the end; test_published compares some steps."""
TEXT = ", text"
DRAWN_RADII = {"disc": "obstacles.0.radius", "fear": "flock.flee.radius"}
"""Drawn numbers that measures of a run need, even where a control has no obstacle or no fear."""
FILE = Path(__file__).with_name("statistics.json")
RUNS = {claim.run: claim for one in MEASURED for claim in (one, one.against)}
"""Every measured run, with one of the claims or controls that share it."""


@cache
def measures_of(name):
    """The measures that claims and controls take of a run."""
    return list(dict.fromkeys(one.measure for claim in MEASURED for one in (claim, claim.against) if one.run == name))


def settings_of(name, drawn=MappingProxyType({})):
    """Overrides of the preset: a frame for every step, until the flock in question leaves.

    Of drawn numbers, those give way that the claim itself sets, except for the number of frames.
    """
    claim = RUNS[name]
    free = {key: number for key, number in drawn.items() if not any(key.startswith(f"{table}.") for table in claim.set)}
    chosen = free | claim.set | {key: free[key] for key in free if key == "time.frames"}
    plain = load_scenario(claim.preset, chosen)
    until = plain.flock[claim.flock].until
    frames = chosen.get("time.frames", plain.time.frames * plain.time.steps_per_frame)
    weights = {f"flock.{claim.flock}.{rule}.weight": 0.0 for rule in claim.without}
    return chosen | weights | {"time.steps_per_frame": 1, "time.frames": frames if until is None else until}


def digest(name):
    """A digest of the tables of the preset that decide what happens, and of the overrides."""
    return digest_of(RUNS[name].preset, settings_of(name))


def text_of(name):
    """The name of a run's case in test_published; None where it has none, has other settings, or takes too long."""
    claim, settings = RUNS[name], settings_of(name)
    known = claim.preset + (f", flock {claim.flock}" if claim.flock else "")
    if claim.without or any(not key.startswith("time.") for key in claim.set) or known not in CASES or known in CHAOTIC:
        return None
    count = load_scenario(claim.preset).flock[claim.flock].count
    return known if count**2 * settings["time.frames"] <= MOST_PAIRS else None


def recorded(name, seed, text=None, drawn=MappingProxyType({})):
    """One run, from the frame in which its flock appears; by the text's own loop, only the first frame is ours."""
    flock = RUNS[name].flock
    states = list(simulate(load_scenario(RUNS[name].preset, settings_of(name, drawn) | {"seed": seed})))
    table, world = states[0].setup.flock[flock], states[0].setup.world
    states = states[table.from_ :]
    if text is None:
        boids = [(state.flocks[flock].position, state.flocks[flock].velocity) for state in states]
        hunters = [[place for group in state.predators for place in group.position.tolist()] for state in states]
    else:
        boids, hunters = zip(*by_the_text(text, states), strict=True)
    nowhere = max(map(len, hunters)) * [world.dimension * [np.nan]]
    positions, velocities = (np.array(part, float) for part in zip(*boids, strict=True))
    near = table.perception.radius
    return Run(
        positions,
        velocities,
        np.array([places or nowhere for places in hunters], float),
        np.asarray(world.periods),
        np.asarray(world.size, float),
        near if np.isfinite(near) else 50.0,
        **{radius: drawn[key] for radius, key in DRAWN_RADII.items() if key in drawn},
    )


def by_the_text(case, states):
    """Boids and predators in each frame by the loop of a case, which sees of the states the first and what comes."""
    loop = None
    for state in states:
        if loop is None:
            loop = begun(case, state)
        else:
            loop.tick()
        CASES[case].frame(loop, state)
        yield tuple(map(list, loop.flock)), getattr(loop, "predators", [])


def values(name, seeds=SEEDS, text=None, drawn=MappingProxyType({})):
    """Each measure of a run, one value for each of these seeds, None where a run has no such value.

    With a drawn number of frames, a measure of the last frame is one of the last frame then.
    """
    runs = [recorded(name, seed, text, drawn) for seed in seeds]
    last = f" at {settings_of(name)['time.frames'] - 1}" if "time.frames" in drawn else " at -1"
    taken = {measure: measure.replace(last, " at -1") for measure in measures_of(name)}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # a run without a group has no shape of groups
        found = {measure: [float(measured(run, one)) for run in runs] for measure, one in taken.items()}
    return {
        measure: [None if np.isnan(value) else float(f"{value:.5g}") for value in row] for measure, row in found.items()
    }


def all_values(name):
    """The values of a run over all seeds, and those of its text's own loop."""
    case = text_of(name)
    text = values(name, TEXT_SEEDS, case) if case else {}
    return values(name) | {measure + TEXT: row for measure, row in text.items()}


def stored():
    """Everything in the file: for each run its digest, and the values of its measures."""
    return json.loads(FILE.read_text("utf-8"))


def is_stale(name):
    """True for a run without values, or with those of another state of its preset or of its claims."""
    known = stored().get(name, {})
    return known.get("digest") != digest(name) or not known.keys() >= set(measures_of(name))


def store(*names):
    """Measure these runs over all seeds and put them into the file; runs that no claim needs leave it."""
    table = stored() | {name: {"digest": digest(name), **all_values(name)} for name in names}
    blocks = []
    for known in RUNS:
        if known in table:
            rows = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in table[known].items()]
            blocks.append(f" {json.dumps(known)}: {{\n" + ",\n".join(rows) + "\n }")
    FILE.write_text("{\n" + ",\n".join(blocks) + "\n}\n", "utf-8")

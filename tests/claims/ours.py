"""What our presets give for each case of tests/sources: the same number of steps, the same measures, our simulation.

`ours(case, preset, seeds, frames)` is to a preset what `case.run(seeds, frames)` is to a document's loop: each measure
by its name, one value for each seed.
"""

from functools import partial

import numpy as np

from boidsgen import load_scenario
from boidsgen.simulation import simulate
from tests.sources.cases import OPEN_PLANE, described, flight_measures, route
from tests.sources.rules_002 import SIZE
from tests.sources.staged_002 import RADIUS, hunted, inside, met, pulls, share_on_canvas

STEPS_SHOWN = (1, 10, 50, 100, 240, 480, 960)
STAGES = ("drift", "alignment", "cohesion", "both", "separation")
STAGE = 120
"""Frames of each part of the build-up."""


def runs(preset, seeds, frames, flock=0, first=0, **changes):
    """Positions and velocities of a flock and positions of predators, (frames, runs, n, d) each; one step a frame."""
    changes = {key.replace("__", "."): value for key, value in changes.items()}
    changes = {"time.frames": first + frames, "time.steps_per_frame": 1, "time.warmup": 0, **changes}
    per_run = [_run(preset, {**changes, "seed": seed}, flock, first) for seed in seeds]
    return tuple(np.stack(part, axis=1) for part in zip(*per_run, strict=True))


def _run(preset, changes, flock, first):
    states = [state for state in simulate(load_scenario(preset, overrides=changes)) if state.frame >= first]
    hunters = [[group.position for group in state.predators] for state in states]
    nobody = np.zeros((0, states[0].setup.world.dimension))
    return (
        np.stack([state.flocks[flock].position for state in states]),
        np.stack([state.flocks[flock].velocity for state in states]),
        np.stack([np.concatenate([nobody, *groups]) for groups in hunters]),
    )


def plain(preset, seeds, frames, size=OPEN_PLANE, near=50.0, at=(), **changes):
    """All measures of a flock."""
    positions, velocities, _ = runs(preset, seeds, frames, **changes)
    return described(positions, velocities, size, near, at=at)


def lesson(preset, seeds, frames):
    """Document 000."""
    return plain(preset, seeds, frames, at=(0, 600, frames - 1))


def flight(preset, seeds, frames):
    """Document 001: frames there are drawn after the step."""
    positions, velocities, hunters = runs(preset, seeds, frames + 1)
    found = {}
    for step in STEPS_SHOWN:
        if step <= frames:
            found |= flight_measures(step, positions[step], velocities[step], hunters[step])
    return found


def knot(preset, seeds, frames):
    """The predators' route when the knot is passed twice in so many steps."""
    changes = {"predators.path.period": frames / 2, "flock.count": 1}
    _, _, hunters = runs(preset, seeds, frames + 1, **changes)
    return route(hunters[1:, :, 0])


def obstacle(preset, seeds, frames):
    """How much of the time boids are inside the disc, with it and without it."""
    found = {}
    for name, changes in (("with", {}), ("without", {"obstacles": ()})):
        positions, _, _ = runs(preset, seeds, frames, **changes)
        found[f"inside the disc, {name}"] = inside(positions[frames // 4 :], RADIUS)
        found[f"within reach, {name}"] = inside(positions[frames // 4 :], 1.5 * RADIUS)
    return found


def hunt(preset, seeds, frames):
    """A predator of document 002."""
    positions, _, hunters = runs(preset, seeds, frames + 1)
    return hunted(positions, hunters)


def softened(preset, seeds, frames):
    """Soft edges."""
    positions, _, _ = runs(preset, seeds, frames + 1)
    return {"share inside": np.mean([share_on_canvas(position) for position in positions[1:]], axis=0)}


def meeting(preset, seeds, frames):
    """Two groups of one flock."""
    positions, velocities, _ = runs(preset, seeds, frames)
    return met(positions, velocities)


def edge_and_interior(preset, seeds, frames):
    """Rim and middle of groups."""
    return pulls(runs(preset, seeds, frames)[0])


def stage(number, preset, seeds, frames):
    """A part of the build-up, which is a flock of its own."""
    return plain(preset, seeds, frames, at=(0, 30, 60, 119), flock=number, first=number * STAGE)


WAYS = {
    "000": lesson,
    "001 knot": knot,
    "001": flight,
    "002 quick start": partial(plain, at=(0, 49, 99, 149)),
    "002 obstacle": obstacle,
    "002 predator": hunt,
    "002 soft edges": softened,
    "002 meeting": meeting,
    "002 edge and interior": edge_and_interior,
    "002": partial(plain, size=SIZE, at=(0, 199)),
    "003": partial(plain, size=(480, 360), near=45),
    "004 fragments": partial(plain, size=(640, 360)),
    "004 final": partial(plain, at=(0, 30, 60, 119, 299)),
    **{f"004 {name}": partial(stage, number) for number, name in enumerate(STAGES)},
}
"""How a case is run with a preset of ours, by its name or how that begins; the first that fits."""


def ours(case, preset, seeds, frames):
    """Every measure of a case, taken from our preset, one value for each seed."""
    way = next(way for name, way in WAYS.items() if case == name or case.startswith(f"{name} "))
    return way(preset, seeds, frames)

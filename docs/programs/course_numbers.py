"""Every measured number of docs/course/: how it is made, over the seeds 1 to 20; `course_numbers.json` has its values.

`python -m docs.programs.course_numbers` measures those whose presets have changed and prints each as the page
gives it, median [lower, upper quartile]; names, or the beginnings of names, measure these anew.
"""

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import boidsgen
from boidsgen import load_scenario, simulate
from boidsgen.simulation.measures import measure
from docs.programs.claims.measures import Run, lag_of_the_tail, turn
from docs.programs.digest import digest_of

SEEDS = range(1, 21)
FILE = Path(__file__).with_name("course_numbers.json")
FILM = Path(__file__).parents[1] / "course" / "film.md"
RULES = ("separation", "alignment", "cohesion")
WORLD = np.array([480.0, 360.0])  # Of the presets concept-*


@dataclass(frozen=True)
class Number:
    """A number of a preset: the value of a run with a seed, and the digits after the point that the page gives.

    With `runs` it is the share of runs in which something is so, and the page has "k of 20".
    """

    preset: str
    of: Callable[[int], float]
    digits: int = 0
    runs: bool = False

    @property
    def digest(self) -> str:
        """A digest of the tables of the preset that decide what happens."""
        return digest_of(self.preset)

    def shown(self, values: list[float]) -> str:
        """Values of all seeds as the page gives them."""
        if self.runs:
            return f"{sum(values):.0f} of {len(values)}"
        low, middle, high = (f"{value:.{self.digits}f}" for value in np.quantile(values, (0.25, 0.5, 0.75)))
        return f"{middle} [{low}, {high}]"


@lru_cache(maxsize=80)
def played(preset, seed, changes=(), frames=None):
    """All states of one run."""
    length = {} if frames is None else {"time.frames": frames}
    return list(simulate(load_scenario(preset, {**dict(changes), **length, "seed": seed})))


def without(*rules):
    """Changes that take these rules away."""
    return tuple((f"flock.{rule}.weight", 0.0) for rule in rules)


def at(preset, name, frame=-1, changes=(), frames=None, digits=2):
    """A measure of one frame, the last one unless told otherwise."""
    return Number(preset, lambda seed: measure(played(preset, seed, changes, frames)[frame], [name])[name], digits)


@lru_cache(maxsize=3)
def filmed(kind, seed):
    """Mean speed and number of turns in the film of a seed by the program of unit 9: true, rough or mended."""
    program = re.search(r"(?s)^```python\n(.+?)^table = ", FILM.read_text("utf-8"), re.MULTILINE)[1]
    exec(program, unit := {})  # noqa: S102  a page of ours
    table = simulate("quickstart", seed=seed, overrides=unit["FILM"]).to_pandas()
    with TemporaryDirectory() as folder:
        path, mend = Path(folder, "film.npz"), unit["MEND"] if kind == "mended" else {}
        table = table if kind == "true" else unit["rough"](table, seed)
        boidsgen.tracks(table, path, **unit["READ"], **mend)
        turns = boidsgen.measure(path, events="turn=90")
        return float(np.mean(boidsgen.measure(path)["mean_speed"])), float(len(turns))


def together(preset):
    """The number of runs at whose end all fly in one group and alike."""

    def of(seed):
        found = measure(played(preset, seed)[-1], ["groups", "polarization"])
        return float(found["groups"] == 1 and found["polarization"] > 0.9)

    return Number(preset, of, runs=True)


def recorded(preset, seed, changes=(), frames=None):
    """One run as docs.programs.claims measures it: its first flock."""
    states = played(preset, seed, changes, frames)
    flight = (np.array([getattr(state.flocks[0], part) for state in states]) for part in ("position", "velocity"))
    world = states[0].setup.world
    return Run(*flight, np.empty((len(states), 0, 2)), np.asarray(world.periods), np.asarray(world.size), 50.0)


def surroundings(state, radius=50.0):
    """For each boid the distance to the center of its neighbors, how lopsided they lie (0 to 1), and their number."""
    position = state.flocks[0].position
    count, dimension = position.shape
    every = (position[None] - position[:, None]).reshape(-1, dimension)
    offset = state.setup.world.shortest(every).reshape(count, count, dimension)
    distance = np.linalg.norm(offset, axis=-1)
    seen = ((distance > 0) & (distance < radius))[..., None]
    number = np.maximum(seen.sum(axis=1), 1)
    direction = offset / np.maximum(distance, 1e-9)[..., None]
    pull, lopsided = (np.linalg.norm((each * seen).sum(axis=1) / number, axis=-1) for each in (offset, direction))
    return pull, lopsided, seen.sum(axis=(1, 2))


def pull(preset, *, at_the_edge):
    """How far the center of its neighbors is from a boid, which sees them on one side only or all round."""

    def of(seed):
        found = [surroundings(state) for state in played(preset, seed)[100::20]]
        away, lopsided, number = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return away[(number >= 3) & (lopsided > 0.6 if at_the_edge else lopsided < 0.3)].mean()

    return Number(preset, of, 1)


@lru_cache(maxsize=80)
def flights(name, seed, changes=()):
    """All groups of one run of a preset concept-* by name: positions and velocities, (frames, n, 2) each."""
    frames = [(*state.flocks, *state.predators) for state in played(f"concept-{name}", seed, changes)]
    return {
        groups[0].name: tuple(np.array([getattr(group, what) for group in groups]) for what in ("position", "velocity"))
        for groups in zip(*frames, strict=True)
    }


def size(vectors):
    """The lengths of vectors, (..., 2)."""
    return np.linalg.norm(vectors, axis=-1)


def unit(vectors):
    """The directions of vectors, (..., 2); zero stays zero."""
    return vectors / np.maximum(size(vectors), 1e-12)[..., None]


def across_edges(offset):
    """Offsets by the shortest way on the torus that these presets fly on."""
    return offset - WORLD * np.round(offset / WORLD)


def seek(seed):
    """Speed of the moths when they first pass the goal, and how far beyond they get, medians over the moths."""
    position, velocity = flights("seek", seed)["moths"]
    away = size(position - (240, 170))
    passed = (away[1:-1] < away[:-2]) & (away[1:-1] <= away[2:]) & (away[1:-1] < 5)
    first = passed.argmax(axis=0) + 1
    speeds = [size(velocity[frame, boid]) for boid, frame in enumerate(first)]
    return np.median(speeds), np.median([away[frame:, boid].max() for boid, frame in enumerate(first)])


def arrive(seed):
    """The largest distance of anybody from its goal in the last frame."""
    goals = {"left": (100, 120), "middle": (240, 270), "right": (380, 120)}
    return max(size(flights("arrive", seed)[name][0][-1] - goal).max() for name, goal in goals.items())


def flee(seed):
    """The smallest distance of anybody from the hunter from frame 30 on."""
    found = flights("flee", seed)
    return size(across_edges(found["prey"][0] - found["hunter"][0]))[30:].min()


def wander(seed):
    """The largest turn of anybody in one frame, in degrees."""
    _, velocity = flights("wander", seed)["boids"]
    return np.degrees(np.abs(np.diff(np.unwrap(np.arctan2(velocity[..., 1], velocity[..., 0]), axis=0), axis=0)).max())


def meeting(hunter):
    """The first frame in which a hunter is within 8 units of its prey."""

    def of(seed):
        found = flights("pursuit", seed)
        return float((size(found["prey"][0] - found[hunter][0])[:, 0] < 8).argmax())

    return Number("concept-pursuit", of)


def passing(flock, hunter):
    """How near the hunter comes to any boid of a flock."""

    def of(seed):
        found = flights("evasion", seed)
        return size(across_edges(found[flock][0] - found[hunter][0])).min()

    return Number("concept-evasion", of)


def path(seed):
    """The largest distance of anybody from the middle of the road from frame 80 on."""
    points = load_scenario("concept-path-following").flock[0].follow_path.points
    corner = np.array((*points, points[0]))
    leg = np.diff(corner, axis=0)
    offset = flights("path-following", seed)["boids"][0][80:, :, None] - corner[:-1]
    part = np.clip((offset * leg).sum(axis=-1) / size(leg) ** 2, 0, 1)
    return size(offset - part[..., None] * leg).min(axis=-1).max()


def ahead(seed):
    """How far each follower is ahead of the leader along its flight, from frame 120 on."""
    found = flights("leader-following", seed)
    (leader, course), (followers, _) = found["leader"], found["followers"]
    return ((followers - leader)[120:] * unit(course)[120:]).sum(axis=-1)


def delay(rank):
    """Frames by which a rank turns after the leader: where the directions of flight agree best."""

    def of(seed):
        found = flights("hierarchy", seed)
        first, second = (unit(unit(found[name][1]).sum(axis=1))[60:] for name in ("leader", rank))
        return float(max(range(100), key=lambda late: (first[: len(first) - late] * second[late:]).sum(axis=-1).mean()))

    return Number("concept-hierarchy", of)


def to_discs(seed, changes=()):
    """How far each boid is from the rim of the nearest disc, (frames, n)."""
    discs = load_scenario("concept-avoidance").obstacles
    position, _ = flights("avoidance", seed, changes)["boids"]
    return np.min([size(position - disc.center) - disc.radius for disc in discs], axis=0)


def split(seed, changes=()):
    """Share of the flock in its largest group, in each frame of numpy-predator."""
    return [measure(state, ["largest_group"])["largest_group"] for state in played("numpy-predator", seed, changes)]


def outside(seed):
    """Share of the predators' positions outside the box of 001; boids do not change them."""
    states = played("trefoil-video", seed, (("flock.count", 1),))
    places = np.array([state.predators[0].position for state in states])
    return 100 * ((places < 0) | (places > 100)).any(axis=-1).mean()


def more_aligned(seed):
    """1 if with more alignment a run is more aligned at frame 60."""
    light, heavy = (
        measure(played("quickstart", seed, changes, 60)[-1], ["polarization"])["polarization"]
        for changes in ((), HEAVIER)
    )
    return float(heavy > light)


HEAVIER = (("flock.alignment.weight", 1.5),)
TICKS = (("time.steps_per_frame", 1),)
SNAP = (*TICKS, ("flock.max_force", 300.0))
HALF_RATE = (("time.dt", 1 / 30), ("time.steps_per_frame", 1))
CUT = (("world.boundary", "wrap"),)
UNAFRAID = without("flee")
BLIND = (("flock.avoid.weight", 0.0),)
COHESION, ALIGNMENT = without("separation", "alignment"), without("separation", "cohesion")
GROWING = tuple(
    (f"flock.{number}.separation.{key}", value)
    for number in (0, 1)
    for key, value in {"steering": "direct", "falloff": "inverse_square", "weight": 125.0}.items()
)
ABLATED = {"": (), **{f" without {rule}": without(rule) for rule in RULES}}


def closest(changes):
    """How near the two boids of trap 1 come."""

    def of(seed):
        states = played("trap-separation", seed, changes)
        return min(measure(state, ["nearest_neighbor_distance"])["nearest_neighbor_distance"] for state in states)

    return Number("trap-separation", of, 1)


SPACING = "nearest_neighbor_distance"
NUMBERS = {
    "001 outside": Number("trefoil-video", outside),
    "separation before": at("concept-separation", SPACING, 59, digits=0),
    "separation after": at("concept-separation", SPACING, 239, digits=0),
    "alignment before": at("concept-alignment", "polarization", 59),
    "alignment after": at("concept-alignment", "polarization", 239),
    "cohesion before": at("concept-cohesion", SPACING, 59, digits=0),
    "cohesion after": at("concept-cohesion", SPACING, 239, digits=0),
    "cohesion polarization": at("concept-cohesion", "polarization", 239),
    "seek speed": Number("concept-seek", lambda seed: seek(seed)[0], 1),
    "seek beyond": Number("concept-seek", lambda seed: seek(seed)[1]),
    "arrive": Number("concept-arrive", arrive, 3),
    "flee": Number("concept-flee", flee),
    "wander": Number("concept-wander", wander, 1),
    "pursuit": meeting("pursuit"),
    "pursuit by seek": meeting("seek"),
    "evasion": passing("evading", "lower hunter"),
    "evasion by flee": passing("fleeing", "upper hunter"),
    "path": Number("concept-path-following", path),
    "leader behind": Number("concept-leader-following", lambda seed: -np.median(ahead(seed))),
    "leader ahead": Number("concept-leader-following", lambda seed: 100 * (ahead(seed) > 0).mean(), 1),
    "hierarchy captains": delay("captains"),
    "hierarchy soldiers": delay("soldiers"),
    "avoidance": Number("concept-avoidance", lambda seed: to_discs(seed).min()),
    "avoidance blind": Number("concept-avoidance", lambda seed: 100 * (to_discs(seed, BLIND).min(axis=0) < 0).mean()),
    **{
        f"canonical{name} {what}": at("numpy-canonical", what, -1, changes, 400, digits)
        for name, changes in ABLATED.items()
        for what, digits in ((SPACING, 1), ("polarization", 2))
    },
    "quickstart cohesion groups": at("quickstart", "groups", -1, COHESION, 200, 0),
    "quickstart cohesion polarization": at("quickstart", "polarization", -1, COHESION, 200),
    "quickstart alignment groups": at("quickstart", "groups", -1, ALIGNMENT, 200, 0),
    "quickstart alignment polarization": at("quickstart", "polarization", -1, ALIGNMENT, 200),
    "canonical groups at the start": at("numpy-canonical", "groups", 0, digits=0),
    "canonical cohesion groups": at("numpy-cohesion-alone", "groups", 199, digits=0),
    "canonical alignment groups": at("numpy-alignment-alone", "groups", 199, digits=0),
    **{f"meeting {how}": at(f"numpy-meeting-{how}", "polarization") for how in ("alike", "across", "head-on")},
    **{f"meeting {how}, one group": together(f"numpy-meeting-{how}") for how in ("alike", "across", "head-on")},
    "edge": pull("quickstart", at_the_edge=True),
    "inside": pull("quickstart", at_the_edge=False),
    "edge, canonical": pull("numpy-canonical", at_the_edge=True),
    "inside, canonical": pull("numpy-canonical", at_the_edge=False),
    "lucky light": at("quickstart", "polarization", -1, (), 60),
    "lucky heavy": at("quickstart", "polarization", -1, HEAVIER, 60),
    "lucky": Number("quickstart", more_aligned, runs=True),
    **{
        f"character {rule} {what}": at(f"numpy-{rule}", what, 199, digits=digits)
        for rule in RULES
        for what, digits in ((SPACING, 1), ("polarization", 2), ("groups", 0))
    },
    "predator least": Number("numpy-predator", lambda seed: min(split(seed)[60:210]), 2),
    "predator least, no fear": Number("numpy-predator", lambda seed: min(split(seed, UNAFRAID)[60:210]), 2),
    "predator end": Number("numpy-predator", lambda seed: split(seed)[-1], 2),
    **{
        f"tail {weight}": Number(
            "p5-fish-school",
            lambda seed, changes=(("flock.0.alignment.weight", weight),): float(
                lag_of_the_tail(recorded("p5-fish-school", seed, changes))
            ),
        )
        for weight in (0.3, 0.6, 1.2, 2.4)
    },
    **{
        f"groups, radius {radius}, force {force}": at(
            "p5-sliders",
            "groups",
            -1,
            (*COHESION, ("flock.perception.radius", 50), ("flock.cohesion.radius", radius), ("flock.max_force", force)),
            digits=0,
        )
        for radius, force in ((25, 0.2), (50, 0.2), (100, 0.2), (50, 0.05), (50, 0.4))
    },
    **{
        f"film {what}, {kind}": Number(
            "quickstart", lambda seed, kind=kind, part=part: filmed(kind, seed)[part], digits
        )
        for kind in ("true", "rough", "mended")
        for part, (what, digits) in enumerate((("speed", 2), ("turns", 0)))
    },
    "quickstart": at("quickstart", "polarization", 199),
    "turn": Number("pygame-exercise", lambda seed: turn(recorded("pygame-exercise", seed, TICKS, 600)), 2),
    "turn, snap": Number("pygame-exercise", lambda seed: turn(recorded("pygame-exercise", seed, SNAP, 600))),
    "trap 1": closest(()),
    "trap 1, growing": closest(GROWING),
    "trap 2": at("trap-frame-rate", "polarization", 299, frames=300),
    "trap 2, half": at("trap-frame-rate", "polarization", 299, HALF_RATE, 300),
    "trap 3": at("trap-edges", "groups", 259, frames=260, digits=0),
    "trap 3, cut": at("trap-edges", "groups", 259, CUT, 260, 0),
    "lesson groups at the start": at("pygame-exercise", "groups", 0, TICKS, 1800, 0),
    **{
        f"lesson{name} {what}": at("pygame-exercise", what, -1, (*TICKS, *changes), 1800, digits)
        for name, changes in ABLATED.items()
        for what, digits in (("groups", 0), ("polarization", 2), (SPACING, 0))
    },
}
"""Every number by its name; those of one run stand together."""


def stored():
    """What the file has: for each number the digest of its preset, and its value for each seed."""
    return json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}


def is_stale(name):
    """True for a number without values, or with those of another state of its preset."""
    return stored().get(name, {}).get("digest") != NUMBERS[name].digest


def value(name, seed):
    """One value, to six digits."""
    return float(f"{NUMBERS[name].of(seed):.6g}")


def store(names):
    """Measure these numbers over all seeds and put them into the file."""
    for name in names:
        table = stored() | {name: {"digest": NUMBERS[name].digest, "values": [value(name, seed) for seed in SEEDS]}}
        rows = [f" {json.dumps(known)}: {json.dumps(table[known])}" for known in NUMBERS if known in table]
        FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")
        print(f"{name}: {NUMBERS[name].shown(table[name]['values'])}", flush=True)  # noqa: T201  it takes minutes


if __name__ == "__main__":
    begun = tuple(sys.argv[1:])
    store([name for name in NUMBERS if (name.startswith(begun) if begun else is_stale(name))])

"""What is validated: scenarios, the quantities taken from them, and a plain loop or exact theory for each quantity."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import cos, degrees, exp, lgamma, pi, radians, sin
from pathlib import Path
from typing import Any

import numpy as np

from boidsgen import load_scenario, measure, simulate
from docs.programs.digest import digest_of
from docs.programs.validation.loops import aligning, zones

SEEDS = 20
FILE = Path(__file__).with_name("values.json")
UP_AND_DOWN = (75, 150)
"""Frames of the hysteresis before the zone of orientation grows, and over which it grows, and shrinks again."""
NARROW, WIDE, BINS = 0.5, 4.5, 16  # Least and largest width of the zone in the hysteresis, and the bins between them


@dataclass(frozen=True)
class Case:
    """A scenario with its quantities.

    A quantity maps a series, shape (measures, frames), to a number. It has an exact value, or `theirs` gives the series
    of a plain loop for a seed. `of_states` replaces the measures by values of all states of a run.
    """

    name: str
    preset: str
    keys: Mapping[str, Any]
    quantities: Mapping[str, Callable]
    measures: tuple[str, ...] = ("polarization",)
    first: int = 0
    theirs: Callable | None = None
    exact: Mapping[str, float] = field(default_factory=dict)
    of_states: Callable | None = None

    @property
    def overrides(self):
        """All settings of our run."""
        names = {"measure.names": list(self.measures), "measure.from": self.first, "measure.every": 1}
        return {**self.keys, **({} if self.of_states else names)}

    def digest(self):
        """A digest of everything that decides what our run does and what is measured."""
        return digest_of(self.preset, self.overrides)

    def ours(self, seeds):
        """Values of the quantities for so many seeds, each as a list."""
        if self.of_states:
            runs = [self.of_states(load_scenario(self.preset, {**self.keys, "seed": seed})) for seed in range(seeds)]
        else:
            found = measure(self.preset, seeds=seeds, overrides=self.overrides)
            runs = np.stack([found[name].reshape(seeds, -1) for name in self.measures], axis=1)
        return {name: [float(value(run)) for run in runs] for name, value in self.quantities.items()}

    def measured(self):
        """Mean, standard error and first value of each quantity, ours and the loop's; an exact value has no error."""
        table = {name: {"ours": summary(values)} for name, values in self.ours(SEEDS).items()}
        runs = [self.theirs(seed) for seed in range(SEEDS)] if self.theirs else []
        for name, value in self.quantities.items():
            if runs:
                table[name]["theirs"] = summary([float(value(run)) for run in runs])
            elif name in self.exact:
                table[name]["theirs"] = [self.exact[name], 0.0]
        return {"digest": self.digest(), **table}


def summary(values):
    """Mean, standard error and first of some values."""
    return [round(float(x), 6) for x in (np.mean(values), np.std(values, ddof=1) / len(values) ** 0.5, values[0])]


def stored():
    """Everything in the file, by the names of the cases."""
    return json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}


def order(series):
    """Mean over the frames."""
    return series[0].mean()


def aligned(name, count, side, eta, *, vectorial=False, nearest=0, exact=None):
    """A case of the models of 1995 and, vectorial, of 2004: order after 500 and 1000 steps, over as many again."""
    steps, speed = (2000, 0.5) if vectorial else (1500, 0.03)
    noise = {"flock.noise.weight": eta * speed} if vectorial else {"flock.angular_noise": degrees(eta)}
    topological = {"flock.perception.radius": float("inf"), "flock.perception.neighbors": nearest} if nearest else {}
    keys = {"flock.count": count, "world.size": [side, side], "time.frames": steps // 10 + 1, **noise, **topological}
    first = 1000 if vectorial else 500
    loop = partial(aligning, steps=steps, first=first, count=count, side=side, eta=eta, speed=speed)
    loop = partial(loop, vectorial=vectorial, nearest=nearest)
    return Case(
        name,
        "vicsek-2004" if vectorial else "vicsek-1995",
        {**keys, "time.steps_per_frame": 10},
        {"order": order} if exact is None else {"squared order": lambda series: (series**2).mean()},
        first=first // 10 + 1,
        theirs=(lambda seed, **other: loop(seed, **other)[None]) if exact is None else None,
        exact={} if exact is None else {"squared order": exact},
    )


def shoal(name, width, balance="individuals"):
    """A case of the zone model: polarization and rotation after 2000 steps, over 500."""
    keys = {"flock.zones.orientation": width, "flock.zones.balance": balance}
    clock = {"time.warmup": 0, "time.steps_per_frame": 20, "time.frames": 126}
    return Case(
        name,
        "couzin-torus",
        {**keys, **clock},
        {"polarization": order, "rotation": lambda series: series[1].mean()},
        ("polarization", "rotation"),
        101,
        lambda seed: zones(seed, 2500, 2000, orientation=width, balanced=balance == "zones"),
    )


def widths(frame):
    """Width of the zone of orientation at each frame of the hysteresis."""
    wait, grow = UP_AND_DOWN
    return NARROW + (WIDE - NARROW) * np.clip(1 - np.abs((np.asarray(frame) - wait - grow) / grow), 0, 1)


def branch(measure_number, number, *, down, per_frame=1):
    """A quantity: the mean of a measure while the zone grows, or shrinks, through one bin of its width."""

    def value(series):
        frame = np.arange(series.shape[1]) / per_frame
        bins = np.minimum((widths(frame) - NARROW) * BINS // (WIDE - NARROW), BINS - 1)
        wait, grow = UP_AND_DOWN
        chosen = (bins == number) & (frame >= wait) & ((frame > wait + grow) == down)
        return series[measure_number][chosen].mean()

    return value


def hysteresis(name):
    """The case of a zone of orientation that grows and shrinks within one run, after 1500 steps of settling."""
    wait, grow = UP_AND_DOWN
    clock = {"time.steps_per_frame": 20, "time.frames": wait + 2 * grow}
    moves = [
        {"at": at, "over": grow, "set": {"flock.zones.orientation": width}}
        for at, width in ((wait, WIDE), (wait + grow, NARROW))
    ]
    names = ("polarization", "rotation")
    return Case(
        name,
        "couzin-torus",
        {**clock, "flock.zones.orientation": NARROW, "flock.zones.balance": "individuals", "events": moves},
        {
            f"{name} {way} {number}": branch(index, number, down=way == "down")
            for way in ("up", "down")
            for index, name in enumerate(names)
            for number in range(BINS)
        },
        names,
        0,
        lambda seed: zones(seed, 20 * (wait + 2 * grow), 0, orientation=lambda step: widths(step / 20))[:, ::20],
    )


def displacement(step, turn, number):
    """Mean squared displacement of a walker after a number of equal steps; `turn` is the mean cosine of its turns."""
    return step**2 * (number * (1 + turn) / (1 - turn) - 2 * turn * (1 - turn**number) / (1 - turn) ** 2)


def walkers(name, preset, keys, step, turn):
    """A case of 400 lone walkers."""
    numbers = (10, 100, 1000)
    alone = {"flock.count": 400, "flock.start": {"layout": "uniform"}, "world.boundary": "open", "time.frames": 1001}
    return Case(
        name,
        preset,
        {**alone, "time.steps_per_frame": 1, **keys},
        {f"after {number} steps": lambda series, number=number: series[0][number] for number in numbers},
        ("mean_squared_displacement",),
        exact={f"after {number} steps": displacement(step, turn, number) for number in numbers},
    )


def seventh(scenario):
    """Mean distance of the seventh neighbor times the root of the density, from the mean offsets of 7 and of 6."""
    sums = []
    for number in (7, 6):
        states = list(simulate(scenario, overrides={"flock.perception.neighbors": number}))
        sums.append(number * states[1].flocks[0].velocity)
    density = scenario.flock[0].count / np.prod(scenario.world.size)
    return np.array([np.linalg.norm(sums[0] - sums[1], axis=1) * density**0.5])


def scattered(name, density, count=400):
    """A case of boids at random places whose velocity becomes the mean offset of their nearest neighbors."""
    still = {
        "flock.angular_noise": 0.0,
        "flock.inertia": 0.0,
        "flock.max_speed": 1e3,
        "flock.min_speed": 0.0,
        "flock.alignment.weight": 0.0,
    }
    keys = {"flock.count": count, "world.size": [(count / density) ** 0.5] * 2, "time.frames": 2, **still}
    everyone = {"flock.perception.radius": float("inf"), "flock.cohesion.weight": 1.0, "time.steps_per_frame": 1}
    exact = (count / pi) ** 0.5 * exp(lgamma(7.5) - lgamma(7) + lgamma(count) - lgamma(count + 0.5))
    return Case(
        name,
        "vicsek-1995",
        {**keys, **everyone},
        {"distance": order},
        exact={"distance": exact},
        of_states=seventh,
    )


def largest_group(scenario):
    """Share of the boids in the largest group at the end, in which each is within 32 of the next."""
    position = list(simulate(scenario))[-1].flocks[0].position
    linked = ((position[:, None] - position[None]) ** 2).sum(axis=2) < 32**2
    for _ in range(7):  # up to 2^7 links from one to the other
        linked = linked @ linked
    return np.array([[linked.sum(axis=1).max() / len(position)]])


def attacked(name, perception):
    """A case of 100 boids, at first within 60 of the middle, that a predator flies through for 300 steps."""
    flock = {"flock.count": 100, "flock.start": {"layout": "disc", "radius": 60.0}, "flock.separation.radius": 8.0}
    flee = {"flock.flee": {"weight": 5.0, "radius": 60.0}, "world.boundary": "open", "time.frames": 301}
    hunters = {"predators": [{"count": 1, "max_speed": 6.0, "hunt": {"target": "center"}}]}
    quick = {**flock, **flee, **hunters, **{f"flock.perception.{key}": value for key, value in perception.items()}}
    return Case(name, "quickstart", quick, {"largest group": order}, of_states=largest_group)


TURN = sin(0.5) / 0.5  # Mean cosine of turns evenly spread over 1 radian
CONE = {"world.size": [10.0] * 3, "flock.angular_noise": 90.0, "flock.angular_noise_spread": "solid_angle"}
GAUSS = {"error": 30.0, "turning_rate": 1e5, "repulsion": 1e-6, "orientation": 0.0, "attraction": 0.0}
STRAIGHT = {"flock.alignment.weight": 0.0}
SPARSE = 250**0.5  # Side of a world in which 100 boids have a density of 0.4
SECTIONS = {
    "Vicsek et al. 1995": (
        aligned("N = 40, η = 3", 40, 3.1, 3.0),
        *(aligned(f"N = 100, η = {eta}", 100, 5.0, eta) for eta in (1, 2, 3, 4)),
        aligned("N = 400, η = 3", 400, 10.0, 3.0),
        aligned("N = 100, η = 2π", 100, 5.0, 2 * pi, exact=0.01),
    ),
    "Grégoire and Chaté 2004": tuple(
        aligned(f"N = 512, η = {eta}", 512, 16.0, eta, vectorial=True) for eta in (0.5, 0.6, 0.64)
    ),
    "Couzin et al. 2002": (
        *(shoal(f"Δr_o = {width}", width) for width in (0, 2, 4, 10)),
        shoal("Δr_o = 2, balance of zones", 2, "zones"),
        hysteresis("Δr_o grows and shrinks"),
    ),
    "Topological neighbors": (
        scattered("random places, density 4", 4.0),
        scattered("random places, density 0.4", 0.4),
        aligned("radius 1, η = 1, density 0.4", 100, SPARSE, 1),
        aligned("7 nearest, η = 1, density 4", 100, 5.0, 1, nearest=7),
        aligned("7 nearest, η = 1, density 0.4", 100, SPARSE, 1, nearest=7),
        attacked("7 nearest, attacked", {"radius": float("inf"), "neighbors": 7}),
        attacked("radius 16, attacked", {"radius": 16.0}),
    ),
    "Lone walker": (
        walkers(
            "turns within 1 rad, plane", "vicsek-1995", {"flock.angular_noise": degrees(1), **STRAIGHT}, 0.03, TURN
        ),
        walkers("turns in a cone of 45°, space", "vicsek-1995", {**CONE, **STRAIGHT}, 0.03, (1 + cos(pi / 4)) / 2),
        walkers(
            "Gaussian turns of 30°, space",
            "couzin-swarm",
            {f"flock.zones.{key}": value for key, value in GAUSS.items()},
            0.3,
            exp(-(radians(30) ** 2) / 2),
        ),
    ),
}
"""All cases by their models."""
CASES = {case.name: case for cases in SECTIONS.values() for case in cases}

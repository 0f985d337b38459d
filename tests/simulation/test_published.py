"""The five published systems, each written once more from its formulas in plain loops, against the shipped presets.

Nothing here uses the package for physics: positions and velocities of the first frame go in, everything after is
computed boid by boid. In 000, 001 and 004's p5.js flock each boid is moved before the next one looks; in the others
all move at once.
"""

import math
from itertools import pairwise

import numpy as np
import pytest

from boidsgen import load_scenario
from boidsgen.simulation.run import simulate

STEPS = 52


def minus(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


def plus(a, b):
    return [x + y for x, y in zip(a, b, strict=True)]


def times(a, factor):
    return [x * factor for x in a]


def size_of(a):
    return math.sqrt(sum(x * x for x in a))


def unit(a):
    return times(a, 1 / size_of(a)) if size_of(a) else a


def limit(a, most):
    return times(unit(a), most) if size_of(a) > most else a


def mean(vectors):
    return times([sum(column) for column in zip(*vectors, strict=True)], 1 / len(vectors))


def steer(wish, v, max_speed, max_force):
    """Reynolds' lim(max_speed · unit(wish) - v, max_force)."""
    return limit(minus(times(unit(wish), max_speed), v), max_force)


def lesson_000(edge, weights=(1.5, 1.0, 1.0), mouse=0):
    """The pygame lesson and its exercise; they differ in edge and start. A click attracts (1) or repels (-1)."""

    def step(positions, velocities, _):
        positions, velocities = list(positions), list(velocities)
        for i, (p, v) in enumerate(zip(positions, velocities, strict=True)):
            near = []
            for q, w in zip(positions, velocities, strict=True):
                to = minus(q, p)
                d = size_of(to)
                if not 0 < d < 50:
                    continue
                apart = math.degrees(math.acos(max(-1, min(1, np.dot(v, to) / (size_of(v) * d))))) if size_of(v) else 0
                if apart < 270 / 2:
                    near.append((q, w, to, d))
            a = [0.0, 0.0]
            close = [times(to, -1 / d / d) for _, _, to, d in near if d < 25]
            if close:
                a = plus(a, times(steer(mean(close), v, 150, 0.2), weights[0]))
            if near:
                a = plus(a, times(steer(mean([w for _, w, _, _ in near]), v, 150, 0.2), weights[1]))
                a = plus(a, times(steer(minus(mean([q for q, _, _, _ in near]), p), v, 150, 0.2), weights[2]))
            if mouse:
                a = plus(a, steer(times(minus([384.0, 240.0], p), mouse), v, 150, 0.2))
            velocities[i] = limit(plus(v, a), 150)
            positions[i] = edge(plus(p, times(velocities[i], 1 / 60)), (768, 480))
        return list(zip(positions, velocities, strict=True))

    return step


def to_opposite_edge(p, size):
    return [s if x < 0 else 0.0 if x > s else x for x, s in zip(p, size, strict=True)]


def modulo(p, size):
    return [x % s for x, s in zip(p, size, strict=True)]


def published_001(corrected):
    """The trefoil system: global means, no inertia, predators that are fled from at any distance, or within 22."""

    def step(positions, velocities, predators):
        positions, velocities = list(positions), list(velocities)
        for i, (p, v) in enumerate(zip(positions, velocities, strict=True)):
            center_of_mass, mean_velocity = mean(positions), mean(velocities)
            r1 = times(minus(center_of_mass, p), 0.03)
            r2 = [0.0, 0.0, 0.0]
            for j, q in enumerate(positions):
                d = size_of(minus(q, p))
                if j != i and d < 7:
                    r2 = minus(r2, times(minus(q, p), 1 / d / d))
            r3 = times(minus(mean_velocity, v), 0.125)
            r4 = times(minus([50.0, 50.0, 50.0], p), 0.02)
            r6 = [0.0, 0.0, 0.0]
            for q in predators:
                away = minus(p, q)
                if not corrected:
                    r6 = plus(r6, away)
                elif size_of(away) < 22:
                    r6 = plus(r6, times(away, 25 / size_of(away) ** 2))
            velocities[i] = limit(plus(plus(plus(r1, r2), plus(r3, r4)), r6), 1.0)
            positions[i] = plus(p, velocities[i])
        return list(zip(positions, velocities, strict=True))

    return step


BOIDS_001 = 50


def predator_001(step, index, steps, prey, pull):
    """Velocity of predator `index` in this step: its pull, twice the knot, twice unit vectors to prey; cut to 1."""
    t = step / steps * 4 * math.pi + index * math.pi / 4
    knot = [(2 + math.cos(3 * t)) * math.cos(2 * t), (2 + math.cos(3 * t)) * math.sin(2 * t), math.sin(3 * t)]
    for to in prey:
        knot = plus(knot, unit(to))
    return limit(plus(pull, times(knot, 2)), 1.0)


def canonical_002(weights=(1.5, 1.0, 1.0), *, obstacle=None, soft=False, fear=None, bound=0.1, total=math.inf, slow=2):
    """The three raw rules on a torus whose neighbor search wraps, each cut, or their sum; nobody is slow."""

    def across(a):
        return a if soft else [x - 400 * round(x / 400) for x in a]

    def step(positions, velocities, predators):
        new = []
        for p, v in zip(positions, velocities, strict=True):
            near = [(across(minus(q, p)), w) for q, w in zip(positions, velocities, strict=True)]
            near = [(to, w) for to, w in near if 0 < size_of(to) < 50]
            separation = [0.0, 0.0]
            for to, _ in near:
                if size_of(to) < 25:
                    separation = minus(separation, unit(to))
            a = times(limit(separation, bound), weights[0])
            if near:
                a = plus(a, times(limit(minus(mean([w for _, w in near]), v), bound), weights[1]))
                a = plus(a, times(limit(mean([to for to, _ in near]), bound), weights[2]))
            for q in predators:
                away = across(minus(p, q))
                if fear and size_of(away) < fear[1]:
                    a = plus(a, times(limit(unit(away), 0.1), fear[0]))
            if obstacle:
                away = across(minus(p, [200.0, 200.0]))
                d = size_of(away)
                if 0 < d < 1.5 * obstacle:
                    a = plus(a, times(unit(away), 2.5 * (1.5 * obstacle - d) / d))
            if soft:
                a = plus(a, [0.5 * (max(0, 1 - x / 50) - max(0, 1 - (400 - x) / 50)) for x in p])
            v = limit(plus(v, limit(a, total)), 4)
            v = times(unit(v), max(slow, size_of(v)))
            new.append((plus(p, v) if soft else modulo(plus(p, v), (400, 400)), v))
        return new

    return step


def quick_start_002(positions, velocities, _):
    """The document's own loop: a hundredth of the way to the mean of all, half of a velocity that never changes."""
    center = mean(positions)
    moved = [
        plus(p, plus(times(minus(center, p), 0.01), times(v, 0.5))) for p, v in zip(positions, velocities, strict=True)
    ]
    return [(modulo(p, (400, 400)), v) for p, v in zip(moved, velocities, strict=True)]


def derivation_003(positions, velocities, _):
    """Inverse-square separation; weights on the whole difference; no cap."""
    size = (480.0, 360.0)
    new = []
    for p, v in zip(positions, velocities, strict=True):
        offsets = [[x - s * round(x / s) for x, s in zip(minus(q, p), size, strict=True)] for q in positions]
        near = [(to, w) for to, w in zip(offsets, velocities, strict=True) if 0 < size_of(to) < 45]
        force = [0.0, 0.0]
        for to, _ in near:
            force = minus(force, times(unit(to), 25 / size_of(to) ** 2))
        if near:
            force = plus(force, times(minus(times(unit(mean([w for _, w in near])), 3), v), 0.08))
            force = plus(force, times(minus(times(unit(mean([to for to, _ in near])), 3), v), 0.04))
        v = limit(plus(v, force), 3)
        new.append((modulo(plus(p, v), size), v))
    return new


def text_004(positions, velocities, _):
    """The C++ fragments: diff · (1/d) within the separation distance, raw means within the neighbor distance."""
    size = (640.0, 360.0)
    new = []
    for p, v in zip(positions, velocities, strict=True):
        offsets = [[x - s * round(x / s) for x, s in zip(minus(q, p), size, strict=True)] for q in positions]
        near = [(to, w) for to, w in zip(offsets, velocities, strict=True) if 0 < size_of(to) < 50]
        a = [0.0, 0.0]
        for to, _ in near:
            if size_of(to) < 22:
                a = minus(a, times(to, 0.06 / size_of(to)))
        if near:
            a = plus(a, times(minus(mean([w for _, w in near]), v), 0.08))
            a = plus(a, times(mean([to for to, _ in near]), 0.002))
        v = limit(plus(v, a), 2)
        new.append((modulo(plus(p, v), size), v))
    return new


def sliders_004(rules=(1, 1, 1), sight=100, *, limited=True, kept=False):
    """The p5.js flock: edges() first; steering cut to 0.2 and then times its slider; position before velocity.

    The stages that build it up have some of the rules (alignment, separation, cohesion) and no limit of speed, and one
    of them never sets the acceleration back.
    """
    drive = {}

    def step(positions, velocities, _):
        positions, velocities = list(positions), list(velocities)
        for i, v in enumerate(velocities):
            p = positions[i] = to_opposite_edge(positions[i], (640, 360))
            seen = [(minus(q, p), w) for q, w in zip(positions, velocities, strict=True)]
            seen = [(to, w, size_of(to)) for to, w in seen if 0 < size_of(to) < sight]
            a = drive.get(i, [0.0, 0.0]) if kept else [0.0, 0.0]
            near = [(to, w, d) for to, w, d in seen if d < 50]
            if near:
                a = plus(a, times(steer(mean([w for _, w, _ in near]), v, 2, 0.2), rules[0]))
                a = plus(a, times(steer(mean([times(to, -1 / d) for to, _, d in near]), v, 2, 0.2), rules[1]))
            if seen:
                a = plus(a, times(steer(mean([to for to, _, _ in seen]), v, 2, 0.2), rules[2]))
            drive[i] = a
            positions[i] = plus(p, v)
            velocities[i] = limit(plus(v, a), 2) if limited else plus(v, a)
        return list(zip(positions, velocities, strict=True))

    step.drive = drive
    return step


def stage(number):
    """Changes that leave one flock of the build-up, there from the first frame, and begin it anywhere."""
    others = {f"flock.{part}.count": 0 for part in range(6) if part != number}
    own = {"count": 40, "from": 0, "until": STEPS + 2, "start": {"layout": "uniform", "speed": [0.5, 1.5]}}
    return others | {f"flock.{number}.{key}": value for key, value in own.items()}


ANYWHERE = {"flock.start": {"layout": "uniform", "speed": [0.5, 1.5]}}

SYSTEMS = {
    "pygame-lesson": (lesson_000(to_opposite_edge), {"flock.start.velocity": [-110.0, 110.0]}),
    "pygame-exercise": (lesson_000(modulo), {}),
    "pygame-without-separation": (lesson_000(modulo, (0.0, 1.0, 1.0)), {}),
    "pygame-without-alignment": (lesson_000(modulo, (1.5, 0.0, 1.0)), {}),
    "pygame-without-cohesion": (lesson_000(modulo, (1.5, 1.0, 0.0)), {}),
    "pygame-attract": (lesson_000(modulo, mouse=1), {}),
    "pygame-repel": (lesson_000(modulo, mouse=-1), {}),
    "trefoil-published": (published_001(corrected=False), {"flock.count": BOIDS_001}),
    "trefoil-as-listed": (published_001(corrected=False), {"flock.count": BOIDS_001}),
    "trefoil-corrected": (published_001(corrected=True), {"flock.count": BOIDS_001}),
    "trefoil-video": (published_001(corrected=True), {"flock.count": BOIDS_001}),
    "trefoil-hunt": (published_001(corrected=True), {"flock.count": BOIDS_001}),
    "numpy-quick-start": (quick_start_002, {}),
    "numpy-canonical": (canonical_002(), {}),
    "numpy-separation": (canonical_002((3.0, 0.5, 0.5)), {}),
    "numpy-alignment": (canonical_002((0.5, 3.0, 0.5)), {}),
    "numpy-cohesion": (canonical_002((0.5, 0.5, 3.0)), {}),
    "numpy-lanes": (canonical_002((0.5, 3.0, 0.5), bound=math.inf, total=0.3, slow=4), {}),
    "numpy-without-separation": (canonical_002((0.0, 1.0, 1.0)), {}),
    "numpy-without-alignment": (canonical_002((1.5, 0.0, 1.0)), {}),
    "numpy-without-cohesion": (canonical_002((1.5, 1.0, 0.0)), {}),
    "numpy-alignment-alone": (canonical_002((0.0, 1.0, 0.0)), {}),
    "numpy-cohesion-alone": (canonical_002((0.0, 0.0, 1.0)), {}),
    "numpy-unbounded": (canonical_002(bound=math.inf, slow=0), {}),
    "numpy-meeting-alike": (canonical_002(), {}),
    "numpy-meeting-across": (canonical_002(), {}),
    "numpy-meeting-head-on": (canonical_002(), {}),
    "numpy-edge-and-interior": (canonical_002(), {}),
    "numpy-obstacle": (canonical_002(obstacle=60), {}),
    "numpy-predator": (canonical_002(fear=(12.0, 80)), {"time.warmup": 0, "predators.0.from": 0}),
    "numpy-soft-edges": (canonical_002(soft=True), {}),
    "numpy-speed-colors": (canonical_002(fear=(12.0, 80)), {"time.warmup": 0, "predators.0.from": 0}),
    "derivation": (derivation_003, {"flock.count": 40}),
    "p5-rules-in-text": (text_004, {"flock.count": 50}),
    "p5-sliders": (sliders_004(), {"flock.count": 50}),
    "p5-never-reset": (sliders_004((1, 0, 1), 50, limited=False, kept=True), {"flock.count": 40, **ANYWHERE}),
    "p5-build-up": (sliders_004((0, 0, 0), 50, limited=False), stage(0)),
    "p5-build-up, flock 1": (sliders_004((1, 0, 0), 50, limited=False), stage(1)),
    "p5-build-up, flock 2": (sliders_004((0, 0, 1), 50, limited=False), stage(2)),
    "p5-build-up, flock 3": (sliders_004((1, 0, 1), 50, limited=False), stage(3)),
    "p5-build-up, flock 4": (sliders_004((0, 1, 0), 50, limited=False), stage(4)),
}
"""Each preset with its plain definition and what the test changes to see more of it in few steps."""

IN_THE_OPEN = (
    "trefoil-",
    "numpy-soft-edges",
    "numpy-quick-start",
    "numpy-meeting",
    "pygame-attract",
    "p5-build-up",
    "p5-never-reset",
)
"""Systems without an edge that anybody crosses in the time tested."""


@pytest.mark.parametrize("name", SYSTEMS)
def test_preset_follows_its_published_definition(name):
    """From a random state a preset follows its system's formulas for more than fifty steps to 1e-9, edges included."""
    plain_step, changes = SYSTEMS[name]
    preset, _, number = name.partition(", flock ")
    changes = {**changes, "seed": 1, "time.frames": STEPS + 1, "time.steps_per_frame": 1}
    states = list(simulate(load_scenario(preset, overrides=changes)))
    flocks = [state.flocks[int(number or 0)] for state in states]
    positions, velocities = flocks[0].position.tolist(), flocks[0].velocity.tolist()
    crossed = False

    for state, flock in zip(states[1:], flocks[1:], strict=True):
        predators = [place for group in state.predators for place in group.position.tolist()]
        before = positions
        positions, velocities = zip(*plain_step(positions, velocities, predators), strict=True)
        crossed |= any(size_of(minus(p, q)) > 100 for p, q in zip(before, positions, strict=True))

        np.testing.assert_allclose(flock.position, positions, atol=1e-9, rtol=0)
        np.testing.assert_allclose(flock.velocity, velocities, atol=1e-9, rtol=0)
    assert crossed or name.startswith(IN_THE_OPEN)


@pytest.mark.parametrize(
    ("name", "steps", "pull"),
    [
        ("trefoil-published", 960, 0.0),
        ("trefoil-corrected", 960, 0.0),
        ("trefoil-as-listed", 10, 0.0),
        ("trefoil-hunt", 960, 0.0),
        ("trefoil-hunt", 960, 0.05),
    ],
)
def test_published_predators_follow_the_knot(name, steps, pull):
    """Each predator of system 001 moves by the trefoil's point of its step, hunts, and is pulled to the flock."""
    changes = {"time.frames": STEPS, "time.warmup": 0, "flock.count": BOIDS_001}
    if name == "trefoil-hunt":  # boids that stay in sight
        changes |= {"predators.0.prey_center.weight": pull, "flock.flee.weight": 0.0}
        changes |= {"flock.start": {"layout": "box", "size": [20.0, 20.0, 20.0], "speed": [0.0, 0.0]}}
    states = list(simulate(load_scenario(name, overrides=changes)))
    hunted = 0

    for step, (before, state) in enumerate(pairwise(states)):
        boids = before.flocks[0].position.tolist()
        center, moved = mean(boids), []
        for index, p in enumerate(before.predators[0].position.tolist()):
            seen = [minus(q, p) for q in boids if name == "trefoil-hunt" and size_of(minus(q, p)) < 10]
            hunted += len(seen)
            moved.append(plus(p, predator_001(step, index, steps, seen, times(minus(center, p), pull))))
        np.testing.assert_allclose(state.predators[0].position, moved, atol=1e-9, rtol=0)
    assert bool(hunted) == (name == "trefoil-hunt")


def test_build_up_is_the_sliders_one_rule_at_a_time():
    """The build-up ends with the rules of the p5.js flock and has a caption for each of its six parts."""
    counts = {f"flock.{part}.count": 2 for part in range(6)}
    states = list(simulate(load_scenario("p5-build-up", overrides=counts)))
    final, sliders = states[-1].setup.flock[-1], load_scenario("p5-sliders").flock[0]

    assert final.rules == sliders.rules
    assert [states[0].setup.caption(frame) for frame in range(60, 720, 120)] == [
        "free drift: no rules",
        "alignment only",
        "cohesion only",
        "alignment and cohesion",
        "separation only",
        "all three rules",
    ]

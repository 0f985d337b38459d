"""The documents' loops with one thing wrong: each disagrees with the presets, so that the comparison can fail."""

from importlib import import_module
from inspect import getsource, isclass

import pytest

from tests.simulation.test_published import CASES, LATTICES, MOST, differences, lattice

MUTATIONS = {
    "a distance above zero": ("004", "p5-build-up, flock 1", "is not self and d <", "is not self and 0 < d <"),
    "edges after the move": (
        "004",
        "p5-sliders",
        "boid.edges()\n            boid.flock(self.boids)\n            boid.update()",
        "boid.flock(self.boids)\n            boid.update()\n            boid.edges()",
    ),
    "edges before the move": (
        "000",
        "pygame-lesson",
        "boid.flock(self.boids)\n            boid.update(DT)\n            boid.edges(*self.size)",
        "boid.edges(*self.size)\n            boid.flock(self.boids)\n            boid.update(DT)",
    ),
    "the rest of the way across an edge": ("004", "p5-sliders", "position.x = 0\n", "position.x -= width\n"),
    "a largest force that is 1 % larger": ("000", "pygame-exercise", "150, 0.2, 25", "150, 0.202, 25"),
    "a largest speed that is 1 % larger": ("001", "trefoil-published", "Velocity = 1\n", "Velocity = 1.01\n"),
    "everybody at once": (
        "004",
        "p5-sliders",
        "boid.flock(self.boids)\n            boid.update()",
        "boid.flock(self.boids)\n        for boid in self.boids:\n            boid.update()",
    ),
    "one after the other": (
        "003",
        "derivation",
        "velocities.append([vx, vy])",
        "velocities.append([vx, vy]); self.positions[i] = positions[i]",
    ),
    "the new velocity moves": (
        "004",
        "p5-sliders",
        "self.position.add(self.velocity)  # 749\n        self.velocity.add(self.acceleration)",
        "self.velocity.add(self.acceleration)\n        self.position.add(self.velocity)",
    ),
    "predators that wait": ("001", "trefoil-published", "in predators:  # 171", "in ():"),
    "weights swapped": ("000", "pygame-exercise", "[1.5, 1.0, 1.0]", "[1.0, 1.5, 1.0]"),
    "other weights swapped": ("002", "numpy-canonical", "(1.5, 1.0, 1.0)", "(1.0, 1.0, 1.5)"),
    "a sign": ("001", "trefoil-published", "rule2 = minus(rule2", "rule2 = plus(rule2"),
    "a mean without oneself": ("001", "trefoil-published", "/ len(flock)", "/ (len(flock) - 1)"),
    "a push that is not divided": ("000", "pygame-exercise", "d.norm().div(m)", "d.norm()"),
    "1/d for a unit vector": ("002", "numpy-canonical", "(away, 1 / distance)", "(away, 1 / distance**2)"),
    "1/d for 1/d²": ("003", "derivation", "self.w_sep * ux / squared", "self.w_sep * ux / squared**0.5"),
    "a larger obstacle": ("002", "numpy-obstacle", "RADIUS * 1.5 - distance", "RADIUS * 1.51 - distance"),
    "no sight across the edge": ("002", "numpy-canonical", "if self.soft else shortest(a)", ""),
    "a wider angle": ("000", "pygame-exercise", "cos(VISION_ANGLE / 2)", "cos(VISION_ANGLE / 1.98)"),
    "sight at its bound": ("000", "pygame-exercise, lattice", "m >= VISION_RANGE", "m > VISION_RANGE"),
    "the lesson's at its bound": ("000", "pygame-lesson, lattice", "distance < self.v", "distance <= self.v"),
    "separation at its bound": ("002", "numpy-canonical, lattice", "distance < self.pers", "distance <= self.pers"),
    "separation in 3D at its bound": ("001", "trefoil-published, lattice", "< MinSep", "<= MinSep"),
    "a radius at its bound": ("003", "derivation, lattice", "< self.radius", "<= self.radius"),
    "a distance at its bound": ("004", "p5-rules-in-text, lattice", "< self.neighbor", "<= self.neighbor"),
    "perception at its bound": ("004", "p5-sliders, lattice", "d < perceptionRadius", "d <= perceptionRadius"),
}
"""Document, preset, the right words and the wrong ones."""


def mutate(patch, document, right, wrong):
    """Put wrong words into the loops of a document for the time of a test."""
    module = import_module(f"tests.simulation.published.document_{document}")
    source = getsource(module)
    assert right in source
    other = {"__name__": module.__name__}
    exec(compile(source.replace(right, wrong), module.__file__, "exec"), other)  # noqa: S102  a program that is wrong
    for name, found in vars(module).items():
        if isclass(found) and found.__module__ == module.__name__:
            for attribute, value in vars(other[name]).items():
                if attribute not in ("__dict__", "__weakref__", "__doc__"):
                    patch.setattr(found, attribute, value)


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_wrong_loop_disagrees(mutation, monkeypatch):
    """With one thing wrong, a loop parts from its preset within the frames that are compared in every run."""
    document, case, right, wrong = MUTATIONS[mutation]
    mutate(monkeypatch, document, right, wrong)
    name = case.removesuffix(", lattice")
    start = lattice(*LATTICES[name]) if name != case else {}

    assert any(apart > 100 * MOST for apart in differences(name, 3 if start else CASES[name].quick, start))

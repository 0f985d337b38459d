"""Digests of exact bits for members that no preset shows: rules, starts, obstacles, boundaries and colorings.

`python -m tests.system.everywhere` stores them in `everywhere.json`, with `--compare` it names those that differ. They
hold on every system and processor, as those of `tests.proof` do for the presets.
"""

import hashlib
import json
import sys
import tempfile
from pathlib import Path

from boidsgen import Scenario, render
from boidsgen.drawing.colorings import COLORINGS
from boidsgen.drawing.shapes import SHAPES
from boidsgen.drawing.themes import THEMES
from boidsgen.simulation.rules.pursuit import CURVES
from boidsgen.simulation.rules.rule import rules_in
from boidsgen.simulation.setup import CommonRules
from boidsgen.simulation.starts import STARTS
from boidsgen.simulation.world import BOUNDARIES
from tests.obstacles import DEEP_EXAMPLES, EXAMPLES
from tests.proof import drawn_with

STORED = Path(__file__).with_suffix(".json")
ABOUT = "Digests of exact bits; a change needs a line in CHANGELOG.md. python -m tests.system.everywhere stores them."
FLAT = (100.0, 60.0)
DEEP = (100.0, 60.0, 80.0)
ATTRACTED = {"waypoints": {"points": ((20.0, 20.0), (80.0, 30.0)), "times": (0.0, 7.0)}, "circle": {"kind": "circle"}}
OVERLAYS = {"perception": True, "neighbors": True, "center_of_mass": True, "axes": True, "chart": "polarization"}


def cases():
    """The keys of every case, by its name."""
    rules, starts = rules_in(CommonRules).items(), STARTS.items()
    return {
        **{
            f"start {name}": keys(DEEP, start={"layout": name, "heading": 33.0, **start.example})
            for name, start in starts
            if name != "points"
        },
        "start points": keys(FLAT, count=3, start=dict(STARTS["points"].example)),
        **{f"rule {name}": keys(FLAT, **{name: dict(rule.example)}) for name, rule in rules},
        **{f"obstacle {kind}": obstacle(FLAT, {"kind": kind, **shape}) for kind, shape in EXAMPLES.items()},
        **{f"obstacle {kind} 3D": obstacle(DEEP, {"kind": kind, **shape}) for kind, shape in DEEP_EXAMPLES.items()},
        **{f"boundary {kind}": keys(FLAT) | boundary(kind) for kind in BOUNDARIES},
        **{f"curve {kind}": keys(DEEP) | {"predators": ({"path": {"kind": kind}},)} for kind in CURVES},
        **{f"attractor {kind}": keys(FLAT) | {"attractors": ({"path": path},)} for kind, path in ATTRACTED.items()},
        **{f"coloring {name}": keys(DEEP) | style(color_by=name, trails=3) for name in COLORINGS},
        **{f"shape {name}": keys(DEEP) | style(shape=name) for name in SHAPES},
        **{f"theme {name}": lit(name) for name, theme in THEMES.items() if theme.light},
        **{f"field of view {angle}": keys(FLAT, perception={"field_of_view": angle}) for angle in (60, 200, 300)},
        "camera": keys(DEEP) | {"camera": {"orbit": 7.0, "elevation": 33.0, "projection": "orthographic"}},
        "overlays": keys(FLAT) | {"overlay": OVERLAYS},
        "overlays 3D": keys(DEEP) | {"overlay": OVERLAYS},
        "forces": keys(FLAT, wander={}) | {"overlay": {"forces": "boid"}},
    }


def keys(size, **flock):
    """A small scenario in a world of this size with two flocks."""
    common = {"count": 40, "max_speed": 3.0, "min_speed": 1.0}
    return {
        "title": "everywhere",
        "seed": 5,
        "world": {"size": size},
        "time": {"frames": 20, "warmup": 0},
        "flock": ({**common, "name": "first", **flock}, {**common, "name": "others"}),
        "output": {"size": (200, 150), "format": "gif", "fps": 25},
    }


def obstacle(size, table):
    """A scenario with an obstacle."""
    return keys(size) | {"obstacles": (table,)}


def boundary(kind):
    """A world with this boundary, in which boids bounce several times a step."""
    restitution = {"restitution": 0.9} if kind == "reflect" else {}
    return {"world": {"size": FLAT, "boundary": {"kind": kind, **restitution}}}


def lit(theme):
    """A scenario with all that the lit look has: trails, ribbons, wings, a curve, and a camera that follows."""
    look = {"theme": theme, "shape": "bird", "color_by": "speed", "trails": 3, "predator_trails": 9}
    shown = {"paths": True, "legend": "scale", "caption": "lit"}
    path = {"kind": "trefoil", "scale": 20.0, "period": 60.0}
    camera = {"follow": "flock", "orbit": 2.0}
    return keys(DEEP) | style(**look) | {"overlay": shown, "camera": camera, "predators": ({"count": 2, "path": path},)}


def style(**given):
    """A style."""
    return {"style": given}


def found(name):
    """The digests of one case: bits of positions and velocities, and frames as in `render --json`."""
    bits = hashlib.sha256()

    def observe(state):
        for group in (*state.flocks, *state.predators):
            for array in (group.position, group.velocity):
                bits.update((array + 0.0).tobytes())  # -0.0 becomes 0.0

    scenario = Scenario.model_validate(cases()[name])
    with tempfile.TemporaryDirectory() as directory:
        report = render(scenario, f"{directory}/a.gif", engine="numpy", observe=observe)
    return {"bits": bits.hexdigest(), "frames": report.digest}


def differences(every=1, first=0):
    """The cases that differ from the stored ones, and in what; from `first` on, one of so many is compared."""
    golden = json.loads(STORED.read_text())
    compared = ("bits", "frames") if golden["drawn with"] == drawn_with() else ("bits",)
    cases = dict([*golden["cases"].items()][first::every])
    now = {name: found(name) for name in cases}
    return [f"{name}: {key}" for name, old in cases.items() for key in compared if now[name][key] != old[key]]


def main():
    """Store or compare."""
    if "--compare" in sys.argv:
        sys.exit("\n".join(differences(*map(int, sys.argv[2:]))) or 0)
    stored = {"about": ABOUT, "drawn with": drawn_with(), "cases": {name: found(name) for name in cases()}}
    STORED.write_text(json.dumps(stored, indent=1) + "\n", newline="\n")


if __name__ == "__main__":
    main()

"""Write fixtures for Henad's test of boids: `python -m docs.programs.benchmarks.entries.fixtures CLONE`.

Each of its scenarios has a start in the test and a fixture by another engine. The largest difference of boidsgen's step
from that one is printed; where it is one that the test allows, the step is stored beside it in the same form.

In `boids-8` two boids come to an exact halt, which the declaration turns into the least speed along the x axis. In
boidsgen who stands has no direction and stays.
"""

import re
import sys
from pathlib import Path

import numpy as np

from boidsgen import __version__, simulate
from docs.programs.benchmarks.beside import show

MODEL = """
world.size = [100.0, 100.0]
[flock]
steering = "direct"
min_speed = 2.0
max_speed = 8.0
perception.radius = 20.0
separation = { weight = 0.5, radius = 5.0, falloff = "linear" }
alignment.weight = 0.25
cohesion.weight = 0.125
"""
ALLOWED = 1e-5
HEADER = "# engine: boidsgen {}\n# model: Henad boids rule\n# scenario: {}\n# steps: 1\n# world: 100\n"


def after(start):
    """Rows (n, 4) of position and velocity, one step after such rows."""
    points = {"layout": "points", "points": start[:, :2].tolist(), "velocities": start[:, 2:].tolist()}
    *_, state = simulate(MODEL, overrides={"flock.count": len(start), "flock.start": points}, frames=2)
    return np.hstack([state.flocks[0].position, state.flocks[0].velocity])


def main():
    """Compare with every fixture of the clone."""
    folder = Path(sys.argv[1], "crates", "henad-models", "tests")
    test = (folder / "consistency_boids.rs").read_text("utf-8")
    lists = re.findall(r"const (\w+): Agents = &\[(.*?)\];", test, re.DOTALL)
    starts = {name.lower().replace("_", "-"): np.array(re.findall(r"-?\d+\.\d+", rows), float) for name, rows in lists}
    for path in sorted((folder / "fixtures" / "boids").glob("*[0-9].txt")):
        name = re.search(r"# scenario: (\S+)", path.read_text("utf-8"))[1]
        found, theirs = after(starts[name].reshape(-1, 4)), np.loadtxt(path)
        if (apart := np.abs(found - theirs).max()) < ALLOWED:
            with path.with_stem(f"{path.stem}_boidsgen").open("w", encoding="utf-8") as file:
                file.write(HEADER.format(__version__, name))
                np.savetxt(file, found, fmt="%.17g")
        show(f"{name}: {apart:.1e}, {np.sum(np.abs(found - theirs).max(axis=1) < ALLOWED)} of {len(found)} boids alike")


if __name__ == "__main__":
    main()

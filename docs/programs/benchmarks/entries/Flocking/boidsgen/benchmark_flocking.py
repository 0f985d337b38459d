"""Times of a hundred steps from a hundred seeds, and how aligned the birds are then."""

import random
import statistics
import time
from pathlib import Path

import numpy as np

from boidsgen import simulate

MODEL = Path(__file__).with_name("Flocking.toml")
SIZES = {
    "small": {},
    "large": {"flock.count": 400, "world.size": [150.0, 150.0], "flock.perception.radius": 15.0},
}
RUNS = 100

random.seed(42)
for name, keys in SIZES.items():
    times, alignments = [], []
    for _ in range(RUNS):
        began = time.perf_counter()
        *_, last = simulate(MODEL, "native", keys, frames=101, seed=random.randint(1, 10_000))
        times.append(1000 * (time.perf_counter() - began))
        alignments.append(float(np.linalg.norm(last.flocks[0].velocity.mean(axis=0))))
    quartiles = ", ".join(f"{one:.3f}" for one in statistics.quantiles(alignments, n=4))
    print(f"boidsgen Flocking-{name} (ms): {statistics.median(times)}")
    print(f"boidsgen Flocking-{name} length of the mean direction after 100 steps, quartiles: {quartiles}")

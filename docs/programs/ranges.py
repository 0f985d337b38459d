"""The effects that `boidsgen/scenario/ranges.toml` states: quickstart with one key changed, over 20 seeds.

python -m docs.programs.ranges
"""

import numpy as np

from boidsgen import measure

VALUES = {
    "flock.count": (5, 10, 20, 50, 100, 200, 400),
    "flock.max_speed": (1, 2, 4, 8, 16),
    "flock.max_force": (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2),
    "flock.perception.radius": (10, 20, 35, 50, 80, 120, 200),
    "flock.separation.weight": (0, 0.5, 1, 1.5, 3, 6),
    "flock.separation.radius": (5, 10, 15, 25, 40, 60),
    "flock.alignment.weight": (0, 0.3, 0.5, 1, 2, 3, 6),
    "flock.cohesion.weight": (0, 0.3, 0.5, 1, 2, 3, 6),
}
MEASURES = ["polarization", "nearest_neighbor_distance", "groups", "largest_group"]
FRAMES = {"time.frames": 250, "measure.from": 200, "measure.every": 10, "measure.names": MEASURES}


def main() -> None:
    """Print a line for each value of each key: the means of the measures, with their standard errors."""
    for key, values in VALUES.items():
        for value in values:
            runs = [measure("quickstart", overrides={key: value, "seed": seed, **FRAMES}) for seed in range(1, 21)]
            means = np.array([[np.nanmean(run[name].astype(float)) for name in MEASURES] for run in runs])
            errors = means.std(axis=0, ddof=1) / np.sqrt(len(runs))
            found = zip(MEASURES, means.mean(axis=0), errors, strict=True)
            print(key, value, *(f"{name}={mean:.3g}±{error:.1g}" for name, mean, error in found))  # noqa: T201


if __name__ == "__main__":
    main()

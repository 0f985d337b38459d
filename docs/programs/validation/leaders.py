"""Leaders in runs in which they are known: `python -m docs.programs.validation.leaders` prints both findings.

Ten of the hundred fish of `couzin-informed` know the way, and in `quickstart` all boids are alike; both as they are
shipped, with the seeds 0 to 19. Bounds were set before the first of these runs, and the criterion of a leader without a
look at any of them.
"""

import numpy as np

from boidsgen import leaders

SEEDS, INFORMED = 20, 10
AREA, WITHOUT = 0.9, 18
"""Bounds: of the mean area under the curve by which scores tell the informed, and of runs of boids without a leader."""


def area(score, informed):
    """The chance that one who is informed has a higher score than one who is not."""
    known, others = score[informed], score[~informed]
    return float(np.mean(known[:, None] > others) + np.mean(known[:, None] == others) / 2)


if __name__ == "__main__":
    areas, without, known, told = [], 0, 0, 0
    for seed in range(SEEDS):
        fish = leaders("couzin-informed", seed=seed)["animals"]
        areas.append(area(fish["score"], fish["animal"] < INFORMED))
        boids = leaders("quickstart", seed=seed)["animals"]
        without += not boids["leader"].any()
        known += np.isfinite(boids["chance"]).all()
        told += fish["leader"].any()
        print(f"seed {seed}: area {areas[-1]:.3f}; {without} of {seed + 1} runs of boids without a leader", flush=True)  # noqa: T201  it takes minutes
    middle = f"mean {np.mean(areas):.3f}, median {np.median(areas):.3f}, {sum(one >= AREA for one in areas)} of {SEEDS}"
    print(f"informed: {middle} of at least {AREA}; boids: {without} of {SEEDS} without a leader, {WITHOUT} wanted")  # noqa: T201  likewise
    print(f"boids: in {known} of {SEEDS} leaders could be told; informed: a leader in {told}")  # noqa: T201  likewise

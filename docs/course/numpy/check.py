"""Says what is wrong with each function of boids_starter.py, and whether its flock is that of boidsgen (flock.npz)."""

import sys
from pathlib import Path

import boids_starter as student
import numpy as np

ME, NEAR, FAR = (10, 20), [(13, 24), (10, 15), (40, 20)], [(200, 200), (230, 240), (200, 320)]
CASES = (  # function, arguments, what is right, and what typical slips give
    ("separation", (ME, NEAR), (-0.6, 0.2), {
        (0.6, -0.2): "points toward the neighbours: the way from them is my_position - neighbour_position",
        (-3, 1): "not divided by the distance",
        (-0.12, 0.04): "divided by the distance twice",
        (-1.6, 0.2): "also pushes away from neighbours farther than PERSONAL_SPACE",
        (-0.3, 0.1): "the mean of the pushes; add them up",
    }),
    ("separation", (ME, [ME, *NEAR]), (-0.6, 0.2), {}),
    ("alignment", ((1, 2), [(3, 0), (1, 4)]), (1, 0), {
        (2, 2): "the average velocity itself; subtract my_velocity",
        (-1, 0): "has the wrong sign: average_velocity - my_velocity",
        (3, 2): "takes the sum of the velocities instead of their mean",
    }),
    ("cohesion", (ME, [(13, 24), (15, 20)]), (4, 2), {
        (14, 22): "the centre of mass itself; subtract my_position",
        (-4, -2): "points away from the centre of mass: centre_of_mass - my_position",
        (18, 24): "takes the sum of the positions instead of their mean",
    }),
    ("obstacle_avoidance", (FAR,), (0, 0, 0.48, 0.64, 0, 0), {
        (0, 0, -0.48, -0.64, 0, 0): "points toward the obstacle: the direction is position - centre",
        (0, 0, 24, 32, 0, 0): "takes the whole direction; divide it by the distance",
        (0, 0, 0.6, 0.8, 0, 0): "equally strong at every distance; multiply by the strength",
        (0, 0, 0.12, 0.16, 0, 0): "felt within OBSTACLE_RADIUS instead of 1.5 times as far",
        (0, 0, 0.48, 0.64, 0, -0.25): "also acts beyond 1.5 * OBSTACLE_RADIUS, as a pull",
    }),
)  # fmt: skip


def fault(name, arguments, right, slips):
    """What is wrong with the answer of a function; an empty text if nothing is."""
    given = [np.array(one, float) for one in arguments]
    try:
        with np.errstate(all="ignore"):
            answer = np.array(getattr(student, name)(*given), float).ravel()
    except NotImplementedError:
        return "still to do"
    except Exception as error:  # noqa: BLE001  whatever it is, the student should read it
        return f"stops with {type(error).__name__}: {error}"
    if answer.size != len(right):
        return f"gives {answer.tolist()} instead of {len(right)} numbers"
    if not np.isfinite(answer).all():
        return "divides by zero where a distance is 0: ask for 0 < distance"
    if any((one != before).any() for one, before in zip(given, arguments, strict=True)):
        return "changes the arrays that it is given; compute new ones"
    unknown = f"for {arguments} it must give {right}, not {answer.round(3).tolist()}"
    close = [why for wrong, why in slips.items() if np.allclose(answer, wrong)]
    return "" if np.allclose(answer, right) else [*close, unknown][0]


def flock():
    """What is wrong with the flock; an empty text if it is the same to the bit."""
    with np.load(Path(__file__).with_name("flock.npz")) as saved:
        frames = saved["flock.0.position"], saved["flock.0.velocity"]
    now = frames[0][0], frames[1][0]
    for number, wanted in enumerate(zip(*frames, strict=True)):
        if off := np.abs(np.subtract(now, wanted)).max():
            kind = "the last bits differ; add and divide as the article does" if off < 1e-9 else "it is another flock"
            return f"from frame {number} on {kind} (by {off:.1g})"
        now = student.step(*now)
    return ""


faults = {}
for case in CASES:
    faults[case[0]] = faults.get(case[0]) or fault(*case)
if not any(faults[rule] for rule in ("separation", "alignment", "cohesion")):
    faults["flock"] = flock()
for part, why in faults.items():
    print(f"{part}: {why or ('the same flock to the bit, 200 frames' if part == 'flock' else 'right')}")
sys.exit(any(faults.values()))

"""Steps of observed animals: jumps among them, and what they tell of tracks as a whole.

Jumps are steps that are far longer than those an animal makes, after errors of detection or identity. A step leads from
a known position of an animal to its next one, by the shortest way where the world leads round; its speed is its length
over the number of frames between them. The pace of an animal is the highest speed that it keeps up: the maximum of the
medians of five successive steps. Two steps of five have no say in it, such as one out and one back; an animal that
rests and then runs has the pace of its run. A step is a jump if it is more than `JUMP_RATIO` times as fast as the pace
of its animal, as the median pace of all animals, and as the median step that is longer than nothing. Two animals that
jump at the same time are swapped if neither would jump with the next position of the other.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from boidsgen.errors import printable
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.world import World

MAX_TOGETHER = 100  # Jumps at one time of which swaps are looked for
MAX_ANIMALS = 8  # That a description names
JUMP_RATIO = 5.0
WINDOW = 5  # Steps
TRACKS_EDGE = 0.1  # Distance from the edge of all tracks, in parts of their extent, that is at the edge

AT_ZERO = "if it is missing there, leave these cells empty or set a bound, such as --min x=1"


class Steps(NamedTuple):
    """Steps in the order of animals, and of one animal in the order of time; m is their number."""

    animal: NDArray[np.int64]  # (m,)
    start: NDArray[np.int64]  # frames, (m,)
    end: NDArray[np.int64]  # (m,)
    offset: Array  # world units, (m, d)

    @property
    def speed(self) -> Array:
        """World units per frame, (m,)."""
        return np.asarray(np.linalg.norm(self.offset, axis=-1) / (self.end - self.start))


def steps_of(position: Array, world: World) -> Steps:
    """The steps between positions, (frames, n, d), nan where an animal is not seen."""
    animal, frame = np.nonzero(np.isfinite(position[..., 0]).T)
    same = animal[1:] == animal[:-1]
    animal, start, end = animal[1:][same], frame[:-1][same], frame[1:][same]
    return Steps(animal, start, end, world.displacement(position[end, animal] - position[start, animal]))


def limits(steps: Steps, animals: int) -> Array:
    """The speed of each animal beyond which a step is a jump, in world units per frame, (n,)."""
    speed, animal = steps.speed, steps.animal
    if not speed.any():
        return np.full(animals, np.inf)
    window, known = np.full((WINDOW, len(speed)), np.inf), np.zeros(len(speed), np.int64)
    for later in range(min(WINDOW, len(speed))):
        same = animal[later:] == animal[: len(speed) - later]
        window[later, : len(same)] = np.where(same, speed[later:], np.inf)
        known[: len(same)] += same
    window.sort(axis=0)
    median = np.take_along_axis(window, (known - 1)[None] // 2, axis=0)[0]
    whole = (known == WINDOW) | np.append(True, animal[1:] != animal[:-1])  # a shorter track is one window
    pace = np.zeros(animals)
    np.maximum.at(pace, animal[whole], median[whole])
    usual = max(np.quantile(each, 0.5, method="lower") for each in (pace[np.unique(animal)], speed[speed > 0]))
    return JUMP_RATIO * np.maximum(pace, usual)


def within_speed(position: Array, fastest: float, world: World) -> NDArray[np.bool_]:
    """The positions to keep so that no step is faster than this, in world units per frame; (frames, n).

    From the longest part of each track without a faster step, parts are joined in both directions of time, each from
    the first position on that can be reached.
    """
    kept, steps = np.isfinite(position[..., 0]), steps_of(position, world)
    for animal in np.unique(steps.animal[steps.speed > fastest]):
        frame, own = np.flatnonzero(kept[:, animal]), steps.animal == animal
        parts = np.split(frame, np.flatnonzero(steps.speed[own] > fastest) + 1)
        middle = int(np.argmax([len(part) for part in parts]))
        kept[:, animal] = False
        for way in (parts[middle:], [part[::-1] for part in parts[middle::-1]]):
            last = way[0][0]
            for part in way:
                offset = world.displacement(position[part, animal] - position[last, animal])
                near = np.linalg.norm(offset, axis=-1) <= fastest * np.abs(part - last)
                if near.any():
                    kept[part[near.argmax() :], animal] = True
                    last = part[-1]
    return kept


def jump_notices(
    position: Array, at_zero: NDArray[np.bool_], names: Sequence[str], numbers: range, fps: float, world: World
) -> Iterator[str]:
    """Lines about jumps, swaps, and positions at zero in the file, (frames, n), that animals jump to or from.

    Frames have these numbers in the file.
    """
    rest = np.where(at_zero[..., None], np.nan, position)
    limit = limits(steps_of(rest, world), len(names))
    steps = steps_of(position, world)
    from_zero = at_zero[steps.start, steps.animal] != at_zero[steps.end, steps.animal]
    if at_zero.sum() > 1 and (from_zero & (steps.speed > limit[steps.animal])).any():
        yield f"{at_zero.sum():,} positions are exactly at zero, far from the others of their animals; {AT_ZERO}"
        position, steps = rest, steps_of(rest, world)
    limit = limits(steps, len(names))
    speed = steps.speed
    jumps = np.flatnonzero(speed > limit[steps.animal])
    if not len(jumps):
        return
    if swaps := _swaps(position, steps, jumps, limit, world):
        at, one, other = swaps[0]
        told = f"animals {printable(names[one])} and {printable(names[other])} seem to be swapped"
        more = f", and {len(swaps) - 1:,} more" if len(swaps) > 1 else ""
        yield f"{told} from frame {numbers[steps.start[at]]} to {numbers[steps.end[at]]}{more}; mend that in the table"
    worst = jumps[speed[jumps].argmax()]
    animal, length = steps.animal[worst], np.linalg.norm(steps.offset, axis=-1)
    told = f"animal {printable(names[animal])} moves {_rounded(length[worst])}"
    told += f" from frame {numbers[steps.start[worst]]} to {numbers[steps.end[worst]]}"
    told += f", its median step is {_rounded(np.median(length[steps.animal == animal]))}"
    if len(jumps) > 1:
        told += f"; {len(jumps):,} steps are so much longer than others"
    if _leads_round(position, steps, jumps, world):
        told += "; did you forget world.boundary=torus and world.size? Else"
    else:
        told += ";"
    between = _rounded(fps * np.sqrt(np.delete(speed, jumps).max() * speed[jumps].min()), 2)
    yield f"{told} --max-speed {between} makes gaps of such positions"


def _rounded(number: float, digits: int = 3) -> str:
    return f"{float(f'{number:.{digits}g}'):g}"


def _swaps(
    position: Array, steps: Steps, jumps: NDArray[np.int64], limit: Array, world: World
) -> list[tuple[int, int, int]]:
    """Jumps of two animals at one time of which neither jumps if they change places, and these animals."""
    together, found = defaultdict[tuple[int, int], list[int]](list), list[tuple[int, int, int]]()
    for jump in jumps.tolist():
        together[steps.start[jump], steps.end[jump]].append(jump)
    for (start, end), some in together.items():
        for at, other in combinations(some[:MAX_TOGETHER], 2):
            pair = steps.animal[[at, other]]
            crossed = world.displacement(position[end, pair[::-1]] - position[start, pair])
            if (np.linalg.norm(crossed, axis=-1) <= limit[pair] * (end - start)).all():
                found.append((at, *pair.tolist()))
    return found


def _leads_round(position: Array, steps: Steps, jumps: NDArray[np.int64], world: World) -> bool:
    """True if most jumps lead from one edge of the tracks to the opposite one, in a world that does not lead round."""
    calm = position.copy()
    animal, ends = steps.animal[jumps], np.stack([steps.start[jumps], steps.end[jumps]])
    calm[ends, animal] = np.nan
    if world.boundary.jumps or not np.isfinite(calm).any():
        return False
    low, high = np.nanmin(calm, axis=(0, 1)), np.nanmax(calm, axis=(0, 1))
    share = (np.sort(position[ends, animal], axis=0) - low) / np.where(high > low, high - low, np.inf)
    across = (np.abs(share - [[[0.0]], [[1.0]]]) < TRACKS_EDGE).all(axis=0).sum(axis=-1) == 1  # hardly ever by a corner
    return bool(across.mean() > 0.5)


def step_facts(
    position: Array, names: Sequence[str], numbers: range, fps: float, world: World, shown: Mapping[str, str]
) -> Mapping[str, str]:
    """Facts about positions, (frames, n, d), each a line by its name, with `shown` between them."""
    seen = np.isfinite(position[..., 0])
    steps, frames = steps_of(position, world), len(seen)
    gaps = (steps.end - steps.start)[steps.end - steps.start > 1] - 1
    lasting = int((np.maximum.accumulate(seen) & np.maximum.accumulate(seen[::-1])[::-1]).sum())
    low, high = (bound(position, axis=(0, 1)) for bound in (np.nanmin, np.nanmax))
    extent = ", ".join(f"{axis} {a:.6g} to {b:.6g}" for axis, a, b in zip("xyz", low, high, strict=False))
    jumps = int((steps.speed > limits(steps, len(names))[steps.animal]).sum())
    median, longest = (_rounded(each(steps.speed)) for each in (np.median, np.max)) if len(steps.end) else ("0", "0")
    more = " …" if len(names) > MAX_ANIMALS else ""
    return {
        "animals": f"{len(names):,}: {printable(', '.join(names[:MAX_ANIMALS]))}{more}",
        "frames": f"{frames:,}, {numbers[0]} to {numbers[-1]}, at {fps:.6g} per second: {frames / fps:.6g} s",
        **shown,
        "positions": f"{seen.sum():,}; {extent} in a world of {' x '.join(f'{side:.6g}' for side in world.size)}",
        "gaps": f"{len(gaps):,}, {gaps.max(initial=0)} frames at most, {lasting - seen.sum():,} positions missing",
        "steps": f"median {median}, longest {longest} a frame; {jumps:,} jumps",
    }

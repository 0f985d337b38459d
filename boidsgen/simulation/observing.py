"""Observation: what a film shows of a run, whose animals it misses now and then, with noise, and smoothed.

A film gives positions of some animals in some frames, and velocities follow from these. What is measured on it depends
on all that: a gap takes away nearest neighbors, noise adds to speeds, smoothing takes away turns. So a run is compared
with a film by the same positions, under the same noise, and after the same smoothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import chain, combinations
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from boidsgen.simulation.geometry import Array, by_column, read_only
from boidsgen.simulation.motion import Group
from boidsgen.simulation.run import Track, flock_tracks
from boidsgen.simulation.setup import Setup, State
from boidsgen.simulation.world import World

Which: TypeAlias = NDArray[np.bool_]
"""Frames and animals, (frames, n)."""
NOISE_STREAM = 1  # Beside the seed of a run, so that noise is none of its random numbers
ROUGH = np.array([1.0, -3.0, 3.0, -1.0])  # Third differences
SAME_VELOCITY = 1e-6  # Differences from velocities that positions give, in parts of the largest
FARTHER = 2  # Lags of their covariance that noise does not reach, and steady motion does


class ObservationModel(NamedTuple):
    """The manner in which animals were observed."""

    seen: Which  # those with a position and a velocity
    noise: float  # standard deviation of each coordinate, in world units
    smooth: int  # frames of the window in which positions were smoothed; 0 for none
    given: bool = False  # whether velocities were observed, instead of derived from positions

    @property
    def digest(self) -> str:
        """Equal for equal models."""
        return sha256(self.seen.tobytes() + repr((self.seen.shape, *self[1:])).encode()).hexdigest()

    def tracks(self, states: Iterable[State], seed: int) -> Iterator[State]:
        """The states of a run with this seed, as many as `seen` has frames, as the film shows them."""
        run = [*states]
        setup = run[0].setup
        position, velocity = paths_of(run, setup)
        position = np.where(self.seen[..., None], position, np.nan)
        if self.noise:
            random = np.random.default_rng([seed, NOISE_STREAM])
            position = setup.world.wrapped(position + random.normal(0.0, self.noise, position.shape))
        fps = 1 / (setup.time.dt * setup.time.steps_per_frame)
        position, derived = in_motion(position, self.smooth, fps, setup.world)
        groups = present_groups(position, velocity if self.given else derived, flock_tracks(setup))
        for state, flocks in zip(run, groups, strict=True):
            yield replace(state, flocks=flocks, before=())


def observation_of(states: Iterable[State], setup: Setup, noise: float | None = None) -> ObservationModel | None:
    """The manner in which `boidsgen tracks` made a recording; None for any other, whose animals are all known.

    The noise is estimated where it is not given. Positions that were filled count as seen.
    """
    if not setup.tracks:
        return None
    options = dict(option.split(" ", 1) for option in setup.tracks.options if " " in option)
    smooth, fps = int(options.get("--smooth", 0)), 1 / setup.time.dt
    position, velocity = paths_of(states, setup)
    derived = differences(position, fps, setup.world)
    rounding = SAME_VELOCITY * float(np.nanmax(np.abs(derived)))
    given = not smooth and not np.allclose(velocity, derived, rtol=0, atol=rounding, equal_nan=True)
    found = noise_of(position, smooth, setup.world) if noise is None else noise
    return ObservationModel(np.isfinite(position[..., 0]), float(f"{found:.3g}"), smooth, given)


def paths_of(states: Iterable[State], setup: Setup) -> tuple[Array, Array]:
    """Positions and velocities of all boids, (frames, n, d) each, nan where one is absent."""
    tracks = flock_tracks(setup)
    frames = [
        [np.concatenate([track.full(state, name) for track in tracks]) for name in ("position", "velocity")]
        for state in states
    ]
    position, velocity = (np.stack(one) for one in zip(*frames, strict=True))
    return position, velocity


def in_motion(position: Array, smooth: int, fps: float, world: World) -> tuple[Array, Array]:
    """Positions, smoothed over so many frames unless it is 0, and velocities, (frames, n, d) each."""
    return smoothed(position, smooth, fps, world) if smooth else (position, differences(position, fps, world))


def present_groups(position: Array, velocity: Array, flocks: Sequence[Track]) -> Iterator[tuple[Group, ...]]:
    """The flocks of each frame, with those who have position and velocity."""
    there = np.isfinite(position[..., 0]) & np.isfinite(velocity[..., 0])
    ends = np.cumsum([flock.animals for flock in flocks])[:-1]
    for frame, present in enumerate(there):
        groups = []
        for flock, members in zip(flocks, np.split(np.arange(len(present)), ends), strict=True):
            here = members[present[members]]
            place, speed = (read_only(by_column(each[frame, here])) for each in (position, velocity))
            groups.append(Group(flock.name, place, speed, members=here - members[:1]))
        yield tuple(groups)


def differences(position: Array, fps: float, world: World) -> Array:
    """Velocities from the neighbors in time of each position, (frames, n, d); nan where there is none."""
    ahead = np.full_like(position, np.nan)
    ahead[:-1] = world.displacement(position[1:] - position[:-1])
    behind = np.roll(ahead, 1, axis=0)
    behind[0] = np.nan
    sides = (~np.isnan(ahead)).astype(np.float64) + ~np.isnan(behind)
    sides[sides == 0] = np.nan
    return fps * (np.nan_to_num(ahead) + np.nan_to_num(behind)) / sides


def smoothed(position: Array, window: int, fps: float, world: World) -> tuple[Array, Array]:
    """Positions and velocities by the parabola through a window of frames, nan where it has fewer than three positions.

    Nobody is put into a gap: frames without a position stay without.
    """
    position = world.unwrapped(position)
    frames = len(position)
    half = min(window // 2, frames)  # there is nothing beyond
    padded = np.pad(position, ((half, half), (0, 0), (0, 0)), constant_values=np.nan)
    seen = np.isfinite(padded[..., 0])
    powers = np.zeros((5, *position.shape[:2]))
    sums = np.zeros((3, *position.shape))
    for offset in range(-half, half + 1):
        part = slice(half + offset, half + offset + frames)
        for power in range(5):
            powers[power] += seen[part] * float(offset) ** power
        for power in range(3):
            sums[power] += np.nan_to_num(padded[part]) * float(offset) ** power
    normal = np.moveaxis(powers[np.add.outer(range(3), range(3))], (0, 1), (-2, -1))
    known = np.isfinite(position[..., 0]) & (powers[0] >= 3)
    place, speed = np.full_like(position, np.nan), np.full_like(position, np.nan)
    fitted = np.linalg.solve(normal[known], np.moveaxis(sums, 0, -2)[known])
    place[known], speed[known] = fitted[:, 0], fps * fitted[:, 1]
    return world.wrapped(place), speed


def noise_of(position: Array, smooth: int, world: World) -> float:
    """The standard deviation of the white noise that is in each coordinate of tracks, (frames, n, d).

    Third differences hardly have anything of smooth motion. Their covariance at the longest lag that they reach is that
    of noise alone, since the wandering of animals that turn at random, and that of those who are pushed at random, end
    one and two lags before; noise is what is left of the covariance at all lags when both are taken away, by least
    squares with no negative part. Smoothing, by the parabola through a window, changes all of them, which is allowed
    for. 0 for tracks that are too short.
    """
    rough = np.diff(world.unwrapped(position), 3, axis=0)
    window = np.vander(np.arange(smooth) - smooth // 2, 3) if smooth else np.ones((1, 1))
    taps = np.convolve(np.linalg.pinv(window)[-1], ROUGH)
    wandering = np.cumsum(taps)
    pushed = np.cumsum(wandering)
    lags = range(min(len(taps) + FARTHER, len(rough)))
    products = [rough[lag:] * rough[: len(rough) - lag] for lag in lags]
    counts = np.array([np.isfinite(one).sum() for one in products])
    if len(lags) < len(taps) or not counts.all():
        return 0.0
    found = np.array([np.nansum(one) for one in products]) / counts
    parts = [
        np.array([float(one[lag:] @ one[: len(one) - lag]) if lag < len(one) else 0.0 for lag in lags])
        for one in (taps, wandering, pushed, np.convolve(pushed, (0.5, 0.5)))
    ]
    parts = [one / one[0] for one in (*parts, np.ones(len(lags)))]
    best, noise = np.inf, 0.0
    for some in chain.from_iterable(combinations(range(len(parts)), size) for size in range(1, len(parts) + 1)):
        base = np.transpose([parts[at] for at in some])
        shares = np.linalg.lstsq(base, found)[0]
        if (shares >= 0).all() and (left := float(((found - base @ shares) ** 2).sum())) < best:
            best, noise = left, float(shares[0]) if 0 in some else 0.0
    return float(np.sqrt(noise / (taps @ taps)))

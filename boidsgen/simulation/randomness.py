"""Random numbers: one independent stream per purpose, all from the scenario's seed.

A stream is named by its purpose and a number (of the flock, of the predators), so that adding noise to one flock
changes neither its start nor anything of another. The generator states are the only thing in the simulation that
changes in place.
"""

from dataclasses import dataclass
from functools import cache
from zlib import crc32

import numpy as np

from boidsgen.simulation.geometry import Array, read_only


class Randomness:
    """The streams of one run."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.stream = cache(self._stream)
        self.fixed = cache(self._fixed)

    def _stream(self, purpose: str, number: int) -> np.random.Generator:
        """The generator for one purpose; the same object every time, so that it goes on where it stopped."""
        return np.random.default_rng(np.random.SeedSequence(self._seed, spawn_key=(crc32(purpose.encode()), number)))

    def _fixed(self, purpose: str, number: int, shape: tuple[int, ...]) -> Array:
        """Uniform numbers in [0, 1) that stay the same for the whole run."""
        return read_only(self._stream(purpose, number).random(shape))


@dataclass(frozen=True, slots=True)
class GroupRandomness:
    """The streams of one group of animals, so that its rules need not know which group it is.

    Attributes:
        randomness: the streams of the run.
        kind: what precedes a purpose, empty for flocks.
        number: of the group among those of its kind.
    """

    randomness: Randomness
    kind: str
    number: int

    def stream(self, purpose: str) -> np.random.Generator:
        """The group's generator for one purpose; the same object every time."""
        return self.randomness.stream(self.kind + purpose, self.number)

    def fixed(self, purpose: str, shape: tuple[int, ...]) -> Array:
        """Uniform numbers in [0, 1) that stay the same for the whole run."""
        return self.randomness.fixed(self.kind + purpose, self.number, shape)

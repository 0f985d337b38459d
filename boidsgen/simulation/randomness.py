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
        self._drawn: dict[tuple[str, int], Array] = {}

    def _stream(self, purpose: str, number: int) -> "np.random.Generator":
        """The generator for one purpose; the same object every time, so that it goes on where it stopped."""
        return np.random.default_rng(np.random.SeedSequence(self._seed, spawn_key=(crc32(purpose.encode()), number)))

    def fixed(self, purpose: str, number: int, shape: tuple[int, ...]) -> Array:
        """Uniform numbers in [0, 1) that stay the same for the whole run, also when the last axis grows or shrinks."""
        drawn = self._drawn.get((purpose, number), np.empty((*shape[:-1], 0)))
        missing = shape[-1] - drawn.shape[-1]
        if missing > 0:
            new = self.stream(purpose, number).random((*shape[:-1], missing))
            drawn = read_only(np.concatenate((drawn, new), axis=-1)) if drawn.size else read_only(new)
            self._drawn[purpose, number] = drawn
        return drawn[..., : shape[-1]]


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

    def stream(self, purpose: str) -> "np.random.Generator":
        """The group's generator for one purpose; the same object every time."""
        return self.randomness.stream(self.kind + purpose, self.number)

    def fixed(self, purpose: str, shape: tuple[int, ...]) -> Array:
        """Uniform numbers in [0, 1) that stay the same for the whole run."""
        return self.randomness.fixed(self.kind + purpose, self.number, shape)

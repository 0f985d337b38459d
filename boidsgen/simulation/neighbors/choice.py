"""Choice of the engine: the compiled one where it is installed and worth its start.

numba takes a moment to be imported and to load its code, and some seconds the very first time, when it compiles. A
short run is over before that.
"""

from importlib.util import find_spec
from typing import NamedTuple

INSTALLED = find_spec("numba") is not None
"""Whether the compiled engine can be had at all; asking does not import it."""

WORTHWHILE = 0.8
"""Seconds that the compiled engine must save to be worth its start, a third of a second, and its memory, 100 MB."""

SAVED_PER_BOID = 2e-6
"""Seconds that the compiled engine saves in one step for one boid: a quarter of this with few neighbors, ten times as
much in the middle of a dense flock."""

SAVED_PER_STEP = 0.15e-3
"""Seconds that it saves in one step whatever the size of the flock."""

LONG = 20.0
"""Seconds that a run must lose without the compiled engine before it is worth a hint."""


class Work(NamedTuple):
    """How much there is to do.

    Attributes:
        boids: how many there are in all flocks.
        steps: how many steps there are in all.
    """

    boids: int
    steps: int

    @property
    def saved(self) -> float:
        """Seconds that the compiled engine saves, roughly."""
        return self.steps * (SAVED_PER_STEP + SAVED_PER_BOID * self.boids)


def best_engine(work: Work) -> str:
    """The engine that is done first."""
    return "numba" if INSTALLED and work.saved > WORTHWHILE else "numpy"


def hint(work: Work) -> str | None:
    """What would make a large run without numba faster, if anything would."""
    if INSTALLED or work.saved < LONG:
        return None
    return 'this is a large simulation: it runs several times faster with numba (pip install "boidsgen[fast]")'

"""Quickness: whether drawing is worth compiled code, and whether that is there.

  best_pixels(drawable)     what does the work pixel by pixel in a run
  compiled_frames()         what does the work of writers with finished frames, where drawing is compiled
  compile_all()             what the other process does
Compiled code gives the same pictures. Nobody waits for it: the first run that would gain by it is drawn with numpy, and
another process compiles it for those to come.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from boidsgen.drawing.pixels import Pixels
from boidsgen.simulation.compiling import COMPILING, compile_beside, give_way, may_be_kept
from boidsgen.simulation.neighbors import unusable
from boidsgen.simulation.neighbors.engines import INSTALLED, WORTHWHILE
from boidsgen.simulation.neighbors.unusable import UnusableEngineError

if TYPE_CHECKING:
    from boidsgen.drawing.look import Drawable

SAVED_PER_FRAME = 0.3e-3
"""Seconds that compiled code saves in one frame, whatever is in it."""
SAVED_PER_BOID = 0.3e-6
"""Seconds that it saves for one boid in one frame."""
SAVED_PER_PIECE = 0.06e-6
"""Seconds that it saves for one piece of a trail in one frame."""
LOADED = 0.2
"""Part of the time that numba takes to start which is left when the simulation has started it."""

PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from boidsgen.drawing.quickness import compile_all; compile_all()"
"""What the other process does."""


def best_pixels(drawable: "Drawable") -> Pixels:
    """What does the work of a run soonest."""
    gain = saved(drawable)
    if not INSTALLED or unusable.given_up() or gain < WORTHWHILE * (LOADED if "numba" in sys.modules else 1.0):
        return Pixels()
    return compiled_pixels(gain) or Pixels()


def compiled_pixels(gain: float) -> Pixels | None:
    """The compiled ones, if their code is there or worth being waited for by who gains so many seconds."""
    if _may_be_kept():
        from boidsgen.drawing import compiled  # noqa: PLC0415  numba takes long to import

        if compiled.load_kept():
            return compiled.CompiledPixels()
        if unusable.given_up():
            return None
        if not compiled.can_keep():
            return _compiled_at_once(gain)
    compile_beside(PROGRAM, "drawing")
    return None


def _compiled_at_once(gain: float) -> Pixels | None:
    """Compiled now, for this run alone, if it gains far more than that takes."""
    from boidsgen.drawing import compiled  # noqa: PLC0415

    if gain < 2 * COMPILING:
        return None
    try:
        compiled.compile_all()
    except UnusableEngineError as error:
        unusable.give_up(error)
        return None
    return compiled.CompiledPixels()


def compiled_frames() -> ModuleType | None:
    """The module of that name, if this process draws by compiled code; None where nobody has asked for that."""
    if "boidsgen.drawing.compiled" not in sys.modules or unusable.given_up():
        return None
    from boidsgen.drawing import compiled, compiled_frames  # noqa: PLC0415

    return compiled_frames if compiled.load_kept() else None


def saved(drawable: "Drawable") -> float:
    """Seconds that compiled code saves in a run, roughly."""
    boids = sum(drawable.most_boids)
    pieces = boids * drawable.style.trails
    return drawable.time.frames * (SAVED_PER_FRAME + SAVED_PER_BOID * boids + SAVED_PER_PIECE * pieces)


def compile_all() -> None:
    """Compile everything, and keep it for the next process; others go first."""
    give_way()
    from boidsgen.drawing import compiled  # noqa: PLC0415

    compiled.compile_all()


def _may_be_kept() -> bool:
    """Whether there may be compiled code; where numba is there already it is asked at once."""
    return "numba" in sys.modules or may_be_kept(__file__, "kernel.traced")

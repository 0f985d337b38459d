"""Scenario: the parts' own tables put together."""

from collections.abc import Iterable, Iterator
from typing import Literal

from boidsgen.drawing import Look
from boidsgen.drawing.layout import widened
from boidsgen.scenario.limits import Limits
from boidsgen.scenario.mistakes import Mistake
from boidsgen.scenario.sweep import Sweep
from boidsgen.simulation.setup import Setup
from boidsgen.writers.output import Output, refusals

SIZE_IN_3D = (1280, 720)
"""Width and height of the picture of a world that has no natural one, in pixels."""


class Scenario(Look, Setup):
    """Everything there is to say about one rendering: what happens, how it looks, and what is written."""

    schema_version: Literal[1] = 1
    """Version of this vocabulary."""
    output: Output = Output.usual()
    """What is written."""
    limits: Limits = Limits.usual()
    """What a scenario may ask of the machine before it is refused."""
    sweep: Sweep = Sweep.usual()
    """What `boidsgen sweep` varies."""

    @property
    def picture_size(self) -> tuple[int, int]:
        """Width and height of the picture in pixels: by the output table, or else a pixel per unit of a flat world."""
        if self.output.size is not None:
            return self.output.size
        if self.world.dimension == 3:
            return SIZE_IN_3D
        width, height = (max(1, round(side)) for side in self.world.size)
        return widened((width, height)) if self.overlay.forces == "panel" else (width, height)

    @property
    def steps(self) -> int:
        """Steps of the whole run, warm-up included."""
        return self.time.warmup + (self.time.frames - 1) * self.time.steps_per_frame

    @property
    def duration(self) -> float:
        """How long the clip plays once, in seconds."""
        return self.time.frames / self.output.fps

    def unfit_for(self, formats: Iterable[str]) -> Iterator[Mistake]:
        """What these formats cannot do."""
        for name in dict.fromkeys(formats):
            for key, reason in refusals(name, self.picture_size, self.output.fps):
                yield Mistake(("output", key), reason)

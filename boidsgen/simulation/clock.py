"""Time: how many frames, how many steps between them, and how much time a step covers."""

from typing import Annotated

from pydantic import Field

from boidsgen.tables import Positive, Table


class Clock(Table):
    """Frames and steps."""

    frames: Annotated[int, Field(ge=1)] = 200
    """Number of frames to render."""
    steps_per_frame: Annotated[int, Field(ge=1)] = 1
    """Simulation steps between two frames."""
    dt: Positive = 1.0
    """Time that one step covers; velocities are world units per unit of time."""
    warmup: Annotated[int, Field(ge=0)] = 0
    """Steps before the first frame."""

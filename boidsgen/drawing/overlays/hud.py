"""HUD: the numbers of the frame in one line."""

from typing import ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.layer import Foreground, Room
from boidsgen.drawing.lettering import width
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.geometry import length, unit
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State


class Hud(Foreground):
    """Numbers of the frame at the bottom left."""

    roles: ClassVar[tuple[str, ...]] = ("text", "muted")
    room: ClassVar[Room] = Room(bottom=2.0)

    hud: bool = False
    """Show frame, time, number of boids, mean speed and polarization (0 = all ways, 1 = all fly the same way), as far
    as they fit into one line."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.hud

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        size, margin = scene.text, round(0.9 * scene.text)
        left, top = margin, scene.size[1] - 1.8 * size
        for label, value, widest in _readings(state):
            # Room for the widest value keeps the line from twitching; digits are equally wide in this font.
            middle = width(label, size) + size // 3
            wide = middle + width(widest, size)
            if left + wide > scene.size[0] - margin:
                return
            canvas.write(label, (left, top), scene.tone("muted"), size)
            canvas.write(value, (left + middle, top), scene.tone("text"), size)
            left += wide + size


def _readings(state: State) -> list[tuple[str, str, str]]:
    """Label, value and the widest value there may be."""
    clock = state.setup.time
    last = clock.frames - 1
    end = (clock.warmup + last * clock.steps_per_frame) * clock.dt
    velocity = np.vstack([flock.velocity for flock in state.flocks])
    count = max(len(velocity), 1)
    fastest = max(table.max_speed for table in state.setup.flock)
    speed, polarization = length(velocity).sum() / count, np.linalg.norm(unit(velocity).sum(axis=0)) / count
    return [
        ("frame", f"{state.frame}", f"{last}"),
        ("time", f"{state.time:.1f}", f"{end:.1f}"),
        ("boids", f"{len(velocity)}", f"{len(velocity)}"),
        ("speed", f"{speed:.2f}", f"{fastest:.2f}"),
        ("polarization", f"{polarization:.2f}", "0.00"),
    ]

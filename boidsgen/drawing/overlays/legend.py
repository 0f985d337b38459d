"""Legend: what the colors of the animals mean."""

from typing import ClassVar

import numpy as np
from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.layer import Foreground
from boidsgen.drawing.layout import Room
from boidsgen.drawing.lettering import width
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.geometry import Array
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State


class Legend(Foreground):
    """Colors and their meaning at the top right."""

    roles: ClassVar[tuple[str, ...]] = ("text",)
    in_world: ClassVar[bool] = False

    legend: bool = False
    """Show what the colors of boids and predators mean."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.legend

    @override
    def room(self, setup: Setup, columns: int, text: int) -> Room:
        return Room(right=6.5)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        size = scene.text
        predators = tuple((table.name, "predator") for table in scene.beginning.predators)
        # A ramp has nameless steps; its swatches join, the highest on top.
        ramp = scene.key[::-1] if any(not label for label, _ in scene.key) else ()
        entries = (*(ramp or scene.key), *predators)
        wide = max(width(label, size) for label, _ in entries)
        left = scene.size[0] - 2 * size - wide
        top = 0.6 * size
        for label, role in entries:
            high = size * (0.75 if (label, role) in ramp else 1.5)
            canvas.write(label, (left + size, top + high / 2), scene.tone("text"), size, (0.0, 0.5))
            canvas.fill(_swatch(left, top + high / 2, 0.6 * size, min(high, 0.75 * size)), scene.tone(role))
            top += high


def _swatch(left: float, middle: float, wide: float, high: float) -> Array:
    """Corners of a swatch that joins its neighbors within a ramp."""
    low, top = round(left), round(middle - high / 2)
    right, bottom = round(left + wide), round(middle + high / 2)
    return np.array([(low, top), (right, top), (right, bottom), (low, bottom)], dtype=np.float64)

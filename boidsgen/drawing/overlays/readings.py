"""Readings beside the animals: the numbers of the frame."""

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field
from typing_extensions import override

from boidsgen.drawing.canvas import Canvas
from boidsgen.drawing.layout import Room
from boidsgen.drawing.lettering import width
from boidsgen.drawing.measure_history import measure_label, measure_text, widest_text
from boidsgen.drawing.overlays.layer import Foreground
from boidsgen.drawing.scene import Scene
from boidsgen.simulation.measures import MEASURES, measure
from boidsgen.simulation.setup import Setup
from boidsgen.simulation.state import State
from boidsgen.simulation.world import Clock

USUAL = ("boids", "mean_speed", "polarization")
"""What is shown unless something else is asked for."""

COUNTS = ("boids", "obstacles", "predators", "fps")
"""What can be counted; fps is the frames in a unit of simulated time."""

if TYPE_CHECKING:
    Reading = str
else:
    Reading = Literal[(*COUNTS, *MEASURES)]

LABELS = {"mean_speed": "speed"}
"""Names that may be shorter in a line."""


class Hud(Foreground):
    """Numbers of the frame at the bottom left."""

    roles: ClassVar[tuple[str, ...]] = ("text", "muted")
    in_world: ClassVar[bool] = False

    hud: bool | Annotated[tuple[Reading, ...], Field(min_length=1)] = False
    """Show frame, time, number of boids, mean speed and polarization (0 = all ways, 1 = all fly the same way), as far
    as they fit into one line; a list of measures, such as ["rotation", "groups"], stands in for the last two, and the
    counts "obstacles" and "predators" may stand in it, too, and "fps", the frames in a unit of simulated time. Where
    "boids" stands in it that number is shown there."""

    @override
    def wanted(self, setup: Setup) -> bool:
        return self.hud is not False

    @override
    def room(self, setup: Setup, columns: int, text: int) -> Room:
        return Room(bottom=2.0)

    @override
    def draw(self, canvas: Canvas, scene: Scene, state: State) -> None:
        names = self._readings
        size, margin = scene.text, round(0.9 * scene.text)
        left, top = margin, scene.size[1] - 1.8 * size
        for label, value, longest in [*_clock(state), *_numbers(state, names)]:
            # Room for the widest value keeps the line from twitching; digits are equally wide in this font.
            middle = width(label, size) + size // 3
            wide = middle + width(longest, size)
            if left + wide > scene.size[0] - margin:
                return
            canvas.write(label, (left, top), scene.tone("muted"), size)
            canvas.write(value, (left + middle, top), scene.tone("text"), size)
            left += wide + size

    @property
    def _readings(self) -> tuple[str, ...]:
        """The numbers to show, in their order; that of boids always."""
        if isinstance(self.hud, bool):
            return USUAL
        return self.hud if "boids" in self.hud else ("boids", *self.hud)


def _clock(state: State) -> list[tuple[str, str, str]]:
    """Label, value and the widest value there may be, of where in the run this is."""
    clock = state.setup.time
    last = clock.frames - 1
    end = (clock.warmup + last * clock.steps_per_frame) * clock.dt
    return [("frame", f"{state.frame}", f"{last}"), ("time", f"{state.time:.1f}", f"{end:.1f}")]


def _numbers(state: State, names: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """Label, value and about the widest value there may be, of counts and measures."""
    counts = _counts(state)
    measured = _measured(state, tuple(name for name in names if name not in counts))
    return [(name, f"{counts[name]}", f"{counts[name]}") if name in counts else measured[name] for name in names]


def _counts(state: State) -> dict[str, int | float]:
    return {
        "boids": sum(len(flock.position) for flock in state.flocks),
        "obstacles": len(state.setup.obstacles),
        "predators": sum(len(group.position) for group in state.predators),
        "fps": _frames_in_unit(state.setup.time),
    }


def _frames_in_unit(clock: Clock) -> int | float:
    """Frames in a unit of simulated time; a whole number where decimals such as 0.0333 stand for one."""
    rate = 1 / (clock.dt * clock.steps_per_frame)
    return round(rate) if abs(rate - round(rate)) < 0.005 * rate else round(rate, 2)


def _measured(state: State, names: tuple[str, ...]) -> dict[str, tuple[str, str, str]]:
    """Label, value and about the widest value there may be, of measures; a dash where one is not defined."""
    values = measure(state, names)
    fastest = max(table.max_speed for table in state.setup.flock)
    longest = {name: widest_text(name) for name in names} | {"mean_speed": f"{fastest:.2f}"}
    return {
        name: (
            LABELS.get(name, measure_label(name)),
            measure_text(name, values[name]) if name in values else "-",
            longest[name],
        )
        for name in names
    }

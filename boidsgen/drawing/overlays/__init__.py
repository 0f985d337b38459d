"""Overlays: what is drawn besides the animals; see `canvas` for their methods."""

from boidsgen.drawing.canvas import OverlayLayer
from boidsgen.drawing.overlays.focus import (
    ForcesBeside,
    ForcesChart,
    ForcesKey,
    ForcesOnBoid,
    Links,
    Neighbors,
    Perception,
)
from boidsgen.drawing.overlays.marks import Attractors, Axes, CenterOfMass, MovingAttractors, Obstacles, Paths, Roads
from boidsgen.drawing.overlays.readings import Caption, Chart, Hud, Legend, Scale
from boidsgen.simulation.setup import Setup
from boidsgen.tables import attributes, by_name


class Overlay(  # type: ignore[misc]  # it has the keys of all overlays, and draws nothing itself
    Attractors,
    Axes,
    Caption,
    CenterOfMass,
    Chart,
    ForcesBeside,
    ForcesChart,
    ForcesKey,
    ForcesOnBoid,
    Hud,
    Legend,
    Links,
    MovingAttractors,
    Neighbors,
    Obstacles,
    Paths,
    Perception,
    Roads,
    Scale,
):
    """Everything that is drawn besides the animals."""


OVERLAYS: dict[str, type[OverlayLayer]] = by_name(*Overlay.__bases__)
"""Every overlay by its name, in the order in which they are drawn."""


def layers(overlay: Overlay, setup: Setup) -> tuple[OverlayLayer, ...]:
    """The overlays that are wanted, each with its own keys."""
    # Their keys have been checked; to check them once more would cost a tenth of the time until the first frame.
    kinds = ((kind, attributes(kind).values()) for kind in OVERLAYS.values())
    every = (kind.model_construct(**{name: getattr(overlay, name) for name in names}) for kind, names in kinds)
    return tuple(layer for layer in every if layer.wanted(setup))

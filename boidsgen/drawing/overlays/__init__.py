"""Overlays: what is drawn besides the animals; see `canvas` for their methods."""

from boidsgen.drawing.canvas import OverlayLayer
from boidsgen.drawing.overlays import focus, marks, readings
from boidsgen.tables import by_name


class Overlay(  # type: ignore[misc]  # it has the keys of all overlays, and draws nothing itself
    marks.Attractors,
    marks.Axes,
    readings.Caption,
    marks.CenterOfMass,
    readings.Chart,
    marks.Fields,
    focus.ForcesBeside,
    focus.ForcesChart,
    focus.ForcesKey,
    focus.ForcesOnBoid,
    readings.Hud,
    readings.Legend,
    focus.Links,
    marks.MovingAttractors,
    focus.Neighbors,
    marks.Obstacles,
    marks.Paths,
    focus.Perception,
    marks.Roads,
    readings.Scale,
):
    """Everything that is drawn besides the animals."""


OVERLAYS: dict[str, type[OverlayLayer]] = by_name(*Overlay.__bases__)
"""Every overlay by its name, in the order in which they are drawn."""

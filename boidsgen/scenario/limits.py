"""Limits: how much work a scenario may ask for."""

from typing import Annotated

from pydantic import Field

from boidsgen.tables import Table

Amount = Annotated[int, Field(ge=1)]
"""How much is allowed."""


class Limits(Table):
    """The most that a scenario may ask for; a key for each of the amounts that are estimated before the first step."""

    boids: Amount = 2_000_000
    """Boids and predators together."""
    frames: Amount = 1_000_000
    """Frames."""
    steps: Amount = 100_000_000
    """Steps of the simulation, those before the first frame included."""
    pixels: Amount = 64_000_000
    """Pixels of one frame."""
    total_pixels: Amount = 1_000_000_000_000
    """Pixels of all frames together."""
    neighbor_visits: Amount = 1_000_000_000_000
    """Neighbors looked at in the whole run, roughly: steps times boids times the boids within their reach."""
    runs: Amount = 100_000
    """Runs of one sweep."""

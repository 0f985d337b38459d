"""Overlays, one file each; see `boidsgen.drawing.layer` for what an overlay answers."""

from typing import TYPE_CHECKING

from pydantic import create_model

from boidsgen.drawing.layer import Layer
from boidsgen.simulation.setup import Setup
from boidsgen.tables import Table, family

OVERLAYS = family(__name__, Layer)

if TYPE_CHECKING:

    class Overlay(Table):
        """What is drawn besides the animals: the keys of all overlays together; here those that others ask for."""

        focus: int = 0
        perception: bool = False
        neighbors: bool = False
        forces: str | None = None

else:
    Overlay = create_model(
        "Overlay",
        __base__=tuple(OVERLAYS.values()),
        __module__=__name__,
        __doc__="What is drawn besides the animals.",
    )


def layers(overlay: Overlay, setup: Setup) -> tuple[Layer, ...]:
    """The overlays that are wanted, each with its own keys."""
    every = (kind(**{key: getattr(overlay, key) for key in kind.model_fields}) for kind in OVERLAYS.values())
    return tuple(layer for layer in every if layer.wanted(setup))

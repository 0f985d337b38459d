"""Simulation: from the scenario's tables to one state per frame; knows no pictures.

Names are imported when they are first used, so that a package with rules can import what rules are made of.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boidsgen.simulation.engines import ENGINES, engine_name, hint
    from boidsgen.simulation.geometry import Array
    from boidsgen.simulation.motion import Group
    from boidsgen.simulation.run import simulate
    from boidsgen.simulation.setup import Setup, State

__all__ = ["ENGINES", "Array", "Group", "Setup", "State", "engine_name", "hint", "simulate"]

_HOMES = {
    "ENGINES": "boidsgen.simulation.engines",
    "Array": "boidsgen.simulation.geometry",
    "Group": "boidsgen.simulation.motion",
    "Setup": "boidsgen.simulation.setup",
    "State": "boidsgen.simulation.setup",
    "engine_name": "boidsgen.simulation.engines",
    "hint": "boidsgen.simulation.engines",
    "simulate": "boidsgen.simulation.run",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)

"""Simulation: from the scenario's tables to one state per frame; knows no pictures.

Names are imported when they are first used, so that a package with rules can import what rules are made of.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boidsgen.simulation.dynamics import Group
    from boidsgen.simulation.geometry import Array
    from boidsgen.simulation.neighbors.engines import ENGINES
    from boidsgen.simulation.run import engine_name, hint, simulate
    from boidsgen.simulation.setup import Setup
    from boidsgen.simulation.state import State

__all__ = ["ENGINES", "Array", "Group", "Setup", "State", "engine_name", "hint", "simulate"]

_HOMES = {
    "ENGINES": "neighbors.engines",
    "Array": "geometry",
    "Group": "dynamics",
    "Setup": "setup",
    "State": "state",
    **dict.fromkeys(("engine_name", "hint", "simulate"), "run"),
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)

"""Simulation: from the scenario's tables to one state per frame; knows no pictures.

Names are imported when they are first used, so that a package with rules can import what rules are made of.
"""

from typing import TYPE_CHECKING

from boidsgen.lazy import of_package

if TYPE_CHECKING:
    from boidsgen.simulation.engines import ENGINES, engine_name, hint
    from boidsgen.simulation.geometry import Array
    from boidsgen.simulation.motion import Group
    from boidsgen.simulation.run import simulate
    from boidsgen.simulation.setup import Setup, State

__all__ = ["ENGINES", "Array", "Group", "Setup", "State", "engine_name", "hint", "simulate"]

__getattr__ = of_package(
    __name__,
    {
        "ENGINES": "boidsgen.simulation.engines",
        "Array": "boidsgen.simulation.geometry",
        "Group": "boidsgen.simulation.motion",
        "Setup": "boidsgen.simulation.setup",
        "State": "boidsgen.simulation.setup",
        "engine_name": "boidsgen.simulation.engines",
        "hint": "boidsgen.simulation.engines",
        "simulate": "boidsgen.simulation.run",
    },
)

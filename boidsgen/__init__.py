"""boidsgen renders flocking simulations to GIF or MP4 from a short TOML file.

    from boidsgen import measure, render, simulate

    render("quickstart", "flock.gif", frames=50)

Names are imported when they are first used, so that `import boidsgen` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from boidsgen.version import __version__ as __version__

if TYPE_CHECKING:
    from boidsgen.analysis import describe, measure, plot, sweep, tracks
    from boidsgen.api import Still, Webpage, compare, page, record, render, replay, simulate, still
    from boidsgen.errors import (
        BoidsgenError,
        EncoderError,
        LimitError,
        NotFiniteError,
        OutputExistsError,
        PackageError,
        ReplayError,
        ScenarioError,
        StorageError,
        SweepError,
        UsageError,
    )
    from boidsgen.pipeline import Report
    from boidsgen.records import Records
    from boidsgen.scenario import Scenario, load_scenario, presets
    from boidsgen.scenario.sources import Preset
    from boidsgen.simulation.run import Run
    from boidsgen.simulation.setup import State

__all__ = [
    "BoidsgenError",
    "EncoderError",
    "LimitError",
    "NotFiniteError",
    "OutputExistsError",
    "PackageError",
    "Preset",
    "Records",
    "ReplayError",
    "Report",
    "Run",
    "Scenario",
    "ScenarioError",
    "State",
    "Still",
    "StorageError",
    "SweepError",
    "UsageError",
    "Webpage",
    "compare",
    "describe",
    "load_scenario",
    "measure",
    "page",
    "plot",
    "presets",
    "record",
    "render",
    "replay",
    "simulate",
    "still",
    "sweep",
    "tracks",
]

_HOMES = {
    "boidsgen.errors": (
        *("BoidsgenError", "EncoderError", "LimitError", "NotFiniteError", "OutputExistsError", "PackageError"),
        *("ReplayError", "ScenarioError", "StorageError", "SweepError", "UsageError"),
    ),
    "boidsgen.api": (
        *("Still", "Webpage", "compare", "record", "render"),
        *("replay", "simulate", "still", "page"),
    ),
    "boidsgen.analysis": ("describe", "measure", "plot", "sweep", "tracks"),
    "boidsgen.pipeline": ("Report",),
    "boidsgen.records": ("Records",),
    "boidsgen.scenario": ("Scenario", "load_scenario", "presets"),
    "boidsgen.scenario.sources": ("Preset",),
    "boidsgen.simulation.setup": ("State",),
    "boidsgen.simulation.run": ("Run",),
}


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            globals()[name] = getattr(import_module(home), name)
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

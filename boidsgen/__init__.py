"""boidsgen renders flocking simulations to GIF or MP4 from a short TOML file.

    from boidsgen import measure, render, simulate

    render("quickstart", "flock.gif", frames=50)

Names are imported on first use, so `import boidsgen` is fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from boidsgen.version import __version__ as __version__

if TYPE_CHECKING:
    from boidsgen.api import audit as audit
    from boidsgen.api import compare as compare
    from boidsgen.api import describe as describe
    from boidsgen.api import fit as fit
    from boidsgen.api import leaders as leaders
    from boidsgen.api import measure as measure
    from boidsgen.api import page as page
    from boidsgen.api import plot as plot
    from boidsgen.api import record as record
    from boidsgen.api import render as render
    from boidsgen.api import replay as replay
    from boidsgen.api import sensitivity as sensitivity
    from boidsgen.api import simulate as simulate
    from boidsgen.api import still as still
    from boidsgen.api import sweep as sweep
    from boidsgen.api import tracks as tracks
    from boidsgen.displays import Still as Still
    from boidsgen.displays import Webpage as Webpage
    from boidsgen.errors import BoidsgenError as BoidsgenError
    from boidsgen.errors import EncoderError as EncoderError
    from boidsgen.errors import LimitError as LimitError
    from boidsgen.errors import NotFiniteError as NotFiniteError
    from boidsgen.errors import OutputExistsError as OutputExistsError
    from boidsgen.errors import PackageError as PackageError
    from boidsgen.errors import ReplayError as ReplayError
    from boidsgen.errors import ScenarioError as ScenarioError
    from boidsgen.errors import StorageError as StorageError
    from boidsgen.errors import SweepError as SweepError
    from boidsgen.errors import UsageError as UsageError
    from boidsgen.pipeline import Report as Report
    from boidsgen.records import Records as Records
    from boidsgen.scenario import Scenario as Scenario
    from boidsgen.scenario import load_scenario as load_scenario
    from boidsgen.scenario import presets as presets
    from boidsgen.scenario.sources import Preset as Preset
    from boidsgen.simulation.run import Run as Run
    from boidsgen.simulation.setup import State as State

_HOMES = {
    "boidsgen.errors": (
        *("BoidsgenError", "EncoderError", "LimitError", "NotFiniteError", "OutputExistsError", "PackageError"),
        *("ReplayError", "ScenarioError", "StorageError", "SweepError", "UsageError"),
    ),
    "boidsgen.api": (
        *("audit", "compare", "describe", "fit", "leaders", "measure", "page", "plot", "record", "render", "replay"),
        *("sensitivity", "simulate", "still", "sweep", "tracks"),
    ),
    "boidsgen.displays": ("Still", "Webpage"),
    "boidsgen.pipeline": ("Report",),
    "boidsgen.records": ("Records",),
    "boidsgen.scenario": ("Scenario", "load_scenario", "presets"),
    "boidsgen.scenario.sources": ("Preset",),
    "boidsgen.simulation.setup": ("State",),
    "boidsgen.simulation.run": ("Run",),
}
__all__ = sorted(name for names in _HOMES.values() for name in names)  # noqa: PLE0605  a list, as Python wants it


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            globals()[name] = getattr(import_module(home), name)
            return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

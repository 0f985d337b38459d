"""Provenance: what every output tells of its origin.

It is a scenario itself: comments that name the versions, then the resolved scenario with its seed. Nothing in it tells
where, when or by whom the output was made.
"""

from boidsgen import __version__
from boidsgen.scenario.resolved import resolved
from boidsgen.scenario.scenario import Scenario


def provenance(scenario: Scenario) -> str:
    """The text that outputs of this scenario carry; it loads to the same scenario."""
    text = resolved(scenario)
    return f"{versions()}{text}" if scenario.seed else f"{versions()}seed = 0\n{text}"


def versions() -> str:
    """A comment with everything that decides about the frames of a scenario."""
    import numpy as np  # noqa: PLC0415  after them everything else
    import PIL  # noqa: PLC0415

    return f"# boidsgen {__version__}, numpy {np.__version__}, pillow {PIL.__version__}\n"

"""Given: a scenario in whatever form a Python caller has it.

`source_of(given)` takes a path, the name of a preset, `-`, TOML text, a dictionary or a scenario, and gives its source.
Text is taken for TOML when it has a line break or an equals sign and there is no such file.
"""

from collections.abc import Mapping
from datetime import date, time
from os import PathLike, fspath
from pathlib import Path
from typing import TypeAlias

import numpy as np

from boidsgen.errors import ScenarioError
from boidsgen.scenario.provenance import resolved
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.sources import Source, extended, find
from boidsgen.scenario.wording import shown, written

ScenarioLike: TypeAlias = Scenario | str | PathLike[str] | Mapping[str, object]
"""A scenario, or what one can be made from."""

STEM = "boids"
"""Name of an output of a scenario that has none."""


def source_of(given: ScenarioLike) -> Source:
    """The source of a scenario in any form.

    Raises:
        ScenarioError: when a dictionary holds what no scenario can.
        StorageError: when there is no such file, or it cannot be read.
    """
    if isinstance(given, Scenario):
        return Source("scenario", STEM, resolved(given), numbered=False)
    if isinstance(given, Mapping):
        text = "".join(f"{written(str(key))} = {written(plain(value, str(key)))}\n" for key, value in given.items())
        return extended(Source("scenario", STEM, text, numbered=False))
    if isinstance(given, str) and is_toml(given):
        return extended(Source("scenario", STEM, given))
    return find(fspath(given))


def is_toml(text: str) -> bool:
    """Whether a text is a scenario itself rather than the name of one."""
    if "\n" in text:
        return True
    return "=" in text and not Path(text).exists()


def plain(value: object, key: str) -> object:
    """A value of Python or numpy as one that TOML has.

    Raises:
        ScenarioError: when TOML has none like it.
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(name): plain(inner, f"{key}.{name}") for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner, key) for inner in value]
    if isinstance(value, PathLike):
        return fspath(value)
    if not isinstance(value, bool | int | float | str | date | time):
        raise ScenarioError([f"scenario: {key}: cannot be {shown(repr(value))}; a scenario has no such value"])
    return value

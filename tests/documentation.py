"""The parts of the documents that are made from the program itself."""

import inspect
import subprocess
import sys
from collections.abc import Callable

from boidsgen.simulation.measures import MEASURES
from boidsgen.simulation.measuring import RUN_MEASURES
from boidsgen.simulation.profiles import PROFILES


def commands() -> str:
    """The help of the program and of each of its commands, as Markdown."""
    overview = _help()
    names = [line.split()[0] for line in overview.partition("Commands:")[2].splitlines() if line.strip()]
    return "\n".join([_block(overview), *(f"## {name}\n\n{_block(_help(name))}" for name in names)])


def examples_of(command: Callable[..., None]) -> list[str]:
    """The command lines that the docstring of a command gives to try."""
    return [line.strip() for line in inspect.cleandoc(command.__doc__ or "").partition("Examples:\n")[2].splitlines()]


def measures() -> str:
    """Every measure with its unit, its definition and its source, as Markdown."""
    return "\n".join(_measure(name, measure) for name, measure in sorted({**MEASURES, **RUN_MEASURES}.items()))


def profiles() -> str:
    """The same of every profile."""
    return "\n".join(_measure(name, profile) for name, profile in PROFILES.items())


def _measure(name: str, measure: object) -> str:
    unit = f"*In {measure.unit}.* " if measure.unit else ""
    return f"## `{name}`\n\n{unit}{inspect.cleandoc(measure.__doc__)}\n"


def _help(*command: str) -> str:
    call = [sys.executable, "-m", "boidsgen", *command, "--help"]
    return subprocess.run(call, check=True, capture_output=True, text=True, env={"COLUMNS": "80"}).stdout.strip()


def _block(text: str) -> str:
    return f"```text\n{text}\n```\n"

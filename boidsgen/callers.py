"""Shared by the functions for Python callers: scenarios with keys set by keywords, saved runs, and errors."""

import re
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, formatannotation, signature
from os import PathLike
from typing import Literal, ParamSpec, TypeAlias, TypeVar

import numpy as np
from pydantic import ConfigDict, TypeAdapter, ValidationError

from boidsgen.errors import BoidsgenError, ScenarioError, StorageError, UsageError
from boidsgen.inputs import guard_inputs
from boidsgen.plugins import boundary
from boidsgen.scenario.layers import Override
from boidsgen.scenario.loading import ScenarioLike, draft, plain, saved_states, source_of, supplied
from boidsgen.scenario.scenario import Scenario
from boidsgen.simulation.rules.rule import Rules
from boidsgen.simulation.setup import State

Overrides: TypeAlias = Mapping[str, object]
"""Values by their dotted keys."""

SHORT = {"frames": "time.frames", "fps": "output.fps", "size": "output.size", "quality": "output.quality"}
"""Keywords that stand for keys in a table."""
Quality: TypeAlias = Literal["draft", "standard", "high"]
Given = ParamSpec("Given")
Result = TypeVar("Result")
_IN_OWN_WORDS = {"self", "scenario", "engine", "seed", *SHORT}  # Arguments that are checked where they are used
_ANY_TYPE = ConfigDict(arbitrary_types_allowed=True)
_SET = re.compile(r"(?<![\w./\\-])--set ([\w.]+)=(\S+?)(?=[\s;:,]|$)")
_OPTION = re.compile(r"(?<![\w./\\-])--(\w[\w-]*)")  # and not a part of the name of a file


def _in_python(message: str) -> str:
    """A message that names arguments of Python instead of options of the command line."""
    named = _SET.sub(r'overrides={"\1": \2}', message)
    return _OPTION.sub(lambda found: "variants:" if found[1] == "with" else found[1].replace("-", "_"), named)


@contextmanager
def python_errors() -> Iterator[None]:
    """Errors name arguments of Python instead of options of the command line."""
    try:
        with boundary(), guard_inputs():
            yield
    except ScenarioError as error:
        error.errors = tuple(map(_in_python, error.errors))
        error.args = ("\n".join(error.errors),)
        raise
    except OSError as error:
        raise StorageError(f"{error.filename}: {error.strerror}" if error.filename else str(error)) from error
    except BoidsgenError as error:
        error.args = (_in_python(str(error)), *error.args[1:])
        raise


def for_callers(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Check the arguments of a function by their annotations, and guard what it reads as a command would."""
    parameters = signature(function).parameters

    @wraps(function)
    def checked(*given: Given.args, **named: Given.kwargs) -> Result:
        with python_errors():
            for name, value in signature(function).bind(*given, **named).arguments.items():
                form, kind = parameters[name].annotation, parameters[name].kind
                if name in _IN_OWN_WORDS or kind is Parameter.VAR_KEYWORD or isinstance(form, str):
                    continue
                wanted = tuple[form, ...] if kind is Parameter.VAR_POSITIONAL else form  # type: ignore[valid-type]
                plain_value = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
                try:
                    TypeAdapter(wanted, config=_ANY_TYPE).validate_python(plain_value, strict=True)
                except ValidationError:
                    told = re.sub(r"\w+\.", "", formatannotation(form))
                    raise UsageError(f"{name}: must be {told}, not {reprlib.repr(value)}") from None
            return function(*given, **named)

    return checked


def given_overrides(overrides: Overrides | None, keys: Overrides) -> list[Override]:
    """The overrides of a call, in order; keywords of our own that are None are not given."""
    named = {name: value for name, value in keys.items() if value is not None or name not in {*SHORT, "seed"}}
    dotted = {SHORT.get(name, name.replace("__", ".")): (name, value) for name, value in named.items()}
    given = {key: (f"overrides: {key}", value) for key, value in (overrides or {}).items()} | dotted
    return [Override(key, plain(value, key), name) for key, (name, value) in given.items()]


def loaded(
    given: ScenarioLike,
    overrides: Overrides | None,
    keys: Overrides,
    states: Iterable[State] | None = None,
    rules: Rules = (),
) -> tuple[Scenario, Iterable[State] | None]:
    """A scenario with its keys set, and its states where they are given, or where it is the name of a saved run.

    Raises:
        ScenarioError: with every error in it.
        StorageError: when there is no such file, or it cannot be read.
        UsageError: when a key would change a saved run, or rules of a program are missing.
    """
    settings = given_overrides(overrides, keys)
    if isinstance(given, Scenario) and not settings:
        return given, states
    source = supplied(source_of(given), passed=bool(rules) or states is not None)
    scenario = draft(source, settings).scenario()
    if states is None and isinstance(given, str | PathLike):
        states = saved_states(source, scenario, settings)
    return scenario, states


def refuse_below_one(**numbers: int | None) -> None:
    """Raise UsageError for the first of these arguments that is given and no whole number, or below 1."""
    for name, number in numbers.items():
        if number is not None and number < 1:
            raise UsageError(f"{name}: must be at least 1, not {number}")

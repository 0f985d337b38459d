"""Arguments: what Python callers give, as the rest of the package wants it, and errors that speak of it.

scenario_of(scenario, overrides, keys)   the checked scenario of one in any form
overrides_of(overrides, keys)            keys that are set, by a dictionary or by keywords
values_of, variant_of                    what a sweep varies, and what a variant sets
refuse_below_one(seeds=seeds)            what counts something must be at least 1, as on the command line
refuse_changes(keys, rules=rules)        a setup is simulated as it is
in_python()                              errors in here name arguments instead of options of the command line
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeAlias

from boidsgen.errors import BoidsgenError, ScenarioError, UsageError
from boidsgen.scenario.loading import ScenarioLike, draft, plain, source_of
from boidsgen.scenario.overrides import Override
from boidsgen.scenario.scenario import Scenario
from boidsgen.scenario.wording import written

Overrides: TypeAlias = Mapping[str, object]
"""Values by their dotted keys."""

SHORT = {"frames": "time.frames", "fps": "output.fps", "size": "output.size", "quality": "output.quality"}
"""Keywords that stand for keys in a table."""
_NAMES = {"with": "variants:"}
"""Arguments that are called otherwise than their options."""
_SET = re.compile(r"(?<![\w./\\-])--set ([\w.]+)=(\S+?)(?=[\s;:,]|$)")
_OPTION = re.compile(r"(?<![\w./\\-])--(\w[\w-]*)")
"""An option, and not a part of the name of a file."""


def scenario_of(given: ScenarioLike, overrides: Overrides | None, keys: Overrides) -> Scenario:
    """The checked scenario; one that is a scenario already, and is not changed, is that itself."""
    settings = overrides_of(overrides, keys)
    if isinstance(given, Scenario) and not settings:
        return given
    return draft(source_of(given), settings).scenario()


def overrides_of(overrides: Overrides | None, keys: Overrides) -> list[Override]:
    """Both as overrides; a keyword has two underscores for a dot, or stands in `SHORT`."""
    dotted = {SHORT.get(name, name.replace("__", ".")): (name, value) for name, value in keys.items()}
    given = {key: (f"overrides: {key}", value) for key, value in (overrides or {}).items()} | dotted
    return [Override(key, plain(value, key), name) for key, (name, value) in given.items()]


def values_of(key: str, values: Iterable[object]) -> tuple[object, ...]:
    """The values that a key takes in a sweep.

    Raises:
        UsageError: when there are none.
    """
    found = () if isinstance(values, str) else tuple(plain(value, key) for value in values)
    if not found:
        raise UsageError(f"vary: {key} must have a list of values, not {values!r}")
    return found


def variant_of(setting: tuple[str, object]) -> str:
    """A setting of a variant as one word."""
    key, value = setting
    text = f"{key}={written(plain(value, key))}"
    return "'" + text.replace("'", "'\"'\"'") + "'"


def refuse_below_one(**numbers: int | None) -> None:
    """Stop when one of these arguments, by their names, is a number below 1.

    Raises:
        UsageError: naming it.
    """
    for name, number in numbers.items():
        if number is not None and number < 1:
            raise UsageError(f"{name}: must be at least 1, not {number}")


def refuse_changes(keys: Overrides, **changes: object) -> None:
    """Stop when a setup, which is simulated as it is, is to be changed by keys or by other arguments.

    Raises:
        UsageError: naming them.
    """
    if given := [*(name for name, value in changes.items() if value), *keys]:
        raise UsageError(f"{', '.join(given)}: a Setup is simulated as it is; give a scenario to change it")


@contextmanager
def in_python() -> Iterator[None]:
    """Errors name arguments of Python instead of options of the command line."""
    try:
        yield
    except ScenarioError as error:
        error.mistakes = tuple(map(_spoken, error.mistakes))
        error.args = ("\n".join(error.mistakes),)
        raise
    except BoidsgenError as error:
        error.args = (_spoken(str(error)), *error.args[1:])
        raise


def _spoken(text: str) -> str:
    """What a message says to who calls from Python."""
    named = _SET.sub(r'overrides={"\1": \2}', text)
    return _OPTION.sub(lambda found: _NAMES.get(found[1]) or found[1].replace("-", "_"), named)

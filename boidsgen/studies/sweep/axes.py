"""Axes: which values of which keys a sweep goes through.

An `Axis` is one key with its values, in the order in which they were given. `axis_from_text` reads `KEY=V1,V2,V3` and
`KEY=START:STOP:COUNT`; `paired` and `combined` turn axes into points, one tuple of values each, the last key changing
fastest. `spawned` gives independent seeds.
"""

import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import overload

import numpy as np
from typing_extensions import override

from boidsgen.errors import UsageError
from boidsgen.scenario.overrides import refuse_undecodable, value_from

MAX_VALUES = 1_000_000
"""Values that one range may have."""
SEED_BITS = 48
"""Of a spawned seed: a number of at most fifteen digits, which is what spreadsheets and JavaScript keep exactly."""

_NUMBER = r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*"
_RANGE = re.compile(f"{_NUMBER}:{_NUMBER}:{_NUMBER}")
_HALF_A_RANGE = re.compile(f"{_NUMBER}(?::|\\.\\.){_NUMBER}")
_EXAMPLE = "must look like KEY=V1,V2,V3 or KEY=START:STOP:COUNT, as in flock.separation.weight=0:2:5"
_OPENING, _CLOSING, _QUOTES = "[{", "]}", "\"'"

Point = tuple[object, ...]
"""One value for each axis."""


@dataclass(frozen=True)
class Axis:
    """One key and the values it takes.

    Attributes:
        key: dotted.
        values: at least one; those of a range are worked out when they are asked for, its length is known before.
        origin: how messages name the axis, up to the value, as in `--vary flock.count=`.
    """

    key: str
    values: Sequence[object]
    origin: str


def axis_from_text(text: str) -> Axis:
    """The axis that `--vary KEY=VALUES` asks for.

    Raises:
        UsageError: when the text is no such thing.
    """
    refuse_undecodable(text, "--vary")
    key, equals, values = text.partition("=")
    key = key.strip()
    if not equals or not key:
        raise UsageError(f"--vary {text}: {_EXAMPLE}")
    try:
        return Axis(key, counted_values(values), f"--vary {key}=")
    except ValueError as error:
        raise UsageError(f"--vary {text}: {error}") from None


class Range(Sequence[object]):
    """The numbers of a range, each worked out when it is asked for: a million of them take seconds."""

    def __init__(self, start: str, stop: str, number: str) -> None:
        _refuse_bad_count(number)
        self._first, self._last, self._length = Fraction(start), Fraction(stop), int(number)
        if (self._length == 1) != (self._first == self._last):
            raise ValueError(f"{number} values do not lead from {start} to {stop}")
        self._whole = start.lstrip("+-").isdecimal() and stop.lstrip("+-").isdecimal()
        self[0], self[-1]  # the range leaves the numbers at one of its ends, if anywhere

    @override
    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, at: int) -> object: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[object]: ...

    @override
    def __getitem__(self, at: int | slice) -> object:
        """Evenly spread numbers, each the nearest to what decimal arithmetic gives; whole ones where all is whole."""
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(self._length))]
        if not -self._length <= at < self._length:
            raise IndexError(at)
        value = self._first + (self._last - self._first) * (at % self._length) / max(1, self._length - 1)
        return int(value) if self._whole and value.denominator == 1 else _float(value)


def counted_values(text: str) -> Sequence[object]:
    """The values that a list or a range of them stands for, those of a range not yet worked out.

    Raises:
        ValueError: with the reason, when there are none.
    """
    if match := _HALF_A_RANGE.fullmatch(text):
        raise ValueError(f"a range is START:STOP:COUNT, as in {match[1]}:{match[2]}:5 for five values")
    match = _RANGE.fullmatch(text)
    return Range(*match.groups()) if match else values_from(text)


def values_from(text: str) -> tuple[object, ...]:
    """The values that a list or a range of them stands for; what is not TOML is text.

    Raises:
        ValueError: with the reason, when there are none.
    """
    if match := _RANGE.fullmatch(text):
        return tuple(Range(*match.groups()))
    whole = value_from(f"[{text}]")
    values = tuple(whole) if isinstance(whole, list) else tuple(value_from(part) for part in _split(text))
    if not values or "" in values:
        raise ValueError(f"a value is missing; {_EXAMPLE}")
    return values


def paired(axes: Sequence[Axis]) -> Iterator[Point]:
    """The first values of all axes, then the second ones, and so on.

    Raises:
        UsageError: when there are more values of one key than of another.
    """
    if len({len(axis.values) for axis in axes}) > 1:
        counts = ", ".join(f"{axis.key} has {len(axis.values)}" for axis in axes)
        raise UsageError(f"pairing values needs equally many of each: {counts}")
    return zip(*(axis.values for axis in axes), strict=True) if axes else iter([()])


def combined(axes: Sequence[Axis], together: Collection[str]) -> Iterator[Point]:
    """Every combination of values, where the values of the keys in `together` are paired and count as one.

    Raises:
        UsageError: when there are more values of one of these keys than of another.
    """
    groups = grouped(axes, together)
    for parts in product(*(tuple(paired([axes[number] for number in group])) for group in groups)):
        values = {
            number: value
            for group, part in zip(groups, parts, strict=True)
            for number, value in zip(group, part, strict=True)
        }
        yield tuple(values[number] for number in range(len(axes)))


def grouped(axes: Sequence[Axis], together: Collection[str]) -> list[list[int]]:
    """The numbers of the axes, those that are paired in one group, in the order of the axes."""
    groups: dict[str, list[int]] = {}
    for number, axis in enumerate(axes):
        groups.setdefault("" if axis.key in together else axis.key, []).append(number)
    return list(groups.values())


def count(axes: Sequence[Axis], together: Collection[str]) -> int:
    """How many points there are, where values of these keys are paired."""
    return math.prod(max(len(axes[number].values) for number in group) for group in grouped(axes, together))


@lru_cache(maxsize=4)
def spawned(seed: int, number: int) -> tuple[int, ...]:
    """Independent seeds, of which the first ones stay the same when more are wanted."""
    children = np.random.SeedSequence(seed).spawn(number)
    return tuple(int(child.generate_state(1, np.uint64)[0]) >> (64 - SEED_BITS) for child in children)


def _refuse_bad_count(number: str) -> None:
    if not number.isdecimal():
        raise ValueError(
            f"COUNT must be a whole number, how many values, not {number}; it is not the step between them"
        )
    if int(number) == 0:
        raise ValueError("an empty range; COUNT must be at least 1")
    if int(number) > MAX_VALUES:
        raise ValueError(f"a range may have {MAX_VALUES:,} values at most")


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        raise ValueError("the range leaves the numbers a computer knows") from None


def _split(text: str) -> Iterator[str]:
    """The parts between commas, but not those inside brackets or quotes."""
    part, depth, quote = "", 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in _QUOTES:
            quote = letter
        depth += (letter in _OPENING) - (letter in _CLOSING) if not quote else 0
        if letter == "," and not depth and not quote:
            yield part.strip()
            part = ""
        else:
            part += letter
    yield part.strip()

"""The axes of a sweep: keys with the values they take, and the points of the grid that the axes span.

A point is one value for each axis; the values of the last axis change fastest.
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
from boidsgen.scenario.layers import refuse_undecodable, value_from

MAX_RANGE = 1_000_000
"""Maximum number of values in one range."""
SEED_BITS = 48
"""Bits of a spawned seed: at most fifteen digits, which spreadsheets and JavaScript keep exactly."""

_NUMBER = r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*"
_RANGE = re.compile(f"{_NUMBER}:{_NUMBER}:{_NUMBER}")
_RANGE_WITHOUT_COUNT = re.compile(f"{_NUMBER}(?::|\\.\\.){_NUMBER}")
_EXAMPLE = "must look like KEY=V1,V2,V3 or KEY=START:STOP:COUNT, as in flock.separation.weight=0:2:5"

Point = tuple[object, ...]
"""One value for each axis."""


@dataclass(frozen=True)
class SweepAxis:
    """One key and the values it takes.

    Attributes:
        key: dotted.
        values: at least one. Those of a range are computed on access; its length is known before.
        origin: prefix of a value in messages, as in `--vary flock.count=`.
    """

    key: str
    values: Sequence[object]
    origin: str


class NumberRange(Sequence[object]):
    """Evenly spaced numbers, each computed on access (a million of them take seconds).

    Each number is the float nearest to the exact decimal result; it is an integer where START, STOP and it are.
    """

    def __init__(self, start: str, stop: str, number: str) -> None:
        if not number.isdecimal():
            raise ValueError(
                f"COUNT must be a whole number, how many values, not {number}; it is not the step between them"
            )
        if int(number) == 0:
            raise ValueError("an empty range; COUNT must be at least 1")
        if int(number) > MAX_RANGE:
            raise ValueError(f"a range may have {MAX_RANGE:,} values at most")
        self._first, self._last, self._length = Fraction(start), Fraction(stop), int(number)
        if (self._length == 1) != (self._first == self._last):
            raise ValueError(f"{number} values do not lead from {start} to {stop}")
        self._integer = start.lstrip("+-").isdecimal() and stop.lstrip("+-").isdecimal()
        try:
            self[0], self[-1]  # if any value overflows, so does one of the ends
        except OverflowError:
            raise ValueError("the range leaves the numbers a computer knows") from None

    @override
    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, at: int) -> object: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[object]: ...

    @override
    def __getitem__(self, at: int | slice) -> object:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(self._length))]
        if not -self._length <= at < self._length:
            raise IndexError(at)
        value = self._first + (self._last - self._first) * (at % self._length) / max(1, self._length - 1)
        return int(value) if self._integer and value.denominator == 1 else float(value)


def parse_axis(text: str) -> SweepAxis:
    """Parse `--vary KEY=VALUES`.

    Raises:
        UsageError: the text is no axis.
    """
    refuse_undecodable(text, "--vary")
    key, equals, values = text.partition("=")
    key = key.strip()
    if not equals or not key:
        raise UsageError(f"--vary {text}: {_EXAMPLE}")
    try:
        return SweepAxis(key, parse_values(values), f"--vary {key}=")
    except ValueError as error:
        raise UsageError(f"--vary {text}: {error}") from None


def parse_values(text: str) -> Sequence[object]:
    """Parse a list of TOML values, whose text needs no quotes, or a range START:STOP:COUNT.

    Raises:
        ValueError: with the reason.
    """
    if match := _RANGE_WITHOUT_COUNT.fullmatch(text):
        raise ValueError(f"a range is START:STOP:COUNT, as in {match[1]}:{match[2]}:5 for five values")
    if match := _RANGE.fullmatch(text):
        return NumberRange(*match.groups())
    listed = value_from(f"[{text}]")
    values = tuple(listed) if isinstance(listed, list) else tuple(map(value_from, _split(text)))
    if not values or "" in values:
        raise ValueError(f"a value is missing; {_EXAMPLE}")
    return values


def _split(text: str) -> Iterator[str]:
    """Split at commas that are not inside brackets or quotes."""
    part, depth, quote = "", 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        depth += (letter in "[{") - (letter in "]}") if not quote else 0
        if letter == "," and not depth and not quote:
            yield part.strip()
            part = ""
        else:
            part += letter
    yield part.strip()


def group_axes(axes: Sequence[SweepAxis], paired: Collection[str]) -> list[list[int]]:
    """Indices of the axes in their order, those of paired keys in one group."""
    groups: dict[str, list[int]] = {}
    for number, axis in enumerate(axes):
        groups.setdefault("" if axis.key in paired else axis.key, []).append(number)
    return list(groups.values())


def count_points(axes: Sequence[SweepAxis], paired: Collection[str]) -> int:
    """Number of points, without computing any."""
    return math.prod(max(len(axes[number].values) for number in group) for group in group_axes(axes, paired))


def cross_axes(axes: Sequence[SweepAxis], paired: Collection[str]) -> Iterator[Point]:
    """Every combination of values; the values of paired keys go together, first with first.

    Raises:
        UsageError: one paired key has more values than another.
    """
    groups = group_axes(axes, paired)
    for group in groups:
        if len({len(axes[number].values) for number in group}) > 1:
            counts = ", ".join(f"{axes[number].key} has {len(axes[number].values)}" for number in group)
            raise UsageError(f"pairing values needs equally many of each: {counts}")
    order = [number for group in groups for number in group]
    for parts in product(*(tuple(zip(*(axes[number].values for number in group), strict=True)) for group in groups)):
        values = dict(zip(order, (value for part in parts for value in part), strict=True))
        yield tuple(values[number] for number in range(len(axes)))


@lru_cache(maxsize=4)
def spawn_seeds(seed: int, number: int) -> tuple[int, ...]:
    """Independent seeds; the first ones stay the same when more are wanted."""
    children = np.random.SeedSequence(seed).spawn(number)
    return tuple(int(child.generate_state(1, np.uint64)[0]) >> (64 - SEED_BITS) for child in children)

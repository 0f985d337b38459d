"""What a key of a preset may be asked for besides being equal to a value."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Expected:
    """A condition on a value, in words and as a function."""

    words: str
    fits: Callable[[object], bool]

    def __str__(self):
        return self.words


def about(number, within):
    """A number that is as near as this."""
    return Expected(f"{number:.3g}", lambda value: abs(value - number) <= within)


def at_most(number):
    """A number that is not larger."""
    return Expected(f"at most {number:g}", lambda value: value <= number)


def below(number):
    """A number that is smaller."""
    return Expected(f"below {number:g}", lambda value: value < number)


def above(number):
    """A number that is larger."""
    return Expected(f"above {number:g}", lambda value: value > number)


def has(entry):
    """A list with this entry."""
    return Expected(f"with {entry}", lambda value: entry in value)


def sets(key, number):
    """Events of which one sets a key to this value."""
    return Expected(f"{key} = {number:g}", lambda value: any(event.set.get(key) == number for event in value))


given = Expected("given", lambda value: value is not None and value != ())
"""Anything but nothing."""

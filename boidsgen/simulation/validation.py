"""Validation of what members of other packages return: rules, surfaces of obstacles, shapes and measures.

Arithmetic might silently broadcast a wrong value, or fail far from its cause; a PackageError names package and class.
Values from other packages must also be finite; those of boidsgen itself are trusted.
"""

import numpy as np

from boidsgen.errors import PackageError
from boidsgen.plugins import maker
from boidsgen.simulation.geometry import Array

REAL = "biuf"  # The kinds of numpy's types that are real numbers
OURS = f"{__name__.partition('.')[0]}."


def numbers(given: object, shape: tuple[int, ...], giver: object, wanted: str) -> Array:
    """Real numbers of this shape.

    Args:
        given: what the giver gave.
        shape: that it must have.
        giver: the rule or obstacle.
        wanted: what it must give, for the message.

    Raises:
        PackageError: when it is anything else.
    """
    if type(giver).__module__.startswith(OURS) and isinstance(given, np.ndarray) and given.shape == shape:
        return given
    if wrong := misfit(given, shape):
        raise PackageError(f"{maker(type(giver))}: must give {wanted}, shape {shape}, not {wrong}")
    return np.asarray(given, np.float64)


def misfit(given: object, shape: tuple[int | None, ...]) -> str:
    """Description of a value that is not finite real numbers of this shape, None = any number; empty if it is."""
    try:
        array = np.asarray(given)
    except (ValueError, TypeError):
        return "lists of unequal length"
    if array.dtype.kind not in REAL:
        return str(array.dtype) if array.shape else "None" if given is None else type(given).__name__
    if len(array.shape) != len(shape) or any(
        wanted not in {None, count} for count, wanted in zip(array.shape, shape, strict=True)
    ):
        return str(array.shape) if array.shape else f"{array:g}"
    finite = np.isfinite(array)
    return "" if finite.all() else f"{array[~finite][0]:g}"


def measured(value: object, giver: str) -> float | None:
    """The number that a measure of others gave, or None where it is not defined; a PackageError for anything else."""
    if value is None:
        return None
    if wrong := misfit(value, ()):
        raise PackageError(f"{giver} gave {wrong}, which must be a finite number, or None where it is not defined")
    return float(np.asarray(value))  # a count of numpy's is a number, too

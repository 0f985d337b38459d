"""Validation of what members of other packages return: rules, obstacles, shapes and measures.

Arithmetic might silently broadcast a wrong value, or fail far from its cause; a PackageError names package and class.
Values from other packages must also be finite; those of boidsgen itself are trusted.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boidsgen.errors import PackageError
from boidsgen.plugins import maker
from boidsgen.simulation.geometry import Array

REAL = "biuf"  # The kinds of numpy's types that are real numbers
KINDS = {"c": "complex numbers", "U": "texts", "S": "bytes", "O": "objects", "M": "dates", "m": "spans of time"}
"""Names of numpy kinds that are not real numbers."""
OURS = f"{__name__.partition('.')[0]}."


def numbers(given: object, shape: tuple[int | None, ...], giver: object, wanted: str) -> Array:
    """Real numbers of this shape.

    Args:
        given: what the giver gave.
        shape: that it must have; None = any number of them.
        giver: the rule, obstacle or shape.
        wanted: what it must give, for the message.

    Raises:
        PackageError: when it is anything else.
    """
    if type(giver).__module__.startswith(OURS) and isinstance(given, np.ndarray) and _fits(given, shape):
        return given
    if wrong := misfit(given, shape):
        written = ", ".join("k" if count is None else str(count) for count in shape) + "," * (len(shape) == 1)
        raise unfit(giver, f"must give {wanted}, shape ({written}), not {wrong}")
    return np.asarray(given, np.float64)


def misfit(given: object, shape: tuple[int | None, ...]) -> str:
    """Description of a value that is not finite real numbers of this shape; empty if it is."""
    array = _array(given)
    if array is None or array.dtype.kind not in REAL or not _fits(array, shape):
        return described(given)
    finite = np.isfinite(array)
    return "" if finite.all() else f"{array[~finite][0]:g}"


def number(given: object, giver: object, wanted: str) -> float:
    """One real number, which may be infinite. Raises PackageError when it is anything else."""
    if isinstance(given, float) and type(giver).__module__.startswith(OURS):
        return given
    array = _array(given)
    if array is None or array.dtype.kind not in REAL or array.shape or np.isnan(array):
        raise unfit(giver, f"must give {wanted}, a number, not {described(given)}")
    return float(array)


def pair(given: object, giver: object, wanted: str) -> tuple[Any, Any]:
    """Two things, such as two arrays. Raises PackageError when they are more or fewer, or none at all."""
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise unfit(giver, f"must give {wanted}, not {described(given)}")
    return given[0], given[1]


def unfit(giver: object, wrong: str) -> PackageError:
    """The error about what a giver gave."""
    return PackageError(f"{maker(type(giver))}: {wrong}")


def described(given: object) -> str:
    """Short description of a value: the shape of numbers, the type of anything else."""
    array = _array(given)
    if given is None or array is None:
        return "None" if given is None else "lists of unequal length"
    if array.dtype.kind in REAL:
        return str(array.shape) if array.shape else f"{array:g}"
    return KINDS.get(array.dtype.kind, str(array.dtype)) if array.shape else type(given).__name__


def _fits(array: NDArray[Any], shape: tuple[int | None, ...]) -> bool:
    return array.shape == shape or (
        array.ndim == len(shape)
        and all(wanted in {None, count} for count, wanted in zip(array.shape, shape, strict=True))
    )


def _array(given: object) -> NDArray[Any] | None:
    """The value as an array; None where it has no shape."""
    try:
        return np.asarray(given)
    except (ValueError, TypeError):  # lists of unequal length
        return None

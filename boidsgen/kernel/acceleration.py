"""Functions of numpy arrays that the kernel computes too, with the same bits.

The numpy function is the definition; where the library loads, the kernel's entry of the same name runs instead. An
array becomes a pointer and a number of elements, so that the kernel can check every index; anything else is an int.
"""

from collections.abc import Callable
from ctypes import c_int, c_void_p
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from boidsgen.kernel import library

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def accelerated(kinds: str) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Decorator of a function whose positional parameters are of these kinds, separated by spaces.

    A kind is `int` or the dtype of an array, such as u1. The function writes to arrays marked as `=u1`: these must have
    that dtype and be contiguous. Others are converted. The function returns an int or nothing.
    """
    types = [None if kind == "int" else np.dtype(kind.lstrip("=")) for kind in kinds.split()]
    written = [kind.startswith("=") for kind in kinds.split()]

    def decorate(definition: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        @wraps(definition)
        def call(*given: Parameters.args, **named: Parameters.kwargs) -> Result:
            found = _entry(definition.__name__, tuple(types))
            if found is None:
                return definition(*given, **named)
            arguments: list[Any] = []
            kept = []
            for value, dtype, changes in zip(given, types, written, strict=True):
                if dtype is None:
                    arguments.append(value)
                    continue
                array = np.ascontiguousarray(value, dtype)
                if changes and array is not value:
                    raise TypeError(f"{definition.__name__} cannot write to an array of another layout")
                kept.append(array)  # until the entry has returned
                arguments += array.ctypes.data, array.size
            return cast("Result", found(*arguments))

        return call

    return decorate


@cache
def _entry(name: str, types: tuple[np.dtype[Any] | None, ...]) -> Callable[..., Any] | None:
    found = library.entry(name)
    if found is not None:
        declared = [(c_int,) if dtype is None else (c_void_p, c_int) for dtype in types]
        found.argtypes = [one for each in declared for one in each]
    return cast("Callable[..., Any] | None", found)

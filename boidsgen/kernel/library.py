"""The kernel's library: loaded with ctypes, in the build that this processor can run.

If it cannot be used, boidsgen falls back to numpy, which gives the same results; `missing` returns the reason. The file
is compared with its checksum before it is loaded, because loading a damaged library can kill the process.

Of functions that are `accelerated` the numpy function is the definition; where the library loads, the kernel's entry of
the same name runs instead, with the same bits. An array becomes a pointer and a number of elements, so that the kernel
can check every index; anything else is an int.
"""

import ctypes
import os
import sys
from collections.abc import Callable
from ctypes import c_int, c_void_p
from functools import cache, wraps
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar, cast

import numpy as np

from boidsgen.system import IN_BROWSER

FOLDER = Path(__file__).parent
FILE = {"win32": "kernel.dll", "darwin": "kernel.dylib"}.get(sys.platform, "kernel.so")
CHECKSUMS = "kernel.sha256"
VERSION_FILE = FOLDER.parent / "version.py"  # Of the package for which the library was built

WIDTHS = (8, 4, 2, 1)
"""Numbers of lanes that a library may have, the fastest first."""

VARIABLE = "BOIDSGEN_LANES"
"""Environment variable for the number of lanes, to test each."""


class UnusableError(Exception):
    """The library cannot be used; the message says why, and what helps."""


class Kernel(NamedTuple):
    """A loaded library, and the lanes to use of it."""

    library: ctypes.CDLL
    lanes: int
    available: tuple[int, ...]  # lanes that the library has and the processor runs


def load(folder: Path) -> Kernel:
    """Load the library in a folder; UnusableError if it is missing, damaged, outdated or unable to run here."""
    if IN_BROWSER:
        raise UnusableError("a browser loads no libraries")
    _verify(folder)
    try:
        library = ctypes.CDLL(str(folder / FILE))
    except OSError as error:  # of another processor, or in a folder from which nothing may be executed
        raise UnusableError(f"{folder / FILE} cannot be loaded: {str(error).splitlines()[0]}") from None
    if not hasattr(library, "boidsgen_lanes"):
        raise UnusableError(f"{folder / FILE} is another library; reinstall boidsgen")
    built = library.boidsgen_lanes()
    available = tuple(width for width in reversed(WIDTHS) if built & width)
    return Kernel(library, _chosen(available), available)


def _verify(folder: Path) -> None:
    """Compare library and sources, where they are there, with their checksums."""
    fix = "run `just kernel`, or install boidsgen again" if (folder / "kernel.c").exists() else "reinstall boidsgen"
    try:
        lines = (folder / CHECKSUMS).read_text("utf-8").splitlines()
        recorded = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
        recorded.setdefault(FILE, "")
        other = recorded.pop(f"../{VERSION_FILE.name}", "") != sha256(VERSION_FILE.read_bytes()).hexdigest()
        there = [folder / name for name in recorded if (folder / name).exists() or name == FILE]
        changed = [one for one in there if sha256(one.read_bytes()).hexdigest() != recorded[one.name]]
    except FileNotFoundError:
        raise UnusableError(f"{folder / FILE} is missing; {fix} with a C compiler or online") from None
    except (OSError, ValueError) as error:
        raise UnusableError(f"{folder / CHECKSUMS} is damaged; {fix}") from error
    if other and not changed:
        raise UnusableError(f"{folder / FILE} was built for another version of boidsgen; {fix}")
    if changed:
        raise UnusableError(f"{changed[0]} has changed since the kernel was built; {fix}")


def _chosen(available: tuple[int, ...]) -> int:
    """The number of lanes that the environment names, else the largest."""
    named = os.environ.get(VARIABLE)
    if not available:
        raise UnusableError(f"{FILE} has no lanes that this processor runs; reinstall boidsgen")
    if named is None:
        return available[-1]
    if named not in map(str, available):
        choices = ", ".join(map(str, available))
        raise UnusableError(f"{VARIABLE} is {named!r}; this library and processor have {choices}")
    return int(named)


@cache
def _kernel() -> Kernel | str:
    """The kernel of this process, or the reason why there is none."""
    try:
        return load(FOLDER)
    except UnusableError as error:
        return str(error)


def missing() -> str | None:
    """The reason why the kernel cannot be used, with what would help, in one line; None if it can."""
    found = _kernel()
    return found if isinstance(found, str) else None


@cache
def entry(name: str) -> Any:  # noqa: ANN401  a function of ctypes, whose types the caller sets
    """An entry point of the kernel, for the lanes of this process; None without the library."""
    found = _kernel()
    return None if isinstance(found, str) else getattr(found.library, f"{name}_{found.lanes}")


def kernel_notice() -> str | None:
    """The line for users about the fallback to numpy; None if the kernel can be used."""
    reason = missing()
    return reason and f"the kernel cannot be used ({reason}); numpy gives the same results, more slowly"


def engine_line() -> str:
    """The library and its lanes in one line, or the notice, for `doctor`."""
    found = _kernel()
    if isinstance(found, str):
        return kernel_notice() or ""
    return f"{found.lanes} lanes of {', '.join(map(str, found.available))}, {FOLDER / FILE}"


Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def accelerated(kinds: str) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Decorator of a function whose positional parameters are of these kinds, separated by spaces.

    A kind is `int` or the dtype of an array, such as u1; a tuple stands for its entries. The function writes to arrays
    marked as `=u1`: these must have that dtype and be contiguous. Others are converted. It returns an int or nothing.
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
            values = [part for value in given for part in (value if isinstance(value, tuple) else (value,))]
            for value, dtype, changes in zip(values, types, written, strict=True):
                if dtype is None:
                    arguments.append(value)
                    continue
                array = np.ascontiguousarray(value, dtype)
                if changes and array is not value:
                    raise TypeError(f"{definition.__name__} cannot write to an array of another layout")
                kept.append(array)  # until the entry has returned
                arguments += array.__array_interface__["data"][0], array.size  # twice as fast as `ctypes.data`
            return cast("Result", found(*arguments))

        return call

    return decorate


@cache
def _entry(name: str, types: tuple[np.dtype[Any] | None, ...]) -> Callable[..., Any] | None:
    found = entry(name)
    if found is not None:
        declared = [(c_int,) if dtype is None else (c_void_p, c_int) for dtype in types]
        found.argtypes = [one for each in declared for one in each]
    return cast("Callable[..., Any] | None", found)

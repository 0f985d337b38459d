"""Backend selection: machine code from numba where it can be had and where it pays, numpy otherwise.

numba is optional, and may be unusable although it is installed: its cache may be damaged, compiling switched off, or
the environment may ask it for less than one thread. All backends give the same bits, so whoever finds that goes on with
numpy, and the user is told once. Machine code is compiled in the foreground and cached on disk for later processes.
"""

import os
from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any, cast

INSTALLED = find_spec("numba") is not None  # True if numba is installed; asking does not import it

STARTING = 0.8
"""Seconds that compiled code must save where it only has to be loaded: for its start, and its memory, 100 MB."""

THREADS = "NUMBA_NUM_THREADS"  # Environment variable for the maximum number of threads

NOTICED = 0.5  # Seconds of compiling that the user is told about


class UnusableEngineError(Exception):
    """Machine code cannot be had; the message says why."""


_reasons: dict[str, None] = {}
_seconds: list[float] = []


def give_up(error: UnusableEngineError) -> None:
    """Remember why numba is not used for the rest of this process."""
    _reasons.setdefault(str(error))


def usable() -> bool:
    """True if numba is installed, can be imported, and has not been given up in this process."""
    if INSTALLED and not _reasons:
        try:
            threads = int(os.environ.get(THREADS, "1"))
        except ValueError:  # numba ignores it
            threads = 1
        if threads < 1:
            give_up(UnusableEngineError(f"{THREADS} is {threads}, and must be 1 or more, or not be set"))
    return INSTALLED and not _reasons


def worthwhile(saved: float, cost: float, module: str, function: str) -> bool:
    """True if machine code that saves so many seconds is worth its start: twice what compiling takes, unless cached.

    Args:
        saved: estimated seconds.
        cost: seconds that compiling takes.
        module: file of a module in the folder of the one that is compiled.
        function: module and name of what is compiled last, as in "sum_kernel.add_up".
    """
    if saved <= STARTING or not usable():
        return False
    return saved >= 2 * cost or is_cached(module, function)


def is_cached(module: str, function: str) -> bool:
    """True if machine code of a function is in the cache, in whatever state; see `worthwhile`."""
    folder = Path(module).parent / "__pycache__"
    if "NUMBA_CACHE_DIR" in os.environ or not os.access(folder, os.W_OK):
        kept = cache_folder()
        if kept is None:
            return False
        folder = Path(kept)
    return any(folder.glob(f"{function}-*.nbi"))


def cache_folder() -> str | None:
    """The directory in which machine code of the simulation is cached; None where none can be written to."""
    from numba import njit  # noqa: PLC0415  takes long to import

    try:
        return str(cast("Any", njit(cache=True)(cache_folder)).stats.cache_path)
    except RuntimeError:
        return None


def compiled(function: Any, signature: Any, parts: Sequence[Any] = ()) -> Callable[..., Any]:  # noqa: ANN401  numba's
    """Machine code of a function for this signature, loaded from the cache or compiled now.

    Args:
        function: plain Python.
        signature: numba's types of what it is called with.
        parts: further modules whose functions it calls; numba itself looks only at its own file for changes.

    Raises:
        UnusableEngineError: when it can be neither loaded nor compiled.
    """
    from numba import config, njit  # noqa: PLC0415  takes long to import

    if config.DISABLE_JIT:  # type: ignore[attr-defined]  # made while numba is imported
        raise UnusableEngineError("NUMBA_DISABLE_JIT is set")
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
    began = perf_counter()
    made_of = [sha256(Path(module.__file__).read_bytes()).hexdigest() for module in parts]
    try:
        try:
            code: Any = njit(cache=True, **options)(function)
            index = code._cache._cache_file  # noqa: SLF001  numba has no way to say what else the code is made of
            index._source_stamp = index._source_stamp, made_of  # noqa: SLF001
        except RuntimeError:  # neither the package nor the user's cache directory can be written to
            code = njit(**options)(function)
        code.compile(signature)
    except Exception as error:  # noqa: BLE001  unpickling and linking raise what they like
        reason = f"its cache cannot be read or written: {type(error).__name__} {error}".partition("\n")[0]
        raise UnusableEngineError(reason.strip()) from None
    code.disable_compile()
    if code.stats.cache_misses or not code.stats.cache_hits:
        _seconds.append(perf_counter() - began)
    return cast("Callable[..., Any]", code)


def cache_state(module: str, function: str) -> str:
    """Description of the cache of machine code, for `doctor`."""
    if not usable():
        return "; ".join(_unusable())
    folder = cache_folder()
    if folder is None:
        return "cannot be cached anywhere, so only long runs are compiled; set NUMBA_CACHE_DIR to a folder"
    state = "compiled" if is_cached(module, function) else "to be compiled by the first long run"
    return f"{folder}, {state}, writable"


def _unusable() -> list[str]:
    return [f"numba cannot be used ({reason}); numpy does the same, more slowly" for reason in _reasons]


def notices() -> list[str]:
    """Lines for the user about why numba is not used, and about compiling since this was last asked."""
    lines = _unusable()
    if sum(_seconds) > NOTICED:
        lines.append(f"numba: compiled in {sum(_seconds):.0f} s; cached for the next run")
    _seconds.clear()
    return lines

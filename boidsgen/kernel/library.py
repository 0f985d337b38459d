"""The kernel's library: loaded with ctypes, in the build that this processor can run."""

import ctypes
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

LANES = 4


@cache
def library() -> ctypes.CDLL | None:
    """The loaded library; None where it cannot be had."""
    path = Path(__file__).with_name("kernel.so")
    return ctypes.CDLL(str(path)) if path.exists() else None


@cache
def entry(name: str) -> Callable[..., Any] | None:
    """An entry point of the kernel, for the lanes of this processor; None without the library."""
    found = library()
    return None if found is None else getattr(found, f"{name}_{LANES}")

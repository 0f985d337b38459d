"""What a benchmark gives, and how it is shown."""

import platform
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from os import cpu_count


@dataclass(frozen=True)
class Row:
    """One case.

    Attributes:
        case: what was done.
        ours: what it took here.
        comparison: what it is held against.
        theirs: what that took, in the same run.
        ratio: theirs over ours, or ours over theirs where the case says "of".
    """

    case: str
    ours: str
    comparison: str = ""
    theirs: str = ""
    ratio: str = ""


def seconds(action: Callable[[], object], runs: int = 3) -> float:
    """Median wall time of several runs, in seconds."""
    return statistics.median(_once(action) for _ in range(runs))


def alternately(ours: Callable[[], object], theirs: Callable[[], object], runs: int = 3) -> tuple[float, float, float]:
    """Median wall times of two actions run in turn, and the median of their ratios theirs/ours, pair by pair."""
    pairs = [(_once(ours), _once(theirs)) for _ in range(runs)]
    ratio = statistics.median(b / a for a, b in pairs)
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs), ratio


def as_markdown(rows: Iterable[Row]) -> str:
    """The rows as a table, headed by the machine that they were measured on."""
    lines = [
        ", ".join(str(fact) for fact in machine().values()),
        "",
        "| case | ours | comparison | theirs | ratio |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [f"| {row.case} | {row.ours} | {row.comparison} | {row.theirs} | {row.ratio} |" for row in rows]
    return "\n".join(lines)


def machine() -> dict[str, str]:
    """What the figures depend on besides the program."""
    return {
        "processor": platform.processor() or platform.machine(),
        "cores": f"{cpu_count()} cores",
        "system": platform.system(),
        "python": f"Python {platform.python_version()}",
        "numpy": f"numpy {version('numpy')}",
        "numba": f"numba {version('numba')}" if find_spec("numba") else "no numba",
        "day": time.strftime("%Y-%m-%d"),
    }


def _once(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began

"""Measure this checkout beside another one: `python -m docs.programs.benchmarks.beside PATH [CASES]`.

Both take turns, each in processes of its own with the Python of its own `.venv`, so that what else the machine does
falls on both. Of processor time the shortest of all turns counts, of wall time the median of the ratios pair by pair.
All figures are milliseconds; a bar is the ratio that a case is meant to stay below.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).parents[3]
WORKER = Path(__file__).with_name("worker.py")


Spent = tuple[float, float]  # Milliseconds of one turn: of the processor, and by the clock


class Case(NamedTuple):
    """Something to measure."""

    ask: tuple[str, ...]  # kind and options for the worker, or the command line of a whole process
    rounds: int  # turns of each checkout
    bar: float | None = None  # largest ratio of this checkout to the other one


STEPPED = ("200", "400", "hunt", "murmuration", "10,000", "100,000", "trefoil")
GROWING = ("crowd 200", "1,000", "1,000,000")
FLOCKS = ("200", "400", "200 at once", "400 at once")
PUBLISHED = {f"flocking {name}": 15 for name in FLOCKS} | {"henad 1,000": 5, "henad 10,000": 5, "henad 100,000": 3}
CASES: Mapping[str, Case] = {
    "yardstick": Case(("every pair", "1,000"), 9),
    **{f"native {name}": Case(("steps", name, "native"), 15, 1.05) for name in STEPPED},
    **{f"numpy {name}": Case(("steps", name, "numpy"), 9, 1.05) for name in STEPPED},
    **{f"native {name}": Case(("steps", name, "native"), 5) for name in GROWING},
    **{name: Case(("published", name, "native"), rounds) for name, rounds in PUBLISHED.items()},
    **{f"pictures {name}": Case(("pictures", name), 12, 1.4) for name in ("murmuration", "trefoil", "hunt")},
    "film trefoil": Case(("boidsgen", "render", "trefoil", "-o", "trefoil.mp4", "--quiet"), 2, 1.35),
    "check": Case(("boidsgen", "check", "quickstart"), 9, 0.85),
    "quickstart": Case(("boidsgen", "render", "quickstart", "-o", "quickstart.gif", "--quiet"), 7, 0.85),
    "quickstart film": Case(("boidsgen", "render", "quickstart", "-o", "quickstart.mp4", "--quiet"), 5, 0.85),
}
"""By name. Steps are of so many boids, or of a preset; published models are told for 100 steps."""
FIRST = {
    f"first {name}": ("simulate", name, *options, "-o", f"{name}.npz", "--quiet")
    for name, options in {
        "quickstart": (),
        "hunt": ("--frames", "1500"),
        "murmuration": ("--frames", "300"),
        "trefoil": ("--frames", "300"),
    }.items()
}
"""First runs, when neither packages nor library have been read, against the fastest of `LATER` later ones."""
LATER = 3
REFERENCE = 48.0  # Milliseconds of the yardstick on the machine for which the limits of the flocking model are meant


@dataclass
class Checkout:
    """One state of the project, and the process that measures in it."""

    path: Path  # folder with the package
    python: Path  # that runs it
    folder: Path  # for its outputs
    more: Mapping[str, str]  # variables of the environment of its processes
    _process: subprocess.Popen[str] | None = None

    def spent(self, case: Case) -> Spent | None:
        """The times of one turn; nothing where it was to get warm."""
        if case.ask[0] == "boidsgen":
            return self.run(case.ask[1:])
        if self._process is None:
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
            self._process = subprocess.Popen([self.python, WORKER], cwd=self.folder, env=self._environment(), **pipes)
        self._process.stdin.write(json.dumps(case.ask) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def run(self, arguments: Sequence[str]) -> Spent:
        """The times of a whole process and its children."""
        began = time.perf_counter()
        command = [str(self.python), "-m", "boidsgen", *arguments]
        child = subprocess.Popen(command, cwd=self.folder, env=self._environment(), stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"{' '.join(command)} in {self.path} ended with {child.returncode}")
        return 1000 * (usage.ru_utime + usage.ru_stime), 1000 * (time.perf_counter() - began)

    def close(self) -> None:
        """End what measures."""
        if self._process:
            self._process.stdin.close()
            self._process.wait()

    def _environment(self) -> dict[str, str]:
        usual = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        return {**usual, "PYTHONPATH": str(self.path), "PYTHONSAFEPATH": "1", **self.more}


class Row(NamedTuple):
    """Milliseconds of a case in each checkout, and the ratios of the last one to the first."""

    name: str
    best: Sequence[float]
    median: Sequence[float]
    ratio: float
    wall_ratio: float
    bar: float | None

    def __str__(self) -> str:
        times = "  ".join(f"{one:10.3f}" for one in (*self.best, *self.median))
        if len(self.best) == 1:
            return f"{self.name:20} {times}"
        verdict = "" if self.bar is None else f"  bar {self.bar:.2f}  {'good' if self.ratio <= self.bar else 'OVER'}"
        return f"{self.name:20} {times}  {self.ratio:6.2f} {self.wall_ratio:6.2f}{verdict}"


def measure(name: str, case: Case, checkouts: Sequence[Checkout]) -> Row:
    """One case in all checkouts, which take turns."""
    for checkout in checkouts if case.rounds > 2 else ():
        checkout.spent(case)  # whatever comes first is slower
    turns = [list(zip(*(checkout.spent(case) for checkout in checkouts), strict=True)) for _ in range(case.rounds)]
    processor, wall = zip(*turns, strict=True)
    best = [min(times) for times in zip(*processor, strict=True)]
    median = [statistics.median(times) for times in zip(*wall, strict=True)]
    wall_ratio = statistics.median(times[-1] / times[0] for times in wall)
    return Row(name, best, median, best[-1] / best[0], wall_ratio, case.bar)


def show(line: object) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def print_all(chosen: Sequence[str], checkouts: Sequence[Checkout]) -> Iterator[Row]:
    """Print a line a case, as soon as it is known; of first runs the time that they take beyond later ones."""
    sides = ("processor", "wall") if len(checkouts) == 1 else ("there", "here", "there, wall", "here, wall")
    show(f"{'milliseconds':20} " + "  ".join(f"{side:>10}" for side in sides))
    scale = 0.0
    for name in chosen:
        if name in FIRST:
            first, *later = [checkouts[-1].run(FIRST[name])[1] / 1000 for _ in range(1 + LATER)]
            show(f"{name:20} {first:8.2f} s, later {min(later):8.2f} s: {first - min(later):+.2f} s")
            continue
        row = measure(name, CASES[name], checkouts)
        show(row)
        if name == "yardstick":
            scale = REFERENCE / row.median[-1]
        elif name.startswith("flocking") and scale:
            show(f"{'':20} {scale * row.median[-1]:10.2f} by the clock where the yardstick takes {REFERENCE:g} ms")
        yield row


def parser_of(program: str, description: str, *places: str) -> ArgumentParser:
    """A parser of places and names of cases."""
    parser = ArgumentParser(prog=f"python -m {program}", description=description)
    for name in places:
        parser.add_argument(name, help="another checkout, with a .venv of its own")
    names = ", ".join((*CASES, *FIRST))
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"beginnings of names, all unless given: {names}")
    return parser


def chosen_cases(beginnings: Sequence[str]) -> list[str]:
    """The cases whose name begins like one of these; all where there is none."""
    names = [name for name in (*CASES, *FIRST) if not beginnings or name.startswith(tuple(beginnings))]
    return names or sys.exit(f"no case begins with {', '.join(beginnings)}")


def opened(stack: ExitStack, path: Path, python: Path, **environment: str) -> Checkout:
    """A checkout with a folder for its outputs, until the stack is closed."""
    folder = Path(stack.enter_context(TemporaryDirectory()))
    checkout = Checkout(path, python, folder, environment)
    stack.callback(checkout.close)
    return checkout


def main() -> int:
    """Print ratios; 1 if one is over its bar."""
    asked = parser_of(
        "docs.programs.benchmarks.beside", "Measure this checkout beside another one.", "path"
    ).parse_args()
    other = Path(asked.path).resolve()
    with ExitStack() as stack:
        there = opened(stack, other, other / ".venv/bin/python")
        rows = list(print_all(chosen_cases(asked.cases), [there, opened(stack, ROOT, Path(sys.executable))]))
    return int(any(row.bar is not None and row.ratio > row.bar for row in rows))


if __name__ == "__main__":
    sys.exit(main())
